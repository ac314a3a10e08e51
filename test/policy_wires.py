"""Policy servers on this machine, one for each wire, which speak it as its project documents and answer as a test wants."""

import base64
import io
import json
import socket
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import msgpack
import numpy as np
import zmq
from websockets.exceptions import ConnectionClosed

from test import policy_server

STAYS = np.zeros((4, 7))
REPORTS, CLOSES, SILENT, GARBAGE, OBJECTS = 'reports', 'closes', 'silent', 'garbage', 'objects'
"""Moods instead of actions: report an error, hang up, say nothing, send noise, send an array that holds objects."""
PICKLE = b'cos\nsystem\n(S"true"\ntR.'


class Server:
    """What was asked, and what is answered: rows of actions, or a mood; `metadata` is what the server says of itself."""

    def __init__(self, answer, metadata) -> None:
        self.answer, self.metadata = answer, metadata
        self.mood = answer if isinstance(answer, str) else ''
        self.asked, self.heard = [], []
        self.released = threading.Event()
        self.address, self.token = '', None

    def wait(self) -> None:
        self.released.wait(30.0)


def _vla_eval_arrays(value):
    return {'__ndarray__': True, 'data': value.tobytes(), 'dtype': value.dtype.str, 'shape': list(value.shape)}


def _as_array(value):
    return np.frombuffer(value['data'], value['dtype']).reshape(value['shape']) if '__ndarray__' in value else value


def _vla_eval(server, connection) -> None:
    def send(kind, payload, seq):
        told = {'type': kind, 'payload': payload, 'seq': seq, 'timestamp': 0.0}
        connection.send(msgpack.packb(told, default=_vla_eval_arrays))

    while True:
        message = msgpack.unpackb(connection.recv(), object_hook=_as_array)
        assert set(message) == {'type', 'payload', 'seq', 'timestamp'}
        server.heard.append(message['type'])
        if message['type'] == 'hello':
            send('hello', {'harness_version': '0.8.0', 'protocol_version': 1, **server.metadata}, message['seq'])
        elif message['type'] == 'observation':
            server.asked.append(message['payload'])
            if server.mood == REPORTS:
                send('error', {'error': 'observation_failed: RuntimeError: out of memory'}, message['seq'])
            elif server.mood == OBJECTS:
                send('action', {'actions': {'__ndarray__': True, 'data': PICKLE, 'dtype': '|O', 'shape': [1]}}, message['seq'])
            elif not _mood(server, connection):
                send('action', {'actions': server.answer}, message['seq'])


def _starvla(server, connection) -> None:
    connection.send(policy_server.wire.pack(server.metadata))
    while True:
        message = policy_server.wire.unpack(connection.recv())
        server.heard.append(message['type'])
        server.asked.append(message['payload'])
        answer = {'status': 'ok', 'ok': True, 'type': 'inference_result', 'request_id': message['request_id']}
        if server.mood == REPORTS:
            answer |= {'status': 'error', 'ok': False, 'error': {'message': 'RuntimeError: out of memory'}}
        elif server.mood == OBJECTS:
            raw = {b'__ndarray__': True, b'data': PICKLE, b'dtype': '|O', b'shape': [1]}
            connection.send(msgpack.packb(answer | {'data': {'actions': raw}}))
            continue
        elif _mood(server, connection):
            continue
        else:
            actions = server.answer[None] if isinstance(server.answer, np.ndarray) else [server.answer]
            answer |= {'data': {'actions': actions}}
        connection.send(policy_server.wire.pack(answer))


def _mood(server, connection) -> bool:
    """Act on a mood of a websocket; return whether it was one."""
    if server.mood == CLOSES:
        connection.close()
    elif server.mood == SILENT:
        server.wait()
    elif server.mood == GARBAGE:
        connection.send(b'\xc1\xc1')
    return server.mood in (CLOSES, SILENT, GARBAGE)


def _websocket(server, talk):
    def handle(server, connection):
        try:
            talk(server, connection)
        except ConnectionClosed:
            return

    return policy_server.serving(server, handle)


def _npy(value):
    file = io.BytesIO()
    np.save(file, value, allow_pickle=False)
    return {'__ndarray_class__': True, 'as_npy': file.getvalue()}


def _from_npy(value):
    return np.load(io.BytesIO(value['as_npy']), allow_pickle=False) if '__ndarray_class__' in value else value


def _gr00t_answer(server, request):
    """What a GR00T server answers; its actions come in two groups, which the order of its configuration puts side by side."""
    endpoint = request['endpoint']
    if endpoint == 'ping':
        return {'status': 'ok', 'message': 'Server is running'}
    if endpoint == 'get_modality_config':
        return server.metadata or {
            'video': _modality('image', 'wrist_image'), 'state': _modality('x'), 'action': _modality('tool', 'gripper'),
            'language': _modality('annotation.human.action.task_description'),
        }  # fmt: skip
    if endpoint == 'reset':
        return {}
    server.asked.append(request['data']['observation'])
    if server.mood == REPORTS:
        return {'error': f'out of memory; token {server.token}'}
    if server.mood == OBJECTS:
        file = io.BytesIO()
        np.save(file, np.array([object]), allow_pickle=True)
        return [{'tool': {'__ndarray_class__': True, 'as_npy': file.getvalue()}}, {}]
    if not isinstance(server.answer, np.ndarray):
        return [server.answer, {}]
    rows = server.answer[None].astype(np.float32)
    return [{'gripper': rows[..., 6:], 'tool': rows[..., :6]}, {}]


def _modality(*keys):
    return {'__ModalityConfig_class__': True, 'as_json': {'delta_indices': [0], 'modality_keys': list(keys)}}


@contextmanager
def _zmq(server):
    context = zmq.Context()
    replies = context.socket(zmq.REP)
    replies.setsockopt(zmq.LINGER, 0)
    server.address = f'tcp://127.0.0.1:{replies.bind_to_random_port("tcp://127.0.0.1")}'

    def run():
        while not server.released.is_set():
            if not replies.poll(50):
                continue
            request = msgpack.unpackb(replies.recv(), object_hook=_from_npy)
            server.heard.append(request['endpoint'])
            server.token = request.get('api_token')
            acts = request['endpoint'] == 'get_action'
            if acts and server.mood == SILENT:
                server.wait()
            noise = acts and server.mood == GARBAGE
            replies.send(b'\xc1\xc1' if noise else msgpack.packb(_gr00t_answer(server, request), default=_npy))

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        thread.join()
        context.destroy(linger=0)


def _json_numpy(value):
    return {'__numpy__': base64.b64encode(value.tobytes()).decode(), 'dtype': value.dtype.str, 'shape': list(value.shape)}


def _from_json_numpy(value):
    if '__numpy__' not in value:
        return value
    return np.frombuffer(base64.b64decode(value['__numpy__']), value['dtype']).reshape(value['shape'])


@contextmanager
def _http(server):
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers['Content-Length'])), object_hook=_from_json_numpy)
            server.heard.append(self.path)
            server.asked.append(asked)
            if server.mood == CLOSES:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            if server.mood == SILENT:
                server.wait()
                return
            self.send_response(200)
            self.end_headers()
            self.wfile.write(self._said())

        def _said(self):
            if server.mood == GARBAGE:
                return b'\xc1\xc1'
            if server.mood == REPORTS:
                return b'"error"'
            if server.mood == OBJECTS:
                return json.dumps([{'__numpy__': base64.b64encode(PICKLE).decode(), 'dtype': '|O', 'shape': [1]}]).encode()
            rows = list(server.answer) if isinstance(server.answer, np.ndarray) else server.answer
            return json.dumps(rows, default=_json_numpy).encode()

        def log_message(self, *_):
            pass

    listening = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    thread = threading.Thread(target=listening.serve_forever)
    thread.start()
    server.address = f'http://127.0.0.1:{listening.server_address[1]}'
    try:
        yield server
    finally:
        server.released.set()
        listening.shutdown()
        thread.join()
        listening.server_close()


_TALKS = {
    'vla-eval': lambda server: _websocket(server, _vla_eval),
    'starvla': lambda server: _websocket(server, _starvla),
    'gr00t': _zmq,
    'openvla-oft': _http,
}
WIRES = tuple(_TALKS)


@contextmanager
def running(wire, answer=STAYS, metadata=None):
    """A server of a wire that answers so."""
    with _TALKS[wire](Server(answer, metadata or {})) as server:
        yield server

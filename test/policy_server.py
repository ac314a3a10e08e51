"""A policy server on this machine, as openpi serves policies, which answers each instruction as a test wants: well, badly or not at all."""

import threading
from contextlib import contextmanager

import numpy as np
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import serve

from vlm_bench_tasks.evaluation import wire

STAYS = np.zeros((4, 7))
TRACEBACK = 'Traceback (most recent call last):\n  File "serve.py", line 3\nRuntimeError: out of memory'


class Server:
    """What was asked, and what is answered to each prompt: actions, bytes or text as they are, or a function of the connection."""

    def __init__(self, answers=None) -> None:
        self.answers, self.asked, self.connections = answers or {}, [], 0
        self.released = threading.Event()
        self.address = ''

    def handle(self, connection) -> None:
        self.connections += 1
        connection.send(wire.pack({'name': 'a policy of the test'}))
        try:
            while True:
                self._answer(connection, wire.unpack(connection.recv()))
        except ConnectionClosed:
            return

    def _answer(self, connection, seen) -> None:
        self.asked.append(seen)
        answer = self.answers.get(seen.get('prompt', seen.get('task')), STAYS)
        if callable(answer):
            answer(connection, self)
        elif isinstance(answer, str | bytes):
            connection.send(answer)
        else:
            connection.send(wire.pack({'actions': answer, 'server_timing': {'infer_ms': 0.1}}))


def closes(connection, server) -> None:
    """Hang up instead of answering."""
    connection.close()


def silent(connection, server) -> None:
    """Say nothing until the test is over."""
    server.released.wait(30.0)


@contextmanager
def running(answers=None):
    """A server that answers so, by prompt; without a word it lets the arm stay."""
    with serving(Server(answers), lambda server, connection: server.handle(connection)) as server:
        yield server


@contextmanager
def serving(server, handle):
    """A websocket on which `handle(server, connection)` speaks for a server that has an address and can be released."""
    with serve(lambda connection: handle(server, connection), '127.0.0.1', 0, compression=None, max_size=None) as listening:
        thread = threading.Thread(target=listening.serve_forever)
        thread.start()
        server.address = f'ws://127.0.0.1:{listening.socket.getsockname()[1]}'
        try:
            yield server
        finally:
            server.released.set()
            listening.shutdown()
            thread.join()

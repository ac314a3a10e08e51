"""A server of chat completions on this machine, which answers as a test wants: well, badly, late or not at all."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Server:
    """What was asked, and what is answered: a text, or a function that is given the handler."""

    def __init__(self, *answers) -> None:
        self.answers, self.asked, self.released = list(answers), [], threading.Event()

    def handle(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers['Content-Length']))
        self.asked.append((handler.path, handler.headers.get('Authorization'), json.loads(body)))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if callable(answer):
            answer(handler, self)
        else:
            send(handler, json.dumps({'choices': [{'message': {'role': 'assistant', 'content': answer}}]}).encode())


def send(handler, body: bytes, status: int = 200) -> None:
    handler.send_response(status)
    handler.send_header('Content-Length', str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def raw(body: bytes, status: int = 200):
    """Answer with these bytes."""
    return lambda handler, server: send(handler, body, status)


def silent(handler, server) -> None:
    """Say nothing until the test is over."""
    server.released.wait(20.0)


def dripping(handler, server) -> None:
    """Say one byte after the other, each soon enough, for longer than anybody has patience."""
    handler.send_response(200)
    handler.send_header('Content-Length', '100000')
    handler.end_headers()
    for _ in range(400):
        if server.released.wait(0.05):
            return
        try:
            handler.wfile.write(b' ')
        except OSError:
            return
    handler.close_connection = True


def cut_off(handler, server) -> None:
    """Promise more than is sent."""
    handler.send_response(200)
    handler.send_header('Content-Length', '1000')
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.close_connection = True


@contextmanager
def serving(*answers):
    """Serve on 127.0.0.1; yields the server and its address."""
    server = Server(*answers)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            server.handle(self)

        def log_message(self, *args) -> None:
            pass

    listening = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    thread = threading.Thread(target=listening.serve_forever, kwargs={'poll_interval': 0.01}, daemon=True)
    thread.start()
    try:
        yield server, f'http://127.0.0.1:{listening.server_port}/v1'
    finally:
        server.released.set()
        listening.shutdown()
        listening.server_close()
        thread.join(5.0)

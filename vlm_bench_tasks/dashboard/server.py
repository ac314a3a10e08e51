"""Serves the page and its socket: to its own origin, with its token, and nothing else."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from pathlib import Path
from ssl import SSLContext
from traceback import format_exc
from typing import Any
from urllib.parse import parse_qs

from websockets.asyncio.server import Server as Listening
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from vlm_bench_sim.core.errors import ConfigError, VlmBenchError
from vlm_bench_tasks.dashboard import wire
from vlm_bench_tasks.dashboard.access import Access, Role
from vlm_bench_tasks.dashboard.page import Page
from vlm_bench_tasks.dashboard.roles import check

SOCKET = '/socket'
MOST_PAGES = 16
"""Largest number of pages that are open at once."""

SPARE_PAGES = 4
"""How many more may be open for who may do everything: guests lock nobody out."""

MOST_AT_ONCE = 6
"""Questions of one page that are answered at once: while one waits for news, others must not."""

_STATIC = Path(__file__).parent / 'static'
_TYPES = {'.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml'}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self' {socket}; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-store',
}

Answer = Mapping[str, Any] | bytes
Desk = Callable[[wire.Ask, Page], Awaitable[Answer]]
"""Answers what a page asks, or raises a VlmBenchError."""


class Server:
    """The window's server.

    Args:
        access: who may use it.
        desk: answers what pages ask.
        tls: certificate and key for encrypted connections.

    Raises:
        ConfigError: access asks for encryption and there is no certificate, or the other way round.
    """

    def __init__(self, access: Access, desk: Desk, *, tls: SSLContext | None = None) -> None:
        if access.secure != (tls is not None):
            raise ConfigError('Encryption needs a certificate and a key. Name both: --certificate FILE --key FILE.')
        self._access, self._desk, self._tls = access, desk, tls
        self._files = {f'/{path.name}': (path.read_bytes(), _TYPES[path.suffix]) for path in _STATIC.iterdir() if path.suffix in _TYPES}
        self._files['/'] = self._files['/index.html']
        self._pages = 0

    async def start(self) -> Listening:
        """Listen, and return the running server of websockets.

        Raises:
            ConfigError: nobody can listen there.
        """
        try:
            listening: Listening = await serve(
                self._serve, self._access.host, self._access.port, process_request=self._admit, ssl=self._tls,
                max_size=wire.MOST_BYTES, max_queue=4, server_header=None, compression=None,
            )  # fmt: skip
            return listening
        except OSError as error:
            where = f'{self._access.host}:{self._access.port}'
            raise ConfigError(
                f'The window cannot listen on {where}: {error.strerror}. Name another one: --port 0 takes a free one.'
            ) from error

    def _admit(self, _: ServerConnection, request: Request) -> Response | None:
        """Answer a request for a file, or let a page of ours in."""
        hosts = request.headers.get_all('Host')
        host = hosts[0] if len(hosts) == 1 else ''
        if not self._access.knows(host):
            return _refusal('This is not the address of the window.')
        path, query = (*request.path.split('?', 1), '')[:2]
        if path != SOCKET:
            return self._file(path, host)
        origins = request.headers.get_all('Origin')
        if len(origins) != 1 or not self._access.may_ask(host, origins[0]):
            return _refusal('Only the page of the window may ask.')
        role = self._role(query)
        if role is None:
            return _refusal('The token is wrong. Open the address that was printed.')
        if self._pages >= MOST_PAGES + (SPARE_PAGES if role == 'all' else 0):
            return _response(HTTPStatus.SERVICE_UNAVAILABLE, b'Too many pages are open. Close some.')
        return None

    def _role(self, query: str) -> Role | None:
        tokens = parse_qs(query).get('token', [])
        return self._access.role(tokens[0]) if len(tokens) == 1 else None

    def _file(self, path: str, host: str) -> Response:
        if path not in self._files:
            return _response(HTTPStatus.NOT_FOUND, b'There is no such file.')
        content, kind = self._files[path]
        policy = _POLICY.format(socket=f'{"wss" if self._access.secure else "ws"}://{host}')
        return _response(HTTPStatus.OK, content, kind, policy)

    async def _serve(self, page: ServerConnection) -> None:
        self._pages += 1
        role = self._role(page.request.path.partition('?')[2]) if page.request else None
        asking = Page(role or 'watch')
        try:
            await self._converse(page, asking)
        finally:
            self._pages -= 1
            asking.leave()

    async def _converse(self, page: ServerConnection, asking: Page) -> None:
        """Answer a few questions at a time: a page that does not read its answers waits, and nothing queues up here."""
        room, open_, gone = asyncio.Semaphore(MOST_AT_ONCE), set[asyncio.Task[None]](), asyncio.Event()

        async def reply(message: str | bytes) -> None:
            try:
                await page.send(await self._answered(message, asking))
            except ConnectionClosed:
                gone.set()

        def over(task: asyncio.Task[None]) -> None:
            open_.discard(task)
            room.release()

        try:
            async for message in page:
                await room.acquire()
                if gone.is_set():  # what the page has asked before is still to be read, and nobody wants to know it
                    break
                task = asyncio.create_task(reply(message))
                open_.add(task)
                task.add_done_callback(over)
        except ConnectionClosed:
            pass
        finally:
            for task in open_:
                task.cancel()

    async def _answered(self, message: str | bytes, asking: Page) -> str | bytes:
        try:
            ask = wire.read(message)
        except VlmBenchError as error:
            return wire.refused(_number(message), error)
        try:
            check(ask, asking.role)
            return wire.answered(ask.id, await self._desk(ask, asking))
        except VlmBenchError as error:
            return wire.refused(ask.id, error)
        except Exception:  # noqa: BLE001 (a hostile bag may raise anything, and the page must not wait for ever)
            sys.stderr.write(format_exc())
            return wire.refused(ask.id, 'This could not be shown. Where the window was started it is printed why.')


def _number(message: str | bytes) -> int:
    """Return the id of a message that could not be read as a whole; 0 if it has none."""
    try:
        number = json.loads(message)['id']
    except (ValueError, KeyError, TypeError, RecursionError):
        return 0
    return number if isinstance(number, int) and 0 <= number < 2**31 else 0


def _refusal(why: str) -> Response:
    return _response(HTTPStatus.FORBIDDEN, why.encode())


def _response(status: HTTPStatus, body: bytes, kind: str = 'text/plain', policy: str = "default-src 'none'") -> Response:
    headers = {'Content-Type': f'{kind}; charset=utf-8', 'Content-Length': str(len(body)), 'Connection': 'close'}
    return Response(status, status.phrase, Headers({**headers, 'Content-Security-Policy': policy, **_HEADERS}), body)


async def until_interrupted(server: Server, told: Callable[[int], None]) -> None:
    """Serve until the task is cancelled; `told` receives the port."""
    async with await server.start() as listening:
        told(next(iter(listening.sockets)).getsockname()[1])
        await asyncio.get_running_loop().create_future()

"""Websockets to policy servers."""

import socket
import struct
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidURI, WebSocketException
from websockets.frames import CloseCode
from websockets.sync.client import ClientConnection, connect

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.evaluation import wire
from vlm_bench_tasks.evaluation.faults import CLOSED, SILENT, TYPE, PolicyFault
from vlm_bench_tasks.evaluation.wires.link import MOST_BYTES, Address, reported

_MANNERS: dict[str, Any] = {
    'ping_interval': None,  # a server that blocks while it computes answers no pings; the answer has its own timeout
    'close_timeout': 1.0,
    'compression': None,
    'max_size': MOST_BYTES,
    'proxy': None,
}


class Websocket:
    """A websocket on which msgpack is exchanged.

    Args:
        address: of the server.
        writer, reader: how arrays are written and read.

    Raises:
        ConfigError: the address is invalid.
        PolicyFault: the server accepts no connection.
    """

    def __init__(self, address: Address, *, writer: wire.Writer = wire.openpi_writer, reader: wire.Reader = wire.openpi_reader) -> None:
        self._seconds, self._writer, self._reader = address.seconds, writer, reader
        headers = {'Authorization': f'Api-Key {address.token}'} if address.token else None
        with ExitStack() as stack:
            try:
                opened = connect(address.url, open_timeout=address.seconds, additional_headers=headers, **_MANNERS)
                self.connection: ClientConnection = stack.enter_context(opened)
            except InvalidURI as error:
                raise ConfigError(
                    f'{address.url!r} is not the address of a policy server: {error}. Write one such as ws://127.0.0.1:8000.'
                ) from error
            except (OSError, WebSocketException) as error:  # a timeout is also an OSError
                raise PolicyFault(CLOSED, f'No policy server accepted the connection to {address.url}: {type(error).__name__}.') from error
            limit = struct.pack('ll', *divmod(max(1, round(address.seconds * 1e6)), 1_000_000))
            self.connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)  # the library receives in a thread of its own
            self._closing = stack.pop_all()

    def send(self, value: Any) -> None:
        """Send a value.

        Raises:
            PolicyFault: the server is gone.
        """
        with self._in_words():
            self.connection.send(wire.pack(value, self._writer))

    def receive(self) -> Any:
        """Return the next value of the server.

        Raises:
            PolicyFault: the server is gone or silent, reports an error in text, or sends something other than msgpack.
        """
        with self._in_words():
            said = self.connection.recv(self._seconds)
        if isinstance(said, str):
            raise reported(said)
        try:
            return wire.unpack(said, self._reader)
        except ValueError as error:
            raise PolicyFault(TYPE, f'The answer of its server is not msgpack: {error}') from error

    def close(self) -> None:
        """Close the connection."""
        self._closing.close()

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except TimeoutError as error:
            raise PolicyFault(SILENT, f'Its server gave no answer in {self._seconds:g} s.') from error
        except ConnectionClosed as error:
            if isinstance(error.__cause__, BlockingIOError):
                raise PolicyFault(SILENT, f'Its server has read nothing for {self._seconds:g} s.') from error
            if error.sent is not None and error.sent.code == CloseCode.MESSAGE_TOO_BIG:
                raise PolicyFault(TYPE, f'The answer of its server has more than {MOST_BYTES >> 20} MiB.') from error
            raise PolicyFault(CLOSED, 'Its server closed the connection.') from error

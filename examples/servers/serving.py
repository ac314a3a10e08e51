"""Serves a policy over openpi's wire: websocket frames of msgpack, with arrays as maps of type, shape and bytes. Nothing is pickled.

It needs numpy, msgpack and websockets, and nothing of the bench.
"""

import argparse
import importlib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import ExitStack, suppress
from threading import Lock
from typing import Any, Protocol

import msgpack
import numpy as np
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import Server, ServerConnection, serve

from examples.servers.formats import Array, FormatError, Seen, read, rows

MOST_BYTES = 64 * 1024 * 1024
"""Greatest size of an observation."""
HANDOVER_S = 2.0
"""How long an episode waits for the last one's connection to be closed."""
BUSY = 'The model plays another episode, and remembers one at a time. Evaluate with --workers 1, or start a server for each worker.'
_ARRAY, _SCALAR, _DATA, _TYPE, _SHAPE = b'__ndarray__', b'__npgeneric__', b'data', b'dtype', b'shape'
_KINDS = 'biuf'  # booleans and numbers; no type that could name an object


class MissingLibraryError(RuntimeError):
    """A checkpoint cannot be loaded, as the library of its model is not installed."""


class Episode(ABC):
    """A policy in one episode, which is one connection. Another instruction on the same connection begins another episode.

    Args:
        cameras: names of the bench's cameras that the model sees.
    """

    def __init__(self, *cameras: str) -> None:
        self._cameras = cameras
        self._first: Seen | None = None

    def answer(self, told: Any) -> Array:
        """Return rows of `delta_pose_tenths` for an observation, (n, 7) float32.

        Raises:
            FormatError: the observation cannot be turned into the model's input.
        """
        seen = read(told, self._cameras)
        if self._first is None or not seen.asks_like(self._first):
            self.begin(seen)
            self._first = seen
        return rows(self.step(seen))

    @abstractmethod
    def begin(self, seen: Seen) -> None:
        """Forget the last episode, and read the instruction."""

    @abstractmethod
    def step(self, seen: Seen) -> Any:
        """Return what the model answers: one row of 7 numbers, or several."""


class Answering(Protocol):
    """What answers the observations of one episode."""

    def answer(self, told: Any) -> Array:
        """Return rows of the action space, (n, columns) float32."""


Maker = Callable[[], Answering]
"""Returns what answers a new episode."""


def serving(make: Maker, *, host: str = '127.0.0.1', port: int = 0, action: str = 'delta_pose_tenths', remembers: bool = False) -> Server:
    """Return a server that listens; call its `serve_forever`. Port 0 is a free one.

    Episodes may run side by side, but the model is asked by one at a time. `action` is told to whoever connects. A model that itself
    `remembers` an episode, such as actions to come, plays one at a time: another connection is told so when it asks.
    """
    asking, playing = Lock(), Lock()

    def handle(connection: ServerConnection) -> None:
        with suppress(ConnectionClosed), ExitStack() as held:
            connection.send(pack({'action': action, 'observation': 'export'}))
            episode: Answering | None = None
            for message in connection:
                if episode is None and remembers:
                    if not playing.acquire(timeout=HANDOVER_S):
                        connection.send(BUSY)
                        continue
                    held.callback(playing.release)
                with asking:
                    episode = episode or make()
                    answer = _answer(episode, message)
                connection.send(answer)

    return serve(handle, host, port, compression=None, max_size=MOST_BYTES)


def _answer(episode: Answering, message: str | bytes) -> str | bytes:
    """Return the packed rows, or in words what is wrong with the message: on this wire, a text is an error."""
    try:
        if isinstance(message, str):
            raise FormatError(f'An observation is msgpack in a binary frame; found a text: {message!r:.60}.')
        return pack({'actions': episode.answer(unpack(message))})
    except FormatError as error:
        return str(error)


def pack(value: Any) -> bytes:
    """Return a value as msgpack."""
    return bytes(msgpack.packb(value, default=_written))


def unpack(data: bytes) -> Any:
    """Return the value that msgpack holds.

    Raises:
        FormatError: the bytes are not msgpack, or an array in them is inconsistent.
    """
    try:
        return msgpack.unpackb(data, object_hook=_read)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError, msgpack.exceptions.UnpackException) as error:
        raise FormatError(f'The message is not msgpack with arrays of openpi: {type(error).__name__}: {error}') from error


def _written(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.dtype.kind in _KINDS:
        return {_ARRAY: True, _DATA: value.tobytes(), _TYPE: value.dtype.str, _SHAPE: value.shape}
    raise TypeError(f'msgpack cannot represent {type(value).__name__}')


def _read(value: dict[Any, Any]) -> Any:
    if _ARRAY not in value and _SCALAR not in value:
        return value
    if not re.fullmatch(r'[<>|=]?[a-z]\d{1,2}', str(value[_TYPE])):
        raise ValueError(f'the type of an array is such as <f4; found {value[_TYPE]!r:.40}')
    kind = np.dtype(value[_TYPE])
    if kind.kind not in _KINDS:
        raise ValueError(f'an array holds booleans or numbers; found {kind}')
    if _SCALAR in value:
        return kind.type(value[_DATA])
    if min(value[_SHAPE], default=0) < 0:
        raise ValueError(f'the lengths of an array are 0 or more; found {value[_SHAPE]}')
    return np.frombuffer(value[_DATA], kind).reshape(value[_SHAPE])


def library(name: str, install: str, *, random: bool = True) -> Any:
    """Return a module of a model's own library; `random` says whether the server can do without, by --random.

    Raises:
        MissingLibraryError: it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        asked = f'--checkpoint needs the Python module {name}, which cannot be imported here ({error})'
        raise MissingLibraryError(f'{asked}. {install}{" Or start the server with --random." if random else ""}') from error


def options(about: str) -> argparse.ArgumentParser:
    """Return the options that all example servers have."""
    parser = argparse.ArgumentParser(description=about.partition('\n')[0])
    model = parser.add_mutually_exclusive_group(required=True)
    model.add_argument('--checkpoint', default='', help="weights of the model, loaded by the model's own library")
    model.add_argument('--random', action='store_true', help='a tiny random model with the same input and output')
    parser.add_argument('--host', default='127.0.0.1')
    parser.add_argument('--port', type=int, default=8000)
    parser.add_argument('--base', default='base', help='name of the fixed camera')
    parser.add_argument('--hand', default='hand', help='name of the camera on the robot')
    return parser


def run(
    parser: argparse.ArgumentParser,
    made: Callable[[argparse.Namespace], Maker],
    *,
    action: str = 'delta_pose_tenths',
    remembers: bool = False,
) -> None:
    """Serve what the options of the command line ask for, in an action space, until Ctrl-C."""
    asked = parser.parse_args()
    try:
        make = made(asked)
    except (MissingLibraryError, FormatError) as error:
        parser.error(str(error))
    with serving(make, host=asked.host, port=asked.port, action=action, remembers=remembers) as server, suppress(KeyboardInterrupt):
        print(f'Serving on ws://{asked.host}:{server.socket.getsockname()[1]}', flush=True)
        server.serve_forever()

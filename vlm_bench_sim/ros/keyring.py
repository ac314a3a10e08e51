"""The key of a bench: any process that holds it can speak for the bench.

The process that starts a bench draws the key, and sends it to its children over a socket that they inherit as standard input. The key has
no file name and is in no argument or environment variable. A child asks for it only after it has protected its memory from other
processes of its user.

A person at another terminal inherits nothing. They enter a code that gives a key of their own, which signs only questions and answers.
"""

import base64
import binascii
import ctypes
import os
import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from threading import Thread

from vlm_bench_sim.core.errors import ConfigError, VlmBenchError
from vlm_bench_sim.ros.signature import BENCH, PERSON

_ASKS = b'?'
_KEY, _CODE = 32, 10
_SET_DUMPABLE = 4  # of prctl(2)
_held: dict[str, bytes] = {}


def held(whose: str) -> bytes | None:
    """Return the key of the bench or of its person; None if this process does not hold it."""
    return _held.get(whose)


@contextmanager
def fresh() -> Iterator[str]:
    """Hold a new key within the context, in the process that starts a bench; yields the code for its person."""
    _hide()
    key = secrets.token_bytes(_KEY)
    try:
        yield _hold(key)
    finally:
        _held.clear()


def take_code(text: str) -> None:
    """Hold the key of a person, from the code that the bench printed.

    Raises:
        ConfigError: the text is no code.
    """
    key = read_code(text)
    _hide()
    _held.clear()
    _held[PERSON] = key


def read_code(text: str) -> bytes:
    """Return the key of a code; spacing and letter case do not matter.

    Raises:
        ConfigError: the text is no code.
    """
    try:
        code = base64.b32decode(''.join(filter(str.isalnum, text)).upper())
    except (binascii.Error, ValueError):
        code = b''
    if len(code) != _CODE:
        raise ConfigError(f'A code is 16 letters and digits from 2 to 7, as `vlm-bench real` prints it; found {text[:40]!r}.')
    return _of_person(code)


def offer() -> socket.socket:
    """Return the socket for a child's standard input: it sends our key once, on request. Close it when the child has started."""
    ours, theirs = socket.socketpair()
    Thread(target=_tell, args=(ours, _held[BENCH]), name='key', daemon=True).start()
    return theirs


def receive() -> None:
    """Receive the key from standard input, in a child.

    Raises:
        VlmBenchError: standard input provides no key.
    """
    _hide()
    key = b''
    try:
        with socket.socket(fileno=os.dup(0)) as theirs:
            theirs.sendall(_ASKS)
            key = theirs.recv(_KEY, socket.MSG_WAITALL)
    except OSError:
        pass
    if len(key) != _KEY:
        raise VlmBenchError('The node expected the key of the bench on standard input and received none. Start nodes with `vlm-bench up`.')
    with open(os.devnull, 'rb') as nothing:
        os.dup2(nothing.fileno(), 0)
    _hold(key)


def _hold(key: bytes) -> str:
    code = blake2b(key, digest_size=_CODE, person=b'code of a person').digest()
    _held.update({BENCH: key, PERSON: _of_person(code)})
    letters = base64.b32encode(code).decode()
    return '-'.join(letters[i : i + 4] for i in range(0, len(letters), 4))


def _of_person(code: bytes) -> bytes:
    return blake2b(code, digest_size=_KEY, person=b'key of a person').digest()


def _tell(ours: socket.socket, key: bytes) -> None:
    with ours:
        try:
            if ours.recv(len(_ASKS)) == _ASKS:
                ours.sendall(key)
        except OSError:  # the child is gone
            return


def _hide() -> None:
    """Deny other processes of this user access to our memory and descriptors, as far as the kernel can."""
    prctl = getattr(ctypes.CDLL(None), 'prctl', None)
    if prctl is not None:
        prctl(_SET_DUMPABLE, 0, 0, 0, 0)

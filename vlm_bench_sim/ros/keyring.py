"""The key of a bench: whoever holds it speaks for the bench.

Who starts a bench draws it, and hands it to its children over a socket that they inherit as their standard input. It has no name, is no
argument and stands in no environment; a child asks for it once no other process of its user may look into its memory.

A person at another terminal cannot inherit anything: a code that is told to them stands for a key of their own, which signs questions and
answers and nothing else.
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
    """Return the key of the bench or of its person; None where this process holds none."""
    return _held.get(whose)


@contextmanager
def fresh() -> Iterator[str]:
    """Hold a new key within the context, as who starts a bench; yields the code for its person."""
    _hide()
    key = secrets.token_bytes(_KEY)
    try:
        yield _hold(key)
    finally:
        _held.clear()


def take_code(text: str) -> None:
    """Hold the key of a person, by the code that the bench told.

    Raises:
        ConfigError: the text is no code.
    """
    key = read_code(text)
    _hide()
    _held.clear()
    _held[PERSON] = key


def read_code(text: str) -> bytes:
    """Return the key for which a code stands; how it is spaced, and how its letters are written, does not matter.

    Raises:
        ConfigError: the text is no code.
    """
    try:
        code = base64.b32decode(''.join(filter(str.isalnum, text)).upper())
    except (binascii.Error, ValueError):
        code = b''
    if len(code) != _CODE:
        raise ConfigError(f'A code is 16 letters and digits from 2 to 7, as `vlm-bench real` tells one; found {text[:40]!r}.')
    return _of_person(code)


def offer() -> socket.socket:
    """Return what a child inherits as its standard input: who asks there, once, is told our key. Close it when the child has started."""
    ours, theirs = socket.socketpair()
    Thread(target=_tell, args=(ours, _held[BENCH]), name='key', daemon=True).start()
    return theirs


def receive() -> None:
    """Take the key from our standard input, as a child.

    Raises:
        VlmBenchError: nobody tells one there.
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
        raise VlmBenchError('The key of the bench was to come over the standard input, and did not. Start nodes with `vlm-bench up`.')
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
    """Let no other process of this user look into our memory or take our descriptors, as far as the kernel can."""
    prctl = getattr(ctypes.CDLL(None), 'prctl', None)
    if prctl is not None:
        prctl(_SET_DUMPABLE, 0, 0, 0, 0)

"""A private PyBullet server, which allows several worlds in one process."""

import os
import sys
from ctypes import CDLL
from functools import partial
from importlib import import_module
from typing import Any


def _quietly_imported() -> Any:
    """Import pybullet without the build time that its C code prints."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept, nowhere = (os.dup(1), os.dup(2)), os.open(os.devnull, os.O_WRONLY)
    try:
        for stream in (1, 2):
            os.dup2(nowhere, stream)
        return import_module('pybullet')
    finally:
        CDLL(None).fflush(None)
        for stream, copy in zip((1, 2), kept, strict=True):
            os.dup2(copy, stream)
            os.close(copy)
        os.close(nowhere)


pybullet = _quietly_imported()


class Client:
    """PyBullet's functions, bound to a DIRECT server that this object owns."""

    def __init__(self) -> None:
        self.id = pybullet.connect(pybullet.DIRECT)

    def __getattr__(self, name: str) -> Any:
        """Return a pybullet function bound to this server, or a constant."""
        member = getattr(pybullet, name)
        bound = partial(member, physicsClientId=self.id) if callable(member) else member
        self.__dict__[name] = bound
        return bound

    def close(self) -> None:
        """Disconnect; repeated calls are no error."""
        if self.id >= 0:
            pybullet.disconnect(physicsClientId=self.id)
            self.id = -1

"""A watch over a policy's answers: it ends a process whose policy thinks for too long, and leaves word of whose turn it was.

The interpreter's own watchdog does the ending, which works where the policy hangs in code that lets no other thread run.
"""

import faulthandler
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

_TURN = b'policy'
_OVER = b'Timeout'  # what the interpreter's watchdog begins with


class Watch:
    """Watches one episode in this process; to be used as a context.

    Args:
        note: file that says, to who finds this process dead, whose turn it was.
        seconds: wall-clock time for an answer.
    """

    def __init__(self, note: Path, seconds: float) -> None:
        self._note, self._seconds = note, seconds

    def __enter__(self) -> 'Watch':
        self._file = self._note.open('wb')
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._file.close()

    @contextmanager
    def turn(self, seconds: float = 0.0) -> Iterator[None]:
        """It is the policy's turn, for as long as an answer may take or for so many seconds."""
        number = self._file.fileno()
        os.pwrite(number, _TURN, 0)
        faulthandler.dump_traceback_later(seconds or self._seconds, exit=True, file=self._file)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()
            os.ftruncate(number, 0)


def silent(note: Path) -> bool:
    """Tell whether the process that left this note was ended because the policy gave no answer."""
    return _read(note).startswith(_OVER)


def thinking(note: Path) -> bool:
    """Tell whether it was the policy's turn when the process that left this note died."""
    return _read(note).startswith(_TURN)


def _read(note: Path) -> bytes:
    try:
        return note.read_bytes()
    except FileNotFoundError:
        return b''

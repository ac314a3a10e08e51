"""A watchdog over a policy's answers: it ends a process whose policy thinks for too long, and leaves word of whose turn it was.

The interpreter's own watchdog does the ending, which works where the policy hangs in code that lets no other thread run. A policy that
lives in the same process can stop that dog; so the evaluation reads the same word from outside, and ends who stays at one thing too long.
"""

import faulthandler
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

BENCH, POLICY, MAKING, WAITING = 'bench', 'policy', 'making', 'waiting'
"""Whose turn it can be: the bench's, or the policy's, to answer or to be made; or another evaluation's, that plays the same episode."""
_OVER = b'Timeout'  # what the interpreter's watchdog begins with


@dataclass(frozen=True)
class TurnNote:
    """Whose turn it was when a process left word.

    Attributes:
        whose: it was.
        number: of turns before.
        over: the interpreter's watchdog has found that it took too long.
    """

    whose: str = BENCH
    number: int = 0
    over: bool = False

    @property
    def policys(self) -> bool:
        """True where the policy was to answer, or to be made."""
        return self.whose in (POLICY, MAKING)


class Watchdog:
    """Watches one episode in this process; to be used as a context.

    Args:
        note: file that says, to who finds this process dead or hanging, whose turn it is.
        seconds: wall-clock time for an answer.
    """

    def __init__(self, note: Path, seconds: float) -> None:
        self._note, self._seconds, self._number = note, seconds, 0

    def __enter__(self) -> 'Watchdog':
        self._file = self._note.open('wb', buffering=0)
        self._file.write(self._word(BENCH))  # what the watchdog says comes behind it
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        with suppress(OSError):  # a policy may have closed it
            self._file.close()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """It is the policy's turn, for as long as an answer may take."""
        with self._at(POLICY), _watched(self._file.fileno(), self._seconds):
            yield

    @contextmanager
    def making(self, seconds: float) -> Iterator[None]:
        """The policy is made, in so many seconds."""
        with self._at(MAKING), _watched(self._file.fileno(), seconds):
            yield

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Another evaluation is waited for, as long as it takes."""
        with self._at(WAITING):
            yield

    @contextmanager
    def _at(self, whose: str) -> Iterator[None]:
        os.pwrite(self._file.fileno(), self._word(whose), 0)
        try:
            yield
        finally:
            os.pwrite(self._file.fileno(), self._word(BENCH), 0)

    def _word(self, whose: str) -> bytes:
        self._number += 1
        return f'{whose:8}{self._number:12}\n'.encode()


@contextmanager
def _watched(number: int, seconds: float) -> Iterator[None]:
    faulthandler.dump_traceback_later(seconds, exit=True, file=number)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def left(note: Path) -> TurnNote:
    """Return whose turn it was when the process that left this note last said so."""
    try:
        word, _, more = note.read_bytes().partition(b'\n')
        whose, number = word.decode().split()
        return TurnNote(whose, int(number), over=more.startswith(_OVER))
    except (FileNotFoundError, ValueError):  # it has not begun
        return TurnNote()

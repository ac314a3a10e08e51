"""A watchdog over a policy's answers. It ends a process whose policy takes too long, and leaves a note of whose turn it was.

The interpreter's own watchdog (faulthandler) ends the process, even if the policy hangs in code that holds the GIL. A policy in the same
process can disable it. The evaluation therefore also reads the note from outside, and kills a process that stays in one phase too long.
"""

import faulthandler
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

BENCH, POLICY, MAKING, WAITING = 'bench', 'policy', 'making', 'waiting'
"""Whose turn it is: the bench's; the policy's, to answer or to be created; or another evaluation's, which plays the same episode."""
_OVER = b'Timeout'  # how messages of the interpreter's watchdog begin


@dataclass(frozen=True)
class TurnNote:
    """The content of the note that a process left.

    Attributes:
        whose: whose turn it was.
        number: number of turns before.
        over: the interpreter's watchdog found that the turn took too long.
    """

    whose: str = BENCH
    number: int = 0
    over: bool = False

    @property
    def policys(self) -> bool:
        """Whether it was the policy's turn, to answer or to be created."""
        return self.whose in (POLICY, MAKING)


class Watchdog:
    """Watches one episode in this process; a context manager.

    Args:
        note: file that tells other processes whose turn it is, if this process dies or hangs.
        seconds: timeout for an answer, wall-clock s.
    """

    def __init__(self, note: Path, seconds: float) -> None:
        self._note, self._seconds, self._number = note, seconds, 0

    def __enter__(self) -> 'Watchdog':
        self._file = self._note.open('wb', buffering=0)
        self._file.write(self._word(BENCH))  # the watchdog appends its message to this
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        with suppress(OSError):  # a policy may have closed the file
            self._file.close()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Mark the policy's turn as a context, with the timeout for an answer."""
        with self._at(POLICY), _watched(self._file.fileno(), self._seconds):
            yield

    @contextmanager
    def making(self, seconds: float) -> Iterator[None]:
        """Mark the creation of the policy as a context, with the given timeout, s."""
        with self._at(MAKING), _watched(self._file.fileno(), seconds):
            yield

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Mark the wait for another evaluation as a context, without timeout."""
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
    """Return the last entry of the note that a process left."""
    try:
        word, _, more = note.read_bytes().partition(b'\n')
        whose, number = word.decode().split()
        return TurnNote(whose, int(number), over=more.startswith(_OVER))
    except (FileNotFoundError, ValueError):  # the process has not started the episode
        return TurnNote()

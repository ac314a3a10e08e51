"""Asking a goal: what it raises says nothing of the policy."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from traceback import walk_tb

from vlm_bench_sim.core.errors import Unobservable

_SAID = 300  # characters of an error


@contextmanager
def asking(what: str = 'goal') -> Iterator[None]:
    """Ask something of a goal, or of what goes by one.

    Raises:
        Unobservable: it raised, so nobody can say what is true of it. The same goal and snapshots give the same cause, live or from a bag.
    """
    try:
        yield
    except Unobservable:
        raise
    except Exception as error:
        if _rang(error):
            raise
        said = ' '.join(str(error).split())[:_SAID]
        raise Unobservable(f'the {what} cannot be judged: {type(error).__name__}: {said}') from error


def _rang(error: Exception) -> bool:
    """Return whether it comes of the handler of a signal: that can ring anywhere, and is no goal's."""
    handlers = (signal.getsignal(number) for number in signal.valid_signals())
    rung = {getattr(handler, '__code__', None) for handler in handlers}
    return any(frame.f_code in rung for frame, _ in walk_tb(error.__traceback__))

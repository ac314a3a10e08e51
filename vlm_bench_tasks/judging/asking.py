"""Evaluation of a goal. An exception in a goal says nothing about the policy."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from traceback import walk_tb

from vlm_bench_sim.core.errors import Unobservable

_SAID = 300  # greatest length of an error message, characters


@contextmanager
def asking(what: str = 'goal') -> Iterator[None]:
    """Turn exceptions of a goal, or of code that evaluates one, into `Unobservable`.

    Raises:
        Unobservable: the goal raised, so it cannot be judged. The same goal and snapshots give the same cause, live or from a bag.
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
    """Return whether a signal handler raised the error. That can happen anywhere and is not the goal's fault."""
    handlers = (signal.getsignal(number) for number in signal.valid_signals())
    rung = {getattr(handler, '__code__', None) for handler in handlers}
    return any(frame.f_code in rung for frame, _ in walk_tb(error.__traceback__))

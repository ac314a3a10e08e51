"""Run many trials, and skip those that already have a result. Evaluations and data sets use it."""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import Generic, Protocol, TypeVar

from vlm_bench_tasks.trial import Trial

R = TypeVar('R')
W = TypeVar('W', contravariant=True)


class Store(Protocol[R]):
    """Stores each result of a campaign as soon as it exists. An interrupted campaign therefore loses none."""

    def known(self, trials: Sequence[Trial]) -> dict[Trial, R]:
        """Return the results of the trials that need not be played again."""

    def keep(self, trial: Trial, result: R) -> R:
        """Store a result, and return it as stored."""


class Watcher(Generic[W]):
    """Receives the progress of a campaign; this base class ignores it."""

    def begun(self, total: int, known: int) -> None:
        """Receive the total number of trials at the start, and the number that an earlier run has already played."""

    def whole(self) -> None:
        """Receive that the output is already complete and nothing is played."""

    def ended(self, trial: Trial, result: W) -> None:
        """Receive the result of a trial."""

    def seconds(self) -> float:
        """Return the elapsed wall-clock time, s; 0 if this watcher does not measure it."""
        return 0.0


PlayAll = Callable[[list[Trial]], Generator[tuple[Trial, R], None, None]]
"""Plays trials and yields each with its result as it ends; a trial that is repeated is yielded again."""


def carried_out(trials: Sequence[Trial], store: Store[R], play_all: PlayAll[R], watcher: Watcher[R]) -> dict[Trial, R]:
    """Play the trials that have no result yet, store each result as it arrives, and return the results of all trials."""
    results = dict(store.known(trials))
    left = [trial for trial in trials if trial not in results]
    watcher.begun(len(trials), len(trials) - len(left))
    with closing(play_all(left)) as ended:
        for trial, result in ended:
            results[trial] = store.keep(trial, result)
            watcher.ended(trial, results[trial])
    return results

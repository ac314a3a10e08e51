"""A campaign: many trials, of which those that have a result already are not played again. Evaluations and data sets are made by it."""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import Generic, Protocol, TypeVar

from vlm_bench_tasks.trial import Trial

R = TypeVar('R')
W = TypeVar('W', contravariant=True)


class Store(Protocol[R]):
    """Where the results of a campaign are kept, each as it comes, so that none is lost when it is interrupted."""

    def known(self, trials: Sequence[Trial]) -> dict[Trial, R]:
        """Return what came of those that need not be played again."""

    def keep(self, trial: Trial, result: R) -> R:
        """Keep a result, and return it as it stands now."""


class Watcher(Generic[W]):
    """Is told how a campaign goes; this one takes no notice."""

    def begun(self, total: int, known: int) -> None:
        """See it begin, with so many trials, so many of which an earlier run has played."""

    def whole(self) -> None:
        """See that what is to be made is there as a whole, so that nothing is played."""

    def ended(self, trial: Trial, result: W) -> None:
        """See a trial end."""

    def seconds(self) -> float:
        """Return the wall-clock time that it has taken so far; 0 where nobody looks at a clock."""
        return 0.0


PlayAll = Callable[[list[Trial]], Generator[tuple[Trial, R], None, None]]
"""Plays trials and yields each with its result as it ends; one that is played once more is yielded again."""


def carried_out(trials: Sequence[Trial], store: Store[R], play_all: PlayAll[R], watcher: Watcher[R]) -> dict[Trial, R]:
    """Play the trials that have no result yet, keep each result as it comes, and return all of them."""
    results = dict(store.known(trials))
    left = [trial for trial in trials if trial not in results]
    watcher.begun(len(trials), len(trials) - len(left))
    with closing(play_all(left)) as ended:
        for trial, result in ended:
            results[trial] = store.keep(trial, result)
            watcher.ended(trial, results[trial])
    return results

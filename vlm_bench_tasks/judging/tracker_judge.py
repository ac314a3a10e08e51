"""The judge of an episode in which nothing sees contacts: it believes what follows from both answers to where poses cannot tell."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from vlm_bench_sim.core.codes import EventKind, Verdict
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.judging.fold import Fold, Limits
from vlm_bench_tasks.judging.monitor import Monitor
from vlm_bench_tasks.judging.report import Event, Report


class ContactGuess(Protocol):
    """Tells contacts and the grasp from poses and joints, such as `motion.contact_estimator.ContactEstimator`."""

    def estimate(self, now: Snapshot) -> Sequence[tuple[Snapshot, Snapshot]]:
        """Take the next snapshot; return each that is known now, with the contacts and the grasp that there surely and possibly are.

        If poses need hindsight, these are snapshots from before.
        """
        ...


class TrackerJudge(Fold):
    """Judges one episode by poses. Two monitors see it, one with the contacts that surely are, one with those that possibly are.

    A verdict is final once both have it. If they end with different ones, the episode is unobservable, and the cause names the clauses
    about which they differ.

    Args:
        goal: of the episode.
        limits: of the episode.
        guess: tells the contacts.
    """

    def __init__(self, goal: Goal, limits: Limits, *, guess: ContactGuess) -> None:
        super().__init__(limits)
        self._guess = guess
        self._sure, self._possible = Monitor(goal, limits), Monitor(goal, limits)

    @property
    def answers(self) -> tuple[Report, Report]:
        """The reports of both monitors: with the contacts that surely are, and with those that possibly are."""
        return self._sure.report, self._possible.report

    def wants_time(self) -> bool:
        """Return whether either answer needs more time."""
        return not self._decided and (self._sure.wants_time() or self._possible.wants_time())

    def _see(self, now: Snapshot) -> None:
        for sure, possible in [(now, now)] if now.contacts else self._guess.estimate(now):
            self._sure.observe(sure)
            self._possible.observe(possible)
            self._compare()

    def _take(self, event: Event) -> None:
        if event.kind is not EventKind.STOP:  # what ends an episode must not wait for poses that may never come
            super()._take(event)
            return
        self._sure.event(event)
        self._possible.event(event)
        self._compare()

    def _compare(self) -> None:
        sure, possible, told = self._sure.report, self._possible.report, self._report
        verdict, causes = Verdict.RUNNING, tuple[str, ...]()
        if Verdict.RUNNING not in (sure.verdict, possible.verdict):
            same = sure.verdict is possible.verdict
            verdict = sure.verdict if same else Verdict.UNOBSERVABLE
            causes = sure.causes if same else (f'poses cannot tell: {_differ(sure, possible)}',)
        self._report = replace(
            told, verdict=verdict, causes=causes, progress=sure.progress, score=sure.score, reward=sure.reward, leaves=sure.leaves
        )


def _differ(sure: Report, possible: Report) -> str:
    """Return what two verdicts differ about, in words."""
    leaves = [one.words for one, other in zip(sure.leaves, possible.leaves, strict=True) if one.holds != other.holds]
    causes = [cause for one, other in ((sure, possible), (possible, sure)) for cause in one.causes if cause not in other.causes]
    return '; '.join(dict.fromkeys((*leaves, *causes))) or 'when the goal held'

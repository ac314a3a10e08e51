"""The course of an episode, period by period: progress, clauses of the goal, and what the robot touches and holds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.shapes import spoken
from vlm_bench_sim.core.snapshot import ROBOT, Snapshot
from vlm_bench_tasks.judging.report import Report

K = TypeVar('K')

MOST_PERIODS = 100_000
"""Control periods of an episode that are followed: whoever says that there are more is not believed."""

_DIGITS = 4


@dataclass
class Spans:
    """The periods in which something held, as [first, last]."""

    found: list[list[int]] = field(default_factory=list)

    def see(self, seq: int, before: int) -> None:
        """Add a period; `before` is the one that was seen before it."""
        if self.found and self.found[-1][1] >= before:
            self.found[-1][1] = seq
        else:
            self.found.append([seq, seq])


class Course:
    """Follows an episode. Periods that were not seen are taken as the one before."""

    def __init__(self) -> None:
        self._moved = -1  # newest period whose state was seen
        self._progress: list[float] = []
        self._reward: list[float] = []
        self._clauses: list[str] = []
        self._holds: dict[int, Spans] = {}
        self._touched: dict[str, Spans] = {}
        self._held: dict[str, Spans] = {}

    @property
    def periods(self) -> int:
        """Number of control periods so far."""
        return len(self._progress)

    def judged(self, report: Report) -> None:
        """Process the report up to a period; one of a period that is over changes nothing."""
        before = self.periods - 1
        if not before < report.seq < MOST_PERIODS:
            return
        for values, now in ((self._progress, report.progress), (self._reward, report.reward)):
            values.extend([values[-1] if values else 0.0] * (report.seq - len(values)))
            values.append(round(now, _DIGITS))
        self._clauses = [leaf.words for leaf in report.leaves] or self._clauses
        for index, leaf in enumerate(report.leaves):
            if leaf.holds:
                self._holds.setdefault(index, Spans()).see(report.seq, before)

    def concluded(self, report: Report) -> None:
        """Process what is said of the newest period after it: a person has judged it."""
        if not self.periods:
            return
        self._progress[-1], self._reward[-1] = round(report.progress, _DIGITS), round(report.reward, _DIGITS)
        self._clauses = [leaf.words for leaf in report.leaves] or self._clauses
        for index, leaf in enumerate(report.leaves):
            if leaf.holds:
                self._holds.setdefault(index, Spans()).see(self.periods - 1, self.periods - 1)

    def moved(self, now: Snapshot) -> None:
        """Process the state of a period."""
        before, self._moved = self._moved, now.seq
        for one, other in now.touching if now.contacts else ():
            if ROBOT in (one, other):
                self._touched.setdefault(other if one == ROBOT else one, Spans()).see(now.seq, before)
        if now.contacts and now.held:
            self._held.setdefault(now.held, Spans()).see(now.seq, before)

    def told(self, report: Report, scene: Scene | None) -> dict[str, Any]:
        """Return it as JSON types.

        Args:
            report: the newest.
            scene: gives things their words; None: they have their names.
        """
        clauses = [
            {'words': words, 'holds': _found(self._holds, index), 'at_end': _at_end(report, index)}
            for index, words in enumerate(self._clauses)
        ]
        return {
            'periods': self.periods, 'progress': list(self._progress), 'reward': list(self._reward), 'clauses': clauses,
            'things': self._things(scene),
        }  # fmt: skip

    def _things(self, scene: Scene | None) -> list[dict[str, Any]]:
        """Return what the robot touched and held, in the order in which it first did."""
        words = {prop.name: f'{prop.color.name} {spoken(prop.kind)}' for prop in scene.props} if scene else {}
        rows = [
            {'words': words.get(name, name), 'touched': _found(self._touched, name), 'held': _found(self._held, name)}
            for name in {**self._touched, **self._held}
        ]
        return sorted(rows, key=lambda row: (min(span[0] for span in (*row['touched'], *row['held'])), row['words']))


def _at_end(report: Report, index: int) -> bool:
    return index < len(report.leaves) and report.leaves[index].holds


def _found(of: Mapping[K, Spans], name: K) -> list[list[int]]:
    return [list(span) for span in of[name].found] if name in of else []

"""The monitor: a pure fold of snapshots and events into a report. The same stream gives the same report, live or from a bag."""

from collections.abc import Iterable
from dataclasses import replace
from math import isfinite

import numpy as np

from vlm_bench_sim.core.codec import unfit
from vlm_bench_sim.core.codes import EventKind, Verdict
from vlm_bench_sim.core.rest import REST
from vlm_bench_sim.core.snapshot import Body, JointState, Snapshot
from vlm_bench_sim.core.timing import PERIOD_S, seconds_to_periods
from vlm_bench_tasks.goals.base import Goal, Leaf
from vlm_bench_tasks.goals.logic import AtEnd, Held, Once
from vlm_bench_tasks.judging.fold import Fold, Limits
from vlm_bench_tasks.judging.report import Event, LeafReport, Report, score
from vlm_bench_tasks.judging.watch import Timer, Watch, watch

__all__ = ['Limits', 'Monitor', 'judge']

DWELL_S = 0.5
STOP_WATCH = seconds_to_periods(2.5)
"""Control periods for which the goal is watched after the policy has stopped."""


class Monitor(Fold):
    """Judges one episode from snapshots of the props."""

    def __init__(self, goal: Goal, limits: Limits) -> None:
        super().__init__(limits)
        self._goal = goal
        self._at_end = isinstance(goal, AtEnd)
        self._dwells = not isinstance(goal.goal if isinstance(goal, AtEnd) else goal, (Held, Once))
        self._names, self._joints = tuple(prop.name for prop in goal.props()), goal.joints()
        self._watch: Watch | None = None
        self._dwell = Timer(DWELL_S)
        self._steps = 0  # steps missing at the start
        self._stop_seq: int | None = None
        self._before: dict[str, Body] = {}

    def wants_time(self) -> bool:
        """Return whether the verdict needs more time: a dwell has begun, the policy has stopped, or an event waits for its period.

        A goal `AtEnd` needs none for a dwell before the end.
        """
        if self._decided or self._watch is None:
            return False
        dwelling = not self._at_end and (self._watch.holds or self._watch.pending)
        return dwelling or self._stop_seq is not None or bool(self._waiting)

    def _blind(self, now: Snapshot) -> str:
        """Return what the goal needs and the snapshot lacks: a missing sensor must not look like a failure of the robot."""
        if self._watch is None and (wrong := unfit(self._goal)):
            return f'the goal cannot be judged: {wrong}'
        unseen = [name for name in self._names if name not in now.bodies or not _finite(now.bodies[name])]
        if unseen:
            return f'snapshot {now.seq} holds no pose of {", ".join(unseen)}'
        unseen = [name for name in self._joints if name not in now.mechanisms or not isfinite(now.mechanisms[name].position)]
        if unseen:
            return f'snapshots lack the joint position of {", ".join(unseen)}'
        unseen = [name for name in self._goal.matter() if name not in now.beads and name not in now.dirt]
        if unseen:
            return f'snapshots lack the beads or dirt of {", ".join(unseen)}'
        unplaced = [name for name in self._goal.matter() if name in now.beads and not np.isfinite(now.beads[name]).all()]
        if unplaced:
            return f'snapshot {now.seq} holds beads of {", ".join(unplaced)} that are nowhere'
        touchy = [leaf.words() for leaf in self._goal.leaves() if leaf.NEEDS_CONTACTS] if not now.contacts else []
        return f'snapshots lack contacts, and this clause needs them: {touchy[0]}' if touchy else ''

    def _see(self, now: Snapshot) -> None:
        first = self._watch is None
        self._watch = self._watch or watch(self._goal, now)
        self._watch.see(now)
        self._steps = self._watch.lacks if first else self._steps
        self._describe(self._watch, now)
        self._judge(self._watch, now)
        self._before = {name: now.body(name) for name in self._names}

    def _describe(self, seen: Watch, now: Snapshot) -> None:
        self._report = replace(
            self._report,
            progress=seen.made / seen.total if seen.total else float(seen.holds),
            score=score(seen.lacks, self._steps),
            reward=0.0 if seen.broken else seen.reward,
            leaves=tuple(self._leaves(seen, now)),
        )

    def _leaves(self, seen: Watch, now: Snapshot) -> list[LeafReport]:
        return [
            LeafReport(clause.words(), holds, clause.distance(now, seen.start) if isinstance(clause, Leaf) and not holds else 0.0)
            for clause, holds in seen.clauses(now)
        ]

    def _judge(self, seen: Watch, now: Snapshot) -> None:
        if seen.broken:
            self._decide(Verdict.FAILURE, f'broken: {seen.broken}')
            return
        over = self._limits.passed(now)
        if not over and self._stop_seq is not None and now.seq - self._stop_seq >= STOP_WATCH:
            over = 'stopped'
        if self._achieved(seen, now) and (over or not self._at_end):
            self._decide(Verdict.SUCCESS)
        elif over:
            self._decide(Verdict.FAILURE, over, self._though_true(seen, now))

    def _achieved(self, seen: Watch, now: Snapshot) -> bool:
        if not self._dwells:
            return seen.holds
        return self._dwell.run(now, on=seen.holds and not self._moving(now))

    def _though_true(self, seen: Watch, now: Snapshot) -> str:
        """Return what is missing for success although every clause is true; '' if a clause is false."""
        if not seen.holds:
            lasts = seen.pending and self._goal.holds(now, seen.start)
            return f'every clause is true, but not for as long as asked: {self._goal.words()}' if lasts else ''
        moving = ', '.join(self._moving(now))
        lacks = f'{moving} did not come to rest' if moving else f'not for {DWELL_S:g} s at rest'
        return f'every clause is true, but {lacks}'

    def _moving(self, now: Snapshot) -> list[str]:
        props = [name for name in self._names if not self._rests(name, now)]
        return props + [name for name in self._joints if not _stands(now.joint(name))]

    def _rests(self, name: str, now: Snapshot) -> bool:
        return REST.lies_still(now.body(name), self._before.get(name), PERIOD_S)

    def _take(self, event: Event) -> None:
        if event.kind is EventKind.STOP:
            self._stop_seq = event.seq if self._stop_seq is None else min(self._stop_seq, event.seq)
        else:
            super()._take(event)


def judge(goal: Goal, limits: Limits, snapshots: Iterable[Snapshot], events: Iterable[Event] = ()) -> Report:
    """Return the report of a recorded stream: snapshots and events in order of their numbers."""
    monitor = Monitor(goal, limits)
    for event in events:
        monitor.event(event)
    for snapshot in snapshots:
        monitor.observe(snapshot)
    return monitor.report


def _stands(joint: JointState) -> bool:
    return abs(joint.velocity) < REST.linear  # rad/s for a door: the same number as for a drawer


def _finite(body: Body) -> bool:
    return isfinite(sum((*body.pose.position, *body.pose.orientation, *body.linear, *body.angular)))  # any inf or nan spreads to the sum

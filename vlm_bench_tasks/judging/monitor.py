"""The monitor: a pure fold of snapshots and events into a report. The same stream gives the same report, live or from a bag."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import isfinite

import numpy as np

from vlm_bench_sim.core.snapshot import Body, Snapshot
from vlm_bench_sim.core.timing import PHYSICS_HZ, seconds_to_periods
from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.goals.logic import Held, Once
from vlm_bench_tasks.judging.report import Event, EventKind, LeafReport, Report, Verdict
from vlm_bench_tasks.judging.watch import Timer, Watch, watch

DWELL_S = 0.5
STOP_WATCH_S = 2.5
REST_LINEAR = 0.005  # m/s
REST_ANGULAR = 0.05  # rad/s


@dataclass(frozen=True)
class Limits:
    """When an episode is over: simulated `seconds`, and control periods (`steps`; 0: no such limit)."""

    seconds: float
    steps: int = 0


class Monitor:
    """Judges one episode.

    Snapshots come in order of their numbers, from 0. An event counts after the snapshot of its number; one that lies ahead waits for it.
    Once the verdict has fallen nothing changes the report.
    """

    def __init__(self, goal: Goal, limits: Limits) -> None:
        self._goal = goal
        self._limits = limits
        self._names = tuple(prop.name for prop in goal.props())
        self._watch: Watch | None = None
        self._last: Snapshot | None = None
        self._dwell = Timer(DWELL_S)
        self._waiting: list[Event] = []
        self._stop_seq: int | None = None
        self._report = Report()

    @property
    def report(self) -> Report:
        """The judgement so far."""
        return self._report

    def observe(self, now: Snapshot) -> Report:
        """Take in the next snapshot."""
        if self._decided:
            return self._report
        fault = self._gap(now) or self._blind(now)
        if fault:
            return self._decide(Verdict.UNOBSERVABLE, fault)
        self._last = now
        self._watch = self._watch or watch(self._goal, now)
        self._watch.see(now)
        self._describe(self._watch, now)
        self._judge(self._watch, now)
        due = [event for event in self._waiting if event.seq <= now.seq]
        self._waiting = [event for event in self._waiting if event.seq > now.seq]
        for event in due:
            self._take(event)
        return self._report

    def event(self, event: Event) -> Report:
        """Take in an event, now or when the snapshot of its number has come."""
        if self._last is None or event.seq > self._last.seq:
            self._waiting.append(event)
        else:
            self._take(event)
        return self._report

    def wants_time(self) -> bool:
        """Tell whether time must pass before the verdict can fall: a dwell has begun, the policy has stopped, or an event lies ahead."""
        if self._decided or self._watch is None:
            return False
        return self._watch.holds or self._watch.pending or self._stop_seq is not None or bool(self._waiting)

    @property
    def _decided(self) -> bool:
        return self._report.verdict is not Verdict.RUNNING

    def _gap(self, now: Snapshot) -> str:
        expected = 0 if self._last is None else self._last.seq + 1
        return '' if now.seq == expected else f'snapshot {expected} was expected and {now.seq} came'

    def _blind(self, now: Snapshot) -> str:
        """Say which prop of the goal was not seen: a missing sensor must never look like a robot that failed."""
        unseen = [name for name in self._names if name not in now.bodies or not _finite(now.bodies[name])]
        return f'snapshot {now.seq} holds no pose of {", ".join(unseen)}' if unseen else ''

    def _describe(self, seen: Watch, now: Snapshot) -> None:
        self._report = replace(
            self._report,
            seq=now.seq,
            sim_seconds=now.step / PHYSICS_HZ,
            progress=seen.made / seen.total if seen.total else float(seen.holds),
            reward=0.0 if seen.broken else seen.reward,
            leaves=tuple(self._leaves(seen.start, now)),
        )

    def _leaves(self, start: Snapshot, now: Snapshot) -> list[LeafReport]:
        leaves = [(leaf, leaf.holds(now, start)) for leaf in self._goal.leaves()]
        return [LeafReport(leaf.words(), holds, 0.0 if holds else leaf.distance(now, start)) for leaf, holds in leaves]

    def _judge(self, seen: Watch, now: Snapshot) -> None:
        if seen.broken:
            self._decide(Verdict.FAILURE, f'broken: {seen.broken}')
        elif self._achieved(seen, now):
            self._decide(Verdict.SUCCESS)
        elif now.step >= self._limits.seconds * PHYSICS_HZ:
            self._decide(Verdict.FAILURE, 'time_limit')
        elif 0 < self._limits.steps <= now.seq:
            self._decide(Verdict.FAILURE, 'step_limit')
        elif self._stop_seq is not None and now.seq - self._stop_seq >= seconds_to_periods(STOP_WATCH_S):
            self._decide(Verdict.FAILURE, 'stopped')

    def _achieved(self, seen: Watch, now: Snapshot) -> bool:
        if isinstance(self._goal, (Held, Once)):
            return seen.holds
        return self._dwell.run(now, on=seen.holds and all(_rests(now.body(name)) for name in self._names))

    def _take(self, event: Event) -> None:
        if self._decided:
            return
        if event.kind is EventKind.STOP:
            self._stop_seq = event.seq if self._stop_seq is None else min(self._stop_seq, event.seq)
        elif event.kind is EventKind.POLICY_TIMEOUT:
            self._decide(Verdict.FAILURE, 'policy_timeout', event.text)
        elif event.kind is EventKind.ABANDONED:
            self._decide(Verdict.FAILURE, 'abandoned', event.text)
        elif event.kind is EventKind.FAULT:
            self._decide(Verdict.UNOBSERVABLE, event.text or f'fault in {event.source}')
        elif event.kind is EventKind.VIOLATION:
            self._report = replace(self._report, violations=self._report.violations + 1)
        elif event.kind is EventKind.ASSISTANCE and event.text not in self._report.assistance:
            self._report = replace(self._report, assistance=tuple(sorted((*self._report.assistance, event.text))))

    def _decide(self, verdict: Verdict, *causes: str) -> Report:
        self._report = replace(self._report, verdict=verdict, causes=tuple(cause for cause in causes if cause))
        return self._report


def judge(goal: Goal, limits: Limits, snapshots: Iterable[Snapshot], events: Iterable[Event] = ()) -> Report:
    """Return the report of a recorded stream: snapshots and events in order of their numbers."""
    monitor = Monitor(goal, limits)
    for event in events:
        monitor.event(event)
    for snapshot in snapshots:
        monitor.observe(snapshot)
    return monitor.report


def _rests(body: Body) -> bool:
    return bool(np.linalg.norm(body.linear) < REST_LINEAR and np.linalg.norm(body.angular) < REST_ANGULAR)


def _finite(body: Body) -> bool:
    return all(isfinite(v) for v in (*body.pose.position, *body.pose.orientation, *body.linear, *body.angular))

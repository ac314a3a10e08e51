"""Base class of all judges: it takes snapshots and events in order, and keeps the report."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace

from vlm_bench_sim.core.codes import EventKind, Verdict
from vlm_bench_sim.core.errors import Unobservable
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import PHYSICS_HZ
from vlm_bench_tasks.judging.asking import asking
from vlm_bench_tasks.judging.report import Event, Report


@dataclass(frozen=True)
class Limits:
    """Limits of an episode: simulated `seconds`, and control periods (`steps`; 0: no limit)."""

    seconds: float
    steps: int = 0

    def passed(self, now: Snapshot) -> str:
        """Return the name of the limit that has been reached; '' if none has."""
        if now.step >= self.seconds * PHYSICS_HZ:
            return 'time_limit'
        return 'step_limit' if 0 < self.steps <= now.seq else ''


class Fold(ABC):
    """A fold over one episode.

    Snapshots arrive in order of their numbers, from 0. An event counts after the snapshot with its number, and waits for it if necessary.
    Once the verdict is final the report does not change. If the goal raises, the verdict is unobservable, with that cause.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._last: Snapshot | None = None
        self._waiting: list[Event] = []
        self._report = Report()

    @property
    def report(self) -> Report:
        """The report so far."""
        return self._report

    def observe(self, now: Snapshot) -> Report:
        """Process the next snapshot and return the report."""
        return self._report if self._decided else self._tried(lambda: self._follow(now))

    def event(self, event: Event) -> Report:
        """Process an event, now or once the snapshot with its number has arrived, and return the report."""
        return self._tried(lambda: self._hear_of(event))

    @property
    def begun(self) -> bool:
        """True once a snapshot has been processed. No event counts before that."""
        return self._last is not None

    def give_up(self, cause: str) -> Report:
        """End the episode as unobservable, because no further snapshot will arrive."""
        if not self._decided:
            self._decide(Verdict.UNOBSERVABLE, cause)
        return self._report

    def _tried(self, take: Callable[[], object]) -> Report:
        try:
            with asking():
                take()
        except Unobservable as error:
            self._decide(Verdict.UNOBSERVABLE, str(error))
        return self._report

    def _follow(self, now: Snapshot) -> None:
        fault = self._gap(now) or self._blind(now)
        if fault:
            self._decide(Verdict.UNOBSERVABLE, fault)
            return
        self._last = now
        if self._sees:
            self._report = replace(self._report, seq=now.seq, sim_seconds=now.step / PHYSICS_HZ)
            self._see(now)
        due = [event for event in self._waiting if event.seq <= now.seq]
        self._waiting = [event for event in self._waiting if event.seq > now.seq]
        for event in due:
            self._count(event)

    def _hear_of(self, event: Event) -> None:
        if self._last is None or event.seq > self._last.seq:
            self._waiting.append(event)
        else:
            self._count(event)

    @abstractmethod
    def wants_time(self) -> bool:
        """Return whether the verdict needs more simulated time."""

    @abstractmethod
    def _see(self, now: Snapshot) -> None:
        """Judge a snapshot."""

    @property
    def _sees(self) -> bool:
        """True while snapshots can change the report."""
        return True

    def _blind(self, _now: Snapshot) -> str:
        """Return what this judge needs and the snapshot lacks; '' if nothing."""
        return ''

    @property
    def _decided(self) -> bool:
        return self._report.verdict is not Verdict.RUNNING

    def _gap(self, now: Snapshot) -> str:
        expected = 0 if self._last is None else self._last.seq + 1
        return '' if now.seq == expected else f'snapshot {expected} was expected and {now.seq} came'

    def _count(self, event: Event) -> None:
        if not self._decided:
            self._take(event)

    def _take(self, event: Event) -> None:
        if event.kind is EventKind.POLICY_TIMEOUT:
            self._decide(Verdict.FAILURE, 'policy_timeout', event.text)
        elif event.kind is EventKind.POLICY_FAULT:
            self._decide(Verdict.FAILURE, event.text or 'policy_raised')
        elif event.kind is EventKind.ABANDONED:
            self._decide(Verdict.FAILURE, 'abandoned', event.text)
        elif event.kind is EventKind.FAULT:
            self._decide(Verdict.UNOBSERVABLE, event.text or f'fault in {event.source}')
        elif event.kind is EventKind.VIOLATION:
            self._report = replace(self._report, violations=self._report.violations + 1)
        elif event.kind is EventKind.DROPPED:
            self._report = replace(self._report, drops=self._report.drops + 1)
        elif event.kind is EventKind.ASSISTANCE and event.text not in self._report.assistance:
            self._report = replace(self._report, assistance=tuple(sorted((*self._report.assistance, event.text))))

    def _decide(self, verdict: Verdict, *causes: str) -> None:
        self._report = replace(self._report, verdict=verdict, causes=tuple(cause for cause in causes if cause))


class Unjudgeable(Fold):
    """Judge of an episode that cannot be judged. It is unobservable from the start.

    Args:
        cause: the reason.
    """

    def __init__(self, cause: str) -> None:
        super().__init__(Limits(0.0))
        self._decide(Verdict.UNOBSERVABLE, cause)

    def wants_time(self) -> bool:
        """Return False: the verdict is final."""
        return False

    def _see(self, now: Snapshot) -> None:
        """Ignore the snapshot: the verdict is final."""

"""One episode on a bench, a control period at a time: laid out, shown, judged. Who acts in it, and when, is the caller's affair."""

from collections.abc import Callable
from typing import Protocol

from vlm_bench_sim.core.codes import EventKind, Verdict
from vlm_bench_sim.core.errors import Unobservable
from vlm_bench_sim.core.looks import Look
from vlm_bench_sim.core.perturbation import SeededPerturbation
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot, state_hash
from vlm_bench_sim.core.unsteady import UnsteadyWorld
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.judging.cues import Markers
from vlm_bench_tasks.judging.fold import Limits
from vlm_bench_tasks.judging.judges import TRUTH, judge_for
from vlm_bench_tasks.judging.report import Event, Report


class Observer(Protocol):
    """Watches an episode, such as a recorder does."""

    def period(self, snapshot: Snapshot) -> None:
        """See one control period; the first is that of the settled scene."""
        ...

    def event(self, event: Event) -> None:
        """See an event, after the period of its number."""
        ...


class Drawing(Protocol):
    """What draws a scene."""

    def dress(self, looks: dict[str, Look]) -> None:
        """Change how props look."""
        ...


class Table(Protocol):
    """What an episode is played on, such as a bench of `run`."""

    @property
    def renderer(self) -> Drawing | None:
        """What draws it; None without cameras."""
        ...

    def lay_out(self, scene: Scene, perturbation: SeededPerturbation, *, tell: Callable[[EventKind, str], None]) -> UnsteadyWorld:
        """Lay out a scene, in pictures too, and return the world that commands are given to; `tell` is told what no snapshot shows."""
        ...


class Play:
    """An episode that is laid out on a table when this is made, and begins with `begin`.

    Args:
        table: to play on.
        episode: to play.
        observers: see every period and event.

    Attributes:
        world: to give commands to.
        hashes: state hash of each control period so far.
    """

    def __init__(self, table: Table, episode: Episode, *observers: Observer) -> None:
        self._table, self._observers = table, observers
        self._monitor = judge_for(TRUTH, episode.goal, Limits(episode.horizon, episode.step_limit))
        self._markers, self._looks = Markers(episode.cues), dict[str, Look]()
        self.hashes: list[str] = []
        self.world = table.lay_out(episode.scene, episode.seeded_perturbation, tell=self.event)

    @property
    def report(self) -> Report:
        """The judgement so far."""
        return self._monitor.report

    @property
    def over(self) -> bool:
        """True once the verdict has fallen."""
        return self.report.verdict is not Verdict.RUNNING

    def wants_time(self) -> bool:
        """Tell whether time must pass before the verdict can fall, though nobody moves."""
        return self._monitor.wants_time()

    def begin(self) -> None:
        """Show the scene as it has settled."""
        self._observe(self.world.snapshot)

    def step(self) -> None:
        """Let a control period pass."""
        self._observe(self.world.step())

    def event(self, kind: EventKind, text: str) -> None:
        """Tell of something that no snapshot shows."""
        event = Event(self.world.snapshot.seq, kind, 'run', text)
        self._monitor.event(event)
        for observer in self._observers:
            observer.event(event)

    def _observe(self, snapshot: Snapshot) -> None:
        if self._table.renderer:
            self._table.renderer.dress(self._looks)
        self._looks, fault = self._next_looks(snapshot)  # seen with the next period: cues are applied between two
        self._monitor.observe(snapshot)
        self.hashes.append(state_hash(snapshot))
        for observer in self._observers:
            observer.period(snapshot)
        if fault:
            self.event(EventKind.FAULT, fault)

    def _next_looks(self, snapshot: Snapshot) -> tuple[dict[str, Look], str]:
        """Return the looks that change after a snapshot, and why nobody can say them."""
        try:
            return self._markers.see(snapshot), ''
        except Unobservable as error:
            return {}, str(error)

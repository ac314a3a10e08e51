"""One episode on a bench, one control period at a time: load the scene, show it, judge it. The caller decides who acts and when."""

from collections.abc import Callable
from typing import Protocol

from vlm_bench_sim.core.codes import EventKind, Verdict
from vlm_bench_sim.core.errors import Unobservable
from vlm_bench_sim.core.looks import Look
from vlm_bench_sim.core.perturbation import SeededPerturbation
from vlm_bench_sim.core.protocols import World
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot, state_hash
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.judging.cues import Markers
from vlm_bench_tasks.judging.fold import Limits
from vlm_bench_tasks.judging.judges import TRUTH, judge_for
from vlm_bench_tasks.judging.report import Event, Report


class Observer(Protocol):
    """Interface of everything that watches an episode, such as a recorder."""

    def period(self, snapshot: Snapshot) -> None:
        """Receive the snapshot of one control period. The first one shows the settled scene."""
        ...

    def event(self, event: Event) -> None:
        """Receive an event, after the control period with its number."""
        ...


class Drawing(Protocol):
    """Interface of what draws a scene."""

    def dress(self, looks: dict[str, Look]) -> None:
        """Change the looks of props, by name."""
        ...


class Table(Protocol):
    """Interface of what an episode is played on, such as `run.Bench`."""

    @property
    def renderer(self) -> Drawing | None:
        """The renderer; None without cameras."""
        ...

    def lay_out(self, scene: Scene, perturbation: SeededPerturbation, *, tell: Callable[[EventKind, str], None]) -> World:
        """Load a scene and return the world that takes commands. `tell` is called for each event that snapshots do not show."""
        ...


class Play:
    """An episode on a table. The constructor loads the scene, and `begin` starts the episode.

    Args:
        table: the table to play on.
        episode: the episode to play.
        observers: receive every control period and event.
        assisted: returns the world that takes the commands, for aids that act on the robot.

    Attributes:
        world: the world that takes commands.
        hashes: state hash of each control period so far.
        rewards: dense reward of each control period so far, 0…1.
    """

    def __init__(
        self, table: Table, episode: Episode, *observers: Observer, assisted: Callable[[World], World] = lambda world: world
    ) -> None:
        self._table, self._observers = table, observers
        self._monitor = judge_for(TRUTH, episode.goal, Limits(episode.horizon, episode.step_limit))
        self._markers, self._looks = Markers(episode.cues), dict[str, Look]()
        self.hashes: list[str] = []
        self.rewards: list[float] = []
        self.world = assisted(table.lay_out(episode.scene, episode.seeded_perturbation, tell=self.event))

    @property
    def report(self) -> Report:
        """The judge's report so far."""
        return self._monitor.report

    @property
    def over(self) -> bool:
        """True once the verdict is final."""
        return self.report.verdict is not Verdict.RUNNING

    def wants_time(self) -> bool:
        """Return whether the verdict needs more simulated time, even if no command runs."""
        return self._monitor.wants_time()

    def begin(self) -> None:
        """Show the settled scene to the judge and the observers."""
        self._observe(self.world.snapshot)

    def step(self) -> None:
        """Step the world by one control period."""
        self._observe(self.world.step())

    def event(self, kind: EventKind, text: str) -> None:
        """Pass an event that snapshots do not show to the judge and the observers."""
        event = Event(self.world.snapshot.seq, kind, 'run', text)
        self._monitor.event(event)
        for observer in self._observers:
            observer.event(event)

    def _observe(self, snapshot: Snapshot) -> None:
        if self._table.renderer:
            self._table.renderer.dress(self._looks)
        self._looks, fault = self._next_looks(snapshot)  # visible from the next period on: cues change between two periods
        self._monitor.observe(snapshot)
        self.hashes.append(state_hash(snapshot))
        self.rewards.append(self.report.reward)
        for observer in self._observers:
            observer.period(snapshot)
        if fault:
            self.event(EventKind.FAULT, fault)

    def _next_looks(self, snapshot: Snapshot) -> tuple[dict[str, Look], str]:
        """Return the looks that change after a snapshot, and the reason if they cannot be determined."""
        try:
            return self._markers.see(snapshot), ''
        except Unobservable as error:
            return {}, str(error)

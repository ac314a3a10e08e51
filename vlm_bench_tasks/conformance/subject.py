"""The subject of the checks: a task with its episodes and runs."""

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dataset.judge import Judgement, judge
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.episode import Episode, Task
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.run import Bench, Run


@dataclass(frozen=True)
class Case:
    """One episode of the task: split, axis and seed."""

    split: str
    axis: str
    seed: int

    def __str__(self) -> str:
        """Return the case as command-line options."""
        return f'--split {self.split} --axis {self.axis} --seed {self.seed}'


@dataclass
class Subject:
    """A task under test. Episodes are built, and the expert's runs played, once for all checks.

    Attributes:
        name: id of the task; decides from which family's pools it draws.
        task: the task; it need not be in the catalogue.
        seeds: number of episodes to build for each split and axis.
        plays: number of these that each policy plays.
        made: creates the bench for playing when it is needed; None: one with the task's robot.
        watch: called with each episode before it is played.
    """

    name: str
    task: Task
    _: KW_ONLY
    seeds: int = 12
    plays: int = 1
    made: Callable[[], Bench] | None = None
    watch: Callable[[str], None] = lambda _: None
    _episodes: dict[Case, Episode] = field(default_factory=dict, init=False)

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits of its family."""
        return tuple(catalogue.pools(self.name).pools)

    @property
    def cases(self) -> Iterator[Case]:
        """All episodes that are built."""
        return (Case(split, axis, seed) for split in self.splits for axis in self.task.axes for seed in range(self.seeds))

    @property
    def played(self) -> Iterator[Case]:
        """All episodes that are played."""
        return (case for case in self.cases if case.seed < self.plays)

    @cached_property
    def bench(self) -> Bench:
        """The bench for playing."""
        return self.made() if self.made else Bench(self.task.robot or catalogue.family(self.name).robot)

    def episode(self, case: Case) -> Episode:
        """Return an episode, which is built only once."""
        if case not in self._episodes:
            self._episodes[case] = self.build(case)
        return self._episodes[case]

    def build(self, case: Case) -> Episode:
        """Build a new copy of an episode."""
        return catalogue.episode(self.task, self.name, case.split, case.seed, case.axis)

    def play(self, case: Case, by: str) -> Run:
        """Run an episode with one of our policies."""
        self.watch(f'{by} {case}')
        return self.bench.run(self.episode(case), policy(by))

    @cached_property
    def solved(self) -> dict[Case, tuple[Run, Judgement]]:
        """The expert's run of each episode, and the judgement of its bag."""
        return {case: self._recorded(case) for case in self.played}

    def _recorded(self, case: Case) -> tuple[Run, Judgement]:
        self.watch(f'oracle {case}')
        with TemporaryDirectory() as folder:
            recorder = Recorder(self.bench, self.episode(case), folder=Path(folder))
            run = self.bench.run(self.episode(case), policy('oracle'), recorder)
            return run, judge(recorder.close(run.report))

"""What is checked: a task, and the episodes and runs of it that are looked at."""

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
    """One episode of the task that is looked at: split, axis, and a seed."""

    split: str
    axis: str
    seed: int

    def __str__(self) -> str:
        """Return it as a person would ask for it."""
        return f'--split {self.split} --axis {self.axis} --seed {self.seed}'


@dataclass
class Subject:
    """A task under examination. Episodes are built, and the expert's runs played, once for all checks.

    Attributes:
        name: id of the task, which says from which family's pools it draws.
        task: it; it need not stand in the catalogue.
        seeds: how many episodes of each split and axis are built.
        plays: how many of them are played by each policy.
        made: makes the bench that they are played on, once it is needed; None: one with the task's robot.
        watch: told of each episode that is about to be played.
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
        """The splits that its family has."""
        return tuple(catalogue.pools(self.name).pools)

    @property
    def cases(self) -> Iterator[Case]:
        """Every episode that is built."""
        return (Case(split, axis, seed) for split in self.splits for axis in self.task.axes for seed in range(self.seeds))

    @property
    def played(self) -> Iterator[Case]:
        """Every episode that is played."""
        return (case for case in self.cases if case.seed < self.plays)

    @cached_property
    def bench(self) -> Bench:
        """What they are played on."""
        return self.made() if self.made else Bench(self.task.robot or catalogue.family(self.name).robot)

    def episode(self, case: Case) -> Episode:
        """Return an episode, built once."""
        if case not in self._episodes:
            self._episodes[case] = self.build(case)
        return self._episodes[case]

    def build(self, case: Case) -> Episode:
        """Build an episode afresh."""
        return catalogue.episode(self.task, self.name, case.split, case.seed, case.axis)

    def play(self, case: Case, by: str) -> Run:
        """Run an episode with a policy of ours."""
        self.watch(f'{by} {case}')
        return self.bench.run(self.episode(case), policy(by))

    @cached_property
    def solved(self) -> dict[Case, tuple[Run, Judgement]]:
        """What the expert made of each episode, and how its bag was judged again."""
        return {case: self._recorded(case) for case in self.played}

    def _recorded(self, case: Case) -> tuple[Run, Judgement]:
        self.watch(f'oracle {case}')
        with TemporaryDirectory() as folder:
            recorder = Recorder(self.bench, self.episode(case), folder=Path(folder))
            run = self.bench.run(self.episode(case), policy('oracle'), recorder)
            return run, judge(recorder.close(run.report))

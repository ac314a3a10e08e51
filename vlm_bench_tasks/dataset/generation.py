"""What a data set is generated of: the settings that all its episodes share, and the episodes that are wanted, as one file says it."""

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator

from vlm_bench_sim.bags.choice import Choice, read_choice
from vlm_bench_sim.core.errors import ConfigError, SeedError
from vlm_bench_sim.core.timing import periods_between
from vlm_bench_sim.versions import versions
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dataset.shards import WHOLE, Shard
from vlm_bench_tasks.graph import read_size
from vlm_bench_tasks.result import Frozen
from vlm_bench_tasks.trial import Trial
from vlm_bench_tasks.variation.seeds import read_seeds

NO_RENDERER = 'none'


def deciding() -> tuple[str, ...]:
    """Return the versions that decide what an episode comes to; the renderer is that of the machine, and each bag names it."""
    return versions(NO_RENDERER)[:-1]


class Settings(Frozen):
    """What the episodes of a data set have in common.

    Attributes:
        robot: name of the profile; '': each task's own.
        cameras: a camera set, cameras of it, or 'none'; '': those of each task's family.
        width, height: of the pictures, pixels.
        rate: pictures a second of simulated time, one every so many whole control periods.
        topics: that a bag holds, names or globs; none: all.
        leave_out: parts of the names of topics that it does without.
        perturb: what episodes are perturbed by, in the words of `vlm-bench run --perturb`.
        versions: of all that decides what an episode comes to.
    """

    robot: str = ''
    cameras: str = 'none'
    width: int = Field(256, gt=0)
    height: int = Field(256, gt=0)
    rate: float = 10.0
    topics: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()
    perturb: tuple[str, ...] = ()
    versions: tuple[str, ...] = Field(default_factory=deciding)

    @field_validator('rate')
    @classmethod
    def _given(cls, rate: float) -> float:
        periods_between(rate)
        return rate

    @property
    def choice(self) -> Choice:
        """What a bag holds."""
        return Choice(self.topics, self.leave_out, self.rate)


class Wanted(Frozen):
    """Which episodes a data set holds.

    Attributes:
        tasks: ids.
        split: of the pools; '': the first of each task.
        axis: that varies; '': every axis of each task.
        first, stop: seeds from the one to before the other.
        shard: the part of them that this folder holds.
    """

    tasks: tuple[str, ...]
    split: str
    axis: str
    first: int
    stop: int
    shard: Shard = WHOLE

    @property
    def seeds(self) -> range:
        """The seeds of each task and axis."""
        return range(self.first, self.stop)


class Generation(Frozen):
    """All that `generation.json` says."""

    format: Literal[1] = 1
    settings: Settings
    wanted: Wanted

    def trials(self) -> tuple[Trial, ...]:
        """Return the trials of this shard, each once, which the oracle plays; task by task, so that a worker seldom changes its robot."""
        return self.wanted.shard.of(tuple(self._all()))

    def token(self, trial: Trial) -> str:
        """Return what marks a trial in its bag: it differs wherever anything that decides the bag's content does."""
        return trial.token(self.settings.rate, self.settings.topics, self.settings.leave_out, self.settings.versions)

    def _all(self) -> Iterator[Trial]:
        wanted, settings = self.wanted, self.settings
        perturbation = catalogue.perturbation(settings.perturb)
        for task in wanted.tasks:
            split = wanted.split or catalogue.splits(task)[0]
            for axis in (wanted.axis,) if wanted.axis else catalogue.task(task).axes:
                for seed in wanted.seeds:
                    robot = settings.robot or catalogue.task(task).robot
                    yield Trial(
                        task,
                        axis,
                        split,
                        seed,
                        robot,
                        perturbation=perturbation,
                        cameras=settings.cameras or catalogue.cameras(task),
                        width=settings.width,
                        height=settings.height,
                    )

    def check(self) -> str:
        """Check that every episode may be learned from and can be built, and return what the seeds are for.

        Raises:
            TaskError, AxisError: there is no such task, or it does not vary along that axis.
            SplitError: there is no such split.
            SeedError: the seeds are for tests, not among the published ones, or for several things.
        """
        wanted, found = self.wanted, set[str]()
        for task in wanted.tasks:
            split = wanted.split or catalogue.splits(task)[0]
            found.add(catalogue.seeds_to_learn_from(task, split, wanted.seeds))
            catalogue.build(task, split, wanted.first, wanted.axis)
        if len(found) != 1:
            raise SeedError(f'The seeds {wanted.first} to {wanted.stop - 1} are for {" and ".join(sorted(found))}. Name tasks of one kind.')
        return found.pop()


def generation(
    tasks: Iterable[str], seeds: str, *, split: str = '', axis: str = '', shard: Shard = WHOLE, perturb: Iterable[str] = (), **settings: Any
) -> Generation:
    """Return what is asked for in words, most of them as `Settings` and `Wanted` say.

    `seeds` are 'first:stop', a `size` is 'WIDTHxHEIGHT', and `topics` and what to `leave_out` have commas between.

    Raises:
        SeedError, ConfigError: the words name no seeds, no size or no perturbation, or a setting is wrong.
    """
    found = read_seeds(seeds)
    if 'size' in settings:
        settings['width'], settings['height'] = read_size(settings.pop('size'))
    choice = read_choice(settings.pop('topics', ''), settings.pop('leave_out', ''))
    words = tuple(text.split()[0] for text in catalogue.perturbation(perturb).labels)
    try:
        common = Settings(perturb=words, topics=choice.topics, leave_out=choice.leave_out, **settings)
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(f'A data set was asked for with {first["loc"][0]} {first["input"]}: {first["msg"]}. Ask for another.') from error
    wanted = Wanted(tasks=tuple(tasks), split=split, axis=axis, first=found.start, stop=found.stop, shard=shard)
    return Generation(settings=common, wanted=wanted)

"""Description of a data set to generate: the settings common to all episodes, and which episodes it holds. Stored as one file."""

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator

from vlm_bench_sim.bags.choice import Choice, read_choice
from vlm_bench_sim.core.engine import PYBULLET, check
from vlm_bench_sim.core.errors import ConfigError, SeedError
from vlm_bench_sim.core.timing import periods_between
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dataset.shards import WHOLE, Shard
from vlm_bench_tasks.result import Frozen
from vlm_bench_tasks.sizes import read_size
from vlm_bench_tasks.suites import versions_for
from vlm_bench_tasks.trial import Trial
from vlm_bench_tasks.variation.seeds import read_seeds

NO_RENDERER = 'none'


def deciding(engine: str = PYBULLET, **used: Iterable[str]) -> tuple[str, ...]:
    """Return the versions that affect an episode's result, for what is used, as in `suites.versions_for`.

    The renderer depends on the machine and is named in each bag.
    """
    return versions_for(NO_RENDERER, engine, **used)[:-1]


class Settings(Frozen):
    """Settings that all episodes of a data set share.

    Attributes:
        robot: name of the robot profile; '': each task's own.
        cameras: name of a camera set, a list of cameras, or 'none'; '': those of each task's family.
        width, height: size of the pictures, pixels.
        rate: pictures per second of simulated time; the interval is a whole number of control periods.
        topics: topics to record, names or globs; none: all.
        leave_out: topics with one of these parts in their name are not recorded.
        prompt: how the policy is asked, one of `language.pictures.FORMS`; '': the first way of each task.
        engine: of the physics, one of `ENGINES`.
        perturb: perturbations of all episodes, in the words of `vlm-bench run --perturb`.
        versions: versions of everything that affects an episode's result.
    """

    robot: str = ''
    cameras: str = 'none'
    width: int = Field(256, gt=0)
    height: int = Field(256, gt=0)
    rate: float = 10.0
    topics: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()
    prompt: str = ''
    engine: str = PYBULLET
    perturb: tuple[str, ...] = ()
    versions: tuple[str, ...] = Field(default_factory=deciding)

    @field_validator('rate')
    @classmethod
    def _given(cls, rate: float) -> float:
        periods_between(rate)
        return rate

    @property
    def choice(self) -> Choice:
        """The choice of topics that a bag holds."""
        return Choice(self.topics, self.leave_out, self.rate)


class Wanted(Frozen):
    """Which episodes a data set holds.

    Attributes:
        tasks: ids.
        split: split of the asset pools; '': the first one of each task.
        axis: axis of variation; '': every axis of each task.
        first, stop: first seed, and last seed plus one.
        shard: the part of the episodes in this folder.
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
    """The content of `generation.json`."""

    format: Literal[1] = 1
    settings: Settings
    wanted: Wanted

    def trials(self) -> tuple[Trial, ...]:
        """Return the oracle's trials of this shard, without duplicates. Sorted by task, so that workers seldom change the robot."""
        return self.wanted.shard.of(tuple(self._all()))

    def token(self, trial: Trial) -> str:
        """Return an identifier for a trial's bag. It changes with everything that affects the bag's content."""
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
                        prompt=settings.prompt,
                        engine=settings.engine,
                    )

    def check(self) -> str:
        """Check that every episode can be built and may be used for training, and return the purpose of the seeds.

        Raises:
            TaskError, AxisError: the task does not exist, or does not vary along that axis.
            NeedError: the engine lacks what a task needs.
            SplitError: the split does not exist.
            SeedError: the seeds are reserved for tests, not published, or span several purposes.
        """
        wanted, found = self.wanted, set[str]()
        catalogue.check_needs(*wanted.tasks, engine=self.settings.engine)
        for task in wanted.tasks:
            split = wanted.split or catalogue.splits(task)[0]
            found.add(catalogue.seeds_to_learn_from(task, split, wanted.seeds))
            catalogue.build(task, split, wanted.first, wanted.axis, self.settings.prompt)
        if len(found) != 1:
            raise SeedError(f'The seeds {wanted.first} to {wanted.stop - 1} are for {" and ".join(sorted(found))}. Name tasks of one kind.')
        return found.pop()


def generation(
    tasks: Iterable[str], seeds: str, *, split: str = '', axis: str = '', shard: Shard = WHOLE, perturb: Iterable[str] = (), **settings: Any
) -> Generation:
    """Return the description for options in words; most are those of `Settings` and `Wanted`.

    `seeds` is 'first:stop', `size` is 'WIDTHxHEIGHT', and `topics` and `leave_out` are separated by commas.

    Raises:
        SeedError, ConfigError: seeds, size, perturbation or a setting are invalid.
    """
    found = read_seeds(seeds)
    if 'size' in settings:
        settings['width'], settings['height'] = read_size(settings.pop('size'))
    choice = read_choice(settings.pop('topics', ''), settings.pop('leave_out', ''))
    words = tuple(text.split()[0] for text in catalogue.perturbation(perturb).labels)
    engine, tasks = check(settings.pop('engine', PYBULLET)), tuple(tasks)
    robots = [settings.get('robot') or catalogue.task(task).robot for task in tasks]
    cameras = [settings.get('cameras') or catalogue.cameras(task) for task in tasks]
    made = deciding(engine, tasks=tasks, robots=robots, cameras=cameras)
    try:
        common = Settings(engine=engine, versions=made, perturb=words, topics=choice.topics, leave_out=choice.leave_out, **settings)
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(f'A data set cannot have {first["loc"][0]} {first["input"]}: {first["msg"]}. Choose another value.') from error
    wanted = Wanted(tasks=tasks, split=split, axis=axis, first=found.start, stop=found.stop, shard=shard)
    return Generation(settings=common, wanted=wanted)

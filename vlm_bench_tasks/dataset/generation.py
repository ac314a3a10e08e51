"""What a data set is generated of: the settings that all its episodes share, and the episodes that are wanted, as one file says it."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from vlm_bench_sim.bags.choice import Choice, read_choice
from vlm_bench_sim.core.errors import ConfigError, SeedError
from vlm_bench_sim.core.timing import periods_between
from vlm_bench_sim.versions import versions
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dataset.shards import WHOLE, Shard
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.graph import read_size
from vlm_bench_tasks.variation.seeds import read_seeds

NO_RENDERER = 'none'


class Frozen(BaseModel):
    """A value that a file holds; a file with other fields is refused."""

    model_config = ConfigDict(extra='forbid', frozen=True)


def deciding() -> tuple[str, ...]:
    """Return the versions that decide what an episode comes to; the renderer is that of the machine, and each bag names it."""
    return versions(NO_RENDERER)[:-1]


class Settings(Frozen):
    """What the episodes of a data set have in common.

    Attributes:
        robot: name of the profile; '': each task's own.
        cameras: a camera set, cameras of it, or 'none'.
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

    def jobs(self) -> 'tuple[Job, ...]':
        """Return the episodes of this shard, each once; task by task, so that a worker seldom changes its robot."""
        return self.wanted.shard.of(tuple(self._all()))

    def _all(self) -> 'Iterator[Job]':
        wanted = self.wanted
        for task in wanted.tasks:
            split = wanted.split or catalogue.splits(task)[0]
            for axis in (wanted.axis,) if wanted.axis else catalogue.task(task).axes:
                for seed in wanted.seeds:
                    yield Job(task, axis, split, seed, self.settings)

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


@dataclass(frozen=True)
class Job:
    """One episode of a data set, which the oracle plays."""

    task: str
    axis: str
    split: str
    seed: int
    settings: Settings

    @property
    def name(self) -> str:
        """The name of its bag, the same in every run."""
        return re.sub(r'[^A-Za-z0-9_]', '-', f'{self.task}_{self.axis}_{self.split}_{self.seed}')

    @property
    def robot(self) -> str:
        """The robot that plays it."""
        return self.settings.robot or catalogue.task(self.task).robot

    @property
    def token(self) -> str:
        """What marks the episode in its bag: it differs wherever anything that decides the bag's content does."""
        says = [self.task, self.axis, self.split, self.seed, self.robot, catalogue.task(self.task).revision]
        return blake2b(json.dumps([*says, self.settings.model_dump()]).encode(), digest_size=8).hexdigest()

    def episode(self) -> Episode:
        """Build the episode.

        Raises:
            VlmBenchError: it cannot be built.
        """
        built = catalogue.build(self.task, self.split, self.seed, self.axis)
        return catalogue.perturbed(built, catalogue.perturbation(self.settings.perturb))

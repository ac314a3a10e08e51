"""The report of an evaluation: its options, the result of every episode, and the conditions that affect a score. Stored as JSON.

Repeated runs give the same report, except for `circumstances`, which describes the machine's work.
"""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, model_validator

from vlm_bench_sim.core.engine import recorded
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.evaluation.declaration import UNDECLARED, Declaration
from vlm_bench_tasks.evaluation.files import read_whole, write_whole
from vlm_bench_tasks.judging.statistics import Rate
from vlm_bench_tasks.language.pictures import WORDS
from vlm_bench_tasks.result import Frozen, Result
from vlm_bench_tasks.variation.streams import LAST_SEED

MOST_BYTES = 1 << 28
"""Of a file of a report, which takes some 700 for each episode."""
GIVEN = 'given'
"""Argument of a policy that names what it is given right, an aid."""


class GroupScore(Frozen):
    """Summary of the episodes of one task, split and axis, or of several ('' where they differ).

    Attributes:
        episodes: number of observable episodes; rates and means are over these.
        share: success rate, 0…1, with Wilson's 95 % interval from `low` to `high`.
        mean_score: 0…100; None if unknown.
        mean_reward: 0…1; None if unknown.
        mean_sim_seconds: mean simulated time of an episode; None if unknown.
        causes: causes of failure with their counts.
        unobservable: number of further episodes in which the bench was at fault.
    """

    task: str = ''
    axis: str = ''
    split: str = ''
    episodes: int
    successes: int
    share: float
    low: float
    high: float
    mean_score: float | None
    mean_reward: float | None
    mean_sim_seconds: float | None
    causes: dict[str, int] = Field(default_factory=dict)
    violations: int = 0
    drops: int = 0
    unobservable: int = 0

    @property
    def floor(self) -> float:
        """Success rate with unobservable episodes counted as failures, 0…1. A policy cannot raise it by breaking episodes."""
        return Rate(self.successes, self.episodes + self.unobservable).share


class TaskConditions(Frozen):
    """One task as it was played: its revision, robot, limits (simulated s; control periods, 0: none), and how the policy was asked."""

    task: str
    revision: int
    robot: str
    axes: tuple[str, ...]
    splits: tuple[str, ...]
    horizon: float
    step_limit: int
    prompt: str = WORDS


class Conditions(Frozen):
    """All conditions that affect a score, except the policy. Reports with equal conditions are comparable.

    Attributes:
        seeds: first seed, and last seed plus one.
        purpose: range of the seeds: train, validate or test.
        cameras: camera set; `size` of its pictures is WIDTHxHEIGHT in pixels.
        perturbations: each as `name=size unit`.
        assistance: aids of the policy.
        answer_seconds: timeout for each answer of the policy, wall-clock s.
        versions: `name=version` of all that affects a score, including the renderer's name as reported by OpenGL.
    """

    tasks: tuple[TaskConditions, ...]
    seeds: tuple[int, int]
    purpose: str
    cameras: str
    size: str
    perturbations: tuple[str, ...] = ()
    assistance: tuple[str, ...] = ()
    answer_seconds: float
    versions: tuple[str, ...]

    @model_validator(mode='after')
    def _check_parts(self) -> 'Conditions':
        first, end = self.seeds
        if not 0 <= first < end <= LAST_SEED + 1:
            raise ValueError(f'the seeds must be a range of 0 to {LAST_SEED}')
        if len({row.task for row in self.tasks}) < len(self.tasks):
            raise ValueError('a task stands twice among the conditions')
        if any(len(set(names)) < len(names) for row in self.tasks for names in (row.axes, row.splits)):
            raise ValueError('a task has an axis or a split twice')
        return self

    @property
    def decides(self) -> str:
        """SHA-256 of the conditions as canonical JSON: sorted keys, no spaces; without prompts in words, as in older reports."""
        plain = _plain(self)
        for row in plain['tasks']:
            if row['prompt'] == WORDS:
                del row['prompt']
        return sha256(json.dumps(plain, sort_keys=True, separators=(',', ':')).encode()).hexdigest()

    @property
    def engine(self) -> str:
        """Name of the physics engine."""
        return recorded(self.versions)

    @property
    def renderer(self) -> str:
        """Name of the renderer; 'none' if there are no pictures."""
        found = [version.partition('=')[2] for version in self.versions if version.startswith('renderer=')]
        return found[0] if found else 'none'


class Circumstances(Frozen):
    """Measurements of the run; the only part of a report that differs from run to run.

    Attributes:
        workers: number of worker processes.
        wall_seconds: from the first episode to the last, without those of an earlier, interrupted run.
        episode_seconds: wall-clock time of each episode, in the order of `EvaluationReport.episodes`.
        episode_cpu_seconds: CPU time of each episode, in that order; empty if not measured, as over ROS.
        bags: bag of each episode, in that order, relative to the given folder; empty if none were recorded.
        resumed: number of episodes that an earlier run had played.
        earlier: for each episode, in that order, why earlier attempts were unobservable; empty if each was played once.
    """

    workers: int = 0
    wall_seconds: float = 0.0
    episode_seconds: tuple[float, ...] = ()
    episode_cpu_seconds: tuple[float, ...] = ()
    bags: tuple[str, ...] = ()
    resumed: int = 0
    earlier: tuple[tuple[str, ...], ...] = ()


class EvaluationReport(Frozen):
    """A policy's scores.

    Attributes:
        policy: name as given.
        code: SHA-256 of a module:Class policy: its file, its arguments, and the files that these name; '' for all
            others.
        bench: digest of the bench's code and configuration, see `fingerprint`; '' if unknown.
        options: options for creating the policy and interpreting its answers, by name.
        isolation: what separated the policy from the ground truth: none (it ran in the bench's process), process (it was sent observations
            only), or domain (it was a ROS node in a domain without the ground truth).
        declared: the published protocol, and what the policy was trained on, as whoever evaluated it said; neither changes an episode.
        decides: `Conditions.decides`; shows quickly whether two reports are comparable.
        groups: summaries by task, split and axis.
        overall: summary of all episodes.
        episodes: results, sorted by task, axis, split and seed.
    """

    format: Literal[1] = 1
    policy: str
    code: str = ''
    bench: str = ''
    options: dict[str, str] = Field(default_factory=dict)
    isolation: str = 'none'
    declared: Declaration = UNDECLARED
    conditions: Conditions
    decides: str
    groups: tuple[GroupScore, ...]
    overall: GroupScore
    episodes: tuple[Result, ...]
    circumstances: Circumstances = Circumstances()

    @model_validator(mode='after')
    def _check_parts(self) -> 'EvaluationReport':
        for name in ('episode_seconds', 'episode_cpu_seconds', 'bags', 'earlier'):
            count = len(getattr(self.circumstances, name))
            if count not in (0, len(self.episodes)):
                raise ValueError(f'circumstances.{name} has {count} entries for {len(self.episodes)} episodes')
        counted = self.overall.episodes, self.overall.successes, self.overall.unobservable
        seen = sum(one.seen for one in self.episodes)
        if counted != (found := (seen, sum(one.solved for one in self.episodes), len(self.episodes) - seen)):
            raise ValueError(f'overall counts {counted} observed, solved and unobservable episodes; the episodes give {found}')
        return self

    @property
    def aids(self) -> tuple[str, ...]:
        """What helped the policy: what the bench lent it, and what it was given right for an ablation."""
        given = self.options.get(GIVEN)
        return *self.conditions.assistance, *([f'{GIVEN}={given}'] if given else [])

    @property
    def earlier(self) -> tuple[tuple[str, ...], ...]:
        """For each episode, why earlier attempts were unobservable."""
        return self.circumstances.earlier or ((),) * len(self.episodes)

    @property
    def again(self) -> int:
        """Number of episodes that were played more than once because they were unobservable."""
        return sum(map(bool, self.earlier))

    @property
    def at_first(self) -> Rate:
        """Success rate of the first attempts, over all planned episodes."""
        return Rate(sum(one.solved and not before for one, before in zip(self.episodes, self.earlier, strict=True)), len(self.episodes))

    @classmethod
    def load(cls, path: Path) -> 'EvaluationReport':
        """Load a report from a file.

        Raises:
            ConfigError: the file is missing, is no report, or its hash or its episodes do not match its conditions.
        """
        try:
            found = cls.model_validate_json(read_whole(path, MOST_BYTES))
        except OSError as error:
            raise ConfigError(
                f'{path} cannot be read as an evaluation report: {error.strerror}. Name the file of evaluate --out.'
            ) from error
        except ValidationError as error:
            first = error.errors()[0]
            where = '.'.join(str(part) for part in first['loc'])
            raise ConfigError(f'{path} is not an evaluation report: {first["msg"]} (at {where or "the top"}). Evaluate again.') from error
        if found.decides != found.conditions.decides:
            raise ConfigError(
                f'{path} was altered: its conditions have the hash {found.conditions.decides}, but it has {found.decides}. Evaluate again.'
            )
        if said := found.unplanned():
            raise ConfigError(f'{path} was altered: {said}. Evaluate again.')
        return found

    def unplanned(self) -> str:
        """Return in words how the episodes differ from those that the conditions name; '' if they are the same."""
        first, end = self.conditions.seeds
        cells = {(row.task, axis, split) for row in self.conditions.tasks for axis in row.axes for split in row.splits}
        keys = {one.key for one in self.episodes}
        more = sum(key[:-1] not in cells or not first <= key[-1] < end for key in keys)
        lacks, twice = len(cells) * (end - first) - len(keys) + more, len(self.episodes) - len(keys)
        found = f'it lacks {lacks} episodes that its conditions name, has {more} others, and repeats {twice}'
        return found if lacks or more or twice else ''

    def save(self, path: Path) -> None:
        """Write the report to a file atomically.

        Raises:
            ConfigError: the file cannot be written.
        """
        try:
            write_whole(path, self.text())
        except OSError as error:
            raise ConfigError(f'The report cannot be written to {path}: {error.strerror}. Name another file with --out.') from error

    def text(self) -> str:
        """Return the report as JSON with sorted keys; equal reports give equal bytes."""
        return json.dumps(_plain(self), sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False) + '\n'


def _plain(row: Frozen) -> Any:
    return row.model_dump(mode='json')

"""The report of an evaluation: what was asked, what came of every episode, and what decides a score. Written and read as JSON.

All of it is the same from run to run but `circumstances`, which holds what the machine did.
"""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, model_validator

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.evaluation.files import write_whole
from vlm_bench_tasks.judging.statistics import Rate
from vlm_bench_tasks.result import Frozen, Result


class GroupScore(Frozen):
    """The episodes of one task, split and axis, or of several together ('' where they differ).

    Attributes:
        episodes: that could be observed; rates and means are over these.
        share: of successes, 0…1, with Wilson's 95 % interval from `low` to `high`.
        mean_score: 0…100; None where there is none.
        mean_reward: 0…1; None where there is none.
        mean_sim_seconds: simulated time of an episode; None where there is none.
        causes: of failures, each with how often.
        unobservable: episodes besides those, in which the bench was at fault.
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
        """The share where all unobservable episodes had failed, 0…1: what a policy that spoils episodes cannot raise by it."""
        return Rate(self.successes, self.episodes + self.unobservable).share


class TaskConditions(Frozen):
    """One task as it was played: its revision, the robot, and its limits (simulated s; control periods, 0: none)."""

    task: str
    revision: int
    robot: str
    axes: tuple[str, ...]
    splits: tuple[str, ...]
    horizon: float
    step_limit: int


class Conditions(Frozen):
    """Everything that decides a score but the policy: reports are comparable where these are the same.

    Attributes:
        seeds: first and one past the last.
        purpose: which range they are of: train, validate or test.
        cameras: camera set; `size` of its pictures is WIDTHxHEIGHT in pixels.
        perturbations: each as `name=size unit`.
        assistance: aids that the policy was given.
        answer_seconds: wall-clock time that the policy had for each answer.
        versions: `name=version` of all that decides a score, with the renderer's name as OpenGL tells it.
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

    @property
    def decides(self) -> str:
        """SHA-256 over all of it as canonical JSON: sorted keys, no spaces."""
        return sha256(json.dumps(_plain(self), sort_keys=True, separators=(',', ':')).encode()).hexdigest()

    @property
    def renderer(self) -> str:
        """What drew the pictures; 'none' where nothing did."""
        found = [version.partition('=')[2] for version in self.versions if version.startswith('renderer=')]
        return found[0] if found else 'none'


class Circumstances(Frozen):
    """What the machine did: the one part that differs from run to run.

    Attributes:
        workers: processes.
        wall_seconds: from the first episode to the last, without what an earlier, interrupted run had done.
        episode_seconds: wall-clock time of each episode, in the order of `EvaluationReport.episodes`.
        episode_cpu_seconds: processor time of each in that order; empty: nobody measured it, as over ROS.
        bags: of each episode in that order, relative to the folder that was named; empty: none were recorded.
        resumed: episodes that an earlier run had played.
        earlier: of each episode in that order, why it was unobservable when it was played before; empty: each was played once.
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
        policy: as it was asked for.
        code: SHA-256 of what a policy of module:Class is made of: its file, its arguments, and the files that these name; '' for all
            others.
        bench: digest of the code and configuration of the bench that played, see `fingerprint`; '' where nobody said.
        options: how it was made and its answers were understood, by name.
        isolation: what kept the policy from the truth: none (it ran in the bench's process), process (it was sent observations only), or
            domain (it was a ROS node in a domain without the truth).
        decides: `Conditions.decides`, so that two reports can be told apart at a glance.
        groups: by task, split and axis.
        overall: all episodes together.
        episodes: by task, axis, split and seed.
    """

    format: Literal[1] = 1
    policy: str
    code: str = ''
    bench: str = ''
    options: dict[str, str] = Field(default_factory=dict)
    isolation: str = 'none'
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
            raise ValueError(f'overall counts {counted} episodes that were seen, solved and not seen, and its episodes are {found}')
        return self

    @property
    def earlier(self) -> tuple[tuple[str, ...], ...]:
        """Of each episode why it was unobservable when it was played before."""
        return self.circumstances.earlier or ((),) * len(self.episodes)

    @property
    def again(self) -> int:
        """Episodes that were played more than once, since they were unobservable."""
        return sum(map(bool, self.earlier))

    @property
    def at_first(self) -> Rate:
        """What was solved when it was played first, of all that was planned."""
        return Rate(sum(one.solved and not before for one, before in zip(self.episodes, self.earlier, strict=True)), len(self.episodes))

    @classmethod
    def load(cls, path: Path) -> 'EvaluationReport':
        """Return the report in a file.

        Raises:
            ConfigError: there is none, it is no report, or its hash is not that of what it says decides a score.
        """
        try:
            found = cls.model_validate_json(path.read_bytes())
        except OSError as error:
            raise ConfigError(f'{path} was to be read as an evaluation report: {error.strerror}. Name the file of --out.') from error
        except ValidationError as error:
            first = error.errors()[0]
            where = '.'.join(str(part) for part in first['loc'])
            raise ConfigError(f'{path} is no evaluation report: {first["msg"]} (at {where or "the top"}). Evaluate again.') from error
        if found.decides != found.conditions.decides:
            raise ConfigError(f'{path} was altered: its conditions have the hash {found.conditions.decides}, and it says {found.decides}.')
        return found

    def save(self, path: Path) -> None:
        """Write the report; the file is there as a whole or not at all.

        Raises:
            ConfigError: it cannot be written.
        """
        try:
            write_whole(path, self.text())
        except OSError as error:
            raise ConfigError(f'The report cannot be written to {path}: {error.strerror}. Name another file with --out.') from error

    def text(self) -> str:
        """Return the report as JSON, keys sorted, the same bytes for the same report."""
        return json.dumps(_plain(self), sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False) + '\n'


def _plain(row: Frozen) -> Any:
    return row.model_dump(mode='json')

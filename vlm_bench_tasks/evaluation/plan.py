"""Turn the options of an evaluation into its list of trials and the conditions that affect a score."""

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from vlm_bench_sim.bags.folder import check_folder
from vlm_bench_sim.core import aids
from vlm_bench_sim.core.engine import PYBULLET, check
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.actions.spaces import DEFAULT, action_space
from vlm_bench_tasks.evaluation.declaration import UNDECLARED, Declaration
from vlm_bench_tasks.evaluation.policy_digest import digest
from vlm_bench_tasks.evaluation.report import Conditions, TaskConditions
from vlm_bench_tasks.evaluation.server_observations import OPENPI, check_form
from vlm_bench_tasks.evaluation.wires.check import check_prompt, check_server
from vlm_bench_tasks.evaluation.wires.link import Address
from vlm_bench_tasks.evaluation.wires.registry import SCHEMES, WIRES, scheme_of, wire_for
from vlm_bench_tasks.fingerprint import code
from vlm_bench_tasks.language.pictures import WORDS
from vlm_bench_tasks.policies import policies, policy
from vlm_bench_tasks.policies.arguments import Arguments, read_arguments
from vlm_bench_tasks.run import TRUTH, Bench
from vlm_bench_tasks.sizes import read_size
from vlm_bench_tasks.suites import versions_for
from vlm_bench_tasks.task_choice import chosen
from vlm_bench_tasks.trial import Trial

ROS = 'ros'
"""The policy name for a user's own ROS node."""
MAKING_S = 900.0
"""Timeout for creating a policy, including loading its weights, wall-clock s."""


@dataclass(frozen=True)
class Manner:
    """How the policy is called, in every trial of an evaluation.

    Attributes:
        policy: name of a built-in policy, module:Class, the address of a policy server such as ws://host:port, or ros.
        assist: names of aids.
        answer_seconds: timeout for each answer, wall-clock s.
        action: action space of a policy server's rows.
        rows: number of rows of each answer to execute; 0: all.
        observation: format of the observations for a policy server.
        wire: how that server is spoken to, one of `wires.registry.WIRES`; '' for all other policies.
        record: folder for a bag of each episode; '' to record none.
        code: digest of a module:Class policy; '' for all others.
        arguments: constructor arguments of such a policy, or options of a server's wire.
    """

    policy: str
    assist: tuple[str, ...] = ()
    answer_seconds: float = 60.0
    action: str = DEFAULT
    rows: int = 0
    observation: str = OPENPI
    wire: str = ''
    record: str = ''
    code: str = ''
    arguments: Arguments = ()

    @property
    def served(self) -> bool:
        """Whether the policy runs behind a server."""
        return bool(scheme_of(self.policy))

    @property
    def foreign(self) -> bool:
        """Whether the policy is a user's class that runs in the worker process."""
        return ':' in self.policy and not self.served

    @property
    def isolation(self) -> str:
        """What separates the policy from the ground truth."""
        return 'domain' if self.policy == ROS else 'process' if self.served else 'none'

    @property
    def patience(self) -> float:
        """Timeout after which the process of a silent policy is killed, s; a connection times out before that."""
        return 3 * self.answer_seconds + 10.0 if self.served else self.answer_seconds


@dataclass(frozen=True)
class Job:
    """A trial as a worker receives it.

    Attributes:
        trial: the episode to play.
        manner: how its policy is called.
        note: file that tells whose turn it was when the worker process died.
        making: timeout for creating the policy, wall-clock s.
    """

    trial: Trial
    manner: Manner
    note: Path = Path()
    making: float = MAKING_S

    @property
    def token(self) -> str:
        """Identifies its bag: the same for the same episode, policy and conditions."""
        return self.trial.token(replace(self.manner, record='', arguments=()))  # `code` already covers the arguments


@dataclass(frozen=True)
class Asked:
    """The options of `vlm-bench evaluate`, by name."""

    policy: str
    tasks: str
    seeds: range
    split: str = ''
    axis: str = ''
    robot: str = ''
    cameras: str = 'none'
    size: str = '256x256'
    engine: str = PYBULLET
    perturb: tuple[str, ...] = ()
    assist: tuple[str, ...] = ()
    answer_seconds: float = 60.0
    action: str = ''
    rows: int = 0
    observation: str = ''
    wire: str = ''
    record: str = ''
    policy_arg: tuple[str, ...] = ()
    prompt: str = ''
    level: str = ''
    declared: Declaration = UNDECLARED


@dataclass(frozen=True)
class Plan:
    """All trials of an evaluation, sorted by key, the conditions that affect their scores, and what it is declared to be."""

    manner: Manner
    conditions: Conditions
    trials: tuple[Trial, ...]
    declared: Declaration = UNDECLARED

    def jobs(self, trials: Sequence[Trial], folder: Path) -> list[Job]:
        """Return the trials as jobs for workers, with their notes in a folder."""
        return [Job(trial, self.manner, folder / f'{number}.note', MAKING_S) for number, trial in enumerate(trials)]

    @property
    def bench(self) -> str:
        """Digest of the bench's code and configuration."""
        shown = any(row.prompt != WORDS for row in self.conditions.tasks)
        return code(pictures=self.conditions.cameras != 'none' or shown, engine=self.conditions.engine)

    @property
    def options(self) -> dict[str, str]:
        """The options for creating the policy and for interpreting its answers, by name."""
        manner = self.manner
        served = {'wire': manner.wire, 'action': manner.action, 'rows': str(manner.rows or 'all'), 'observation': manner.observation}
        return (served if manner.served else {}) | dict(manner.arguments)


def planned(asked: Asked) -> Plan:
    """Return the plan of an evaluation.

    Raises:
        VlmBenchError: an option is unknown or unavailable, or the options contradict each other.
    """
    manner = manner_of(asked)
    return plan_of(asked, manner, tuple(_task(name, asked) for name in chosen(asked.tasks, asked.level)))


def plan_of(asked: Asked, manner: Manner, played: tuple[TaskConditions, ...]) -> Plan:
    """Return the plan of an evaluation of these tasks. The tasks, splits, axis, prompt and robot of `asked` no longer count.

    Raises:
        VlmBenchError: as in `planned`.
    """
    check(asked.engine)
    catalogue.check_needs(*(row.task for row in played), engine=asked.engine)
    (width, height), given = read_size(asked.size), catalogue.perturbation(asked.perturb)
    perturbation = catalogue.perturbation(bare(given.labels))  # as the report tells it, so that it can be played again from the report
    if manner.served:
        wire = WIRES[manner.wire]
        check_prompt(wire, shown=any(row.prompt != WORDS for row in played))
        check_server(wire, Address(manner.policy, manner.answer_seconds, dict(manner.arguments)), cameras=asked.cameras)
    conditions = Conditions(
        tasks=played,
        seeds=(asked.seeds.start, asked.seeds.stop),
        purpose=purpose_of(played, asked.seeds),
        cameras=asked.cameras,
        size=f'{width}x{height}',
        perturbations=perturbation.labels,
        assistance=tuple(sorted({*manner.assist, *([TRUTH] if sees_truth(manner.policy) else [])})),
        answer_seconds=asked.answer_seconds,
        versions=_versions(asked, width, height, played),
    )
    trials = (
        Trial(row.task, axis, split, seed, row.robot, asked.policy, perturbation, asked.cameras, width, height, row.prompt, asked.engine)
        for row in played
        for axis in row.axes
        for split in row.splits
        for seed in asked.seeds
    )
    return Plan(manner, conditions, tuple(sorted(trials, key=lambda trial: trial.key)), asked.declared)


def bare(labels: Iterable[str]) -> tuple[str, ...]:
    """Return the labels of perturbations without their units, as `--perturb` takes them."""
    return tuple(label.partition(' ')[0] for label in labels)


def purpose_of(played: Iterable[TaskConditions], seeds: range) -> str:
    """Return what seeds are for, in each task and split.

    Raises:
        VlmBenchError: a task or a split does not exist, or a policy may not be scored on these seeds.
    """
    return '; '.join(sorted({catalogue.seeds_to_score(row.task, split, seeds) for row in played for split in row.splits}))


def manner_of(asked: Asked) -> Manner:
    """Return how the policy is called.

    Raises:
        VlmBenchError: there is no such policy, or an option is not for it.
    """
    arguments = read_arguments(asked.policy_arg)
    manner = Manner(
        asked.policy,
        assist=aids.read(asked.assist),
        answer_seconds=asked.answer_seconds,
        action=action_space(asked.action or DEFAULT).name,
        rows=asked.rows,
        observation=check_form(asked.observation or OPENPI),
        wire=wire_for(asked.policy, asked.wire).name if scheme_of(asked.policy) else '',
        record=str(check_folder(Path(asked.record).absolute())) if asked.record else '',
        code=digest(asked.policy, arguments),
        arguments=arguments,
    )
    if arguments and not (manner.foreign or manner.served):
        raise ConfigError(f'--policy-arg needs a policy module:Class or a server; {asked.policy!r} takes no arguments. Leave it out.')
    if not 0.0 < asked.answer_seconds < 1e6:
        raise ConfigError(f'The timeout for an answer must be above 0 wall-clock s; found {asked.answer_seconds:g}. Give one such as 60.')
    if asked.rows < 0:
        raise ConfigError(f'--rows is the number of rows of an answer to execute, or 0 for all; found {asked.rows}. Give 0 or more.')
    if manner.served:
        return manner
    if '://' in asked.policy:
        raise ConfigError(f'{asked.policy!r} is not a policy: servers have addresses with {", ".join(SCHEMES)}. Write ws://host:port.')
    elif asked.action or asked.rows or asked.observation or asked.wire:
        raise ConfigError(
            f'--action, --rows, --observation and --wire are for policy servers; {asked.policy!r} returns commands. Leave them out.'
        )
    elif ':' not in asked.policy and asked.policy != ROS:
        policy(asked.policy)
    return manner


def _task(name: str, asked: Asked) -> TaskConditions:
    made = catalogue.task(name)
    axes = (asked.axis,) if asked.axis else made.axes
    splits = tuple(dict.fromkeys(asked.split.split(','))) if asked.split else catalogue.splits(name)[:1]
    for split in splits:
        for axis in axes:
            catalogue.build(name, split, asked.seeds[0], axis, asked.prompt)
    return task_conditions(name, axes, splits, prompt=catalogue.check_prompt(made, name, asked.prompt), robot=asked.robot)


def task_conditions(name: str, axes: tuple[str, ...], splits: tuple[str, ...], *, prompt: str, robot: str = '') -> TaskConditions:
    """Return the conditions of a task as it is now, played by its own robot unless another one is named."""
    made = catalogue.task(name)
    return TaskConditions(
        task=name,
        revision=made.revision,
        robot=robot or made.robot,
        prompt=prompt,
        axes=axes,
        splits=splits,
        horizon=made.horizon,
        step_limit=made.step_limit,
    )


def sees_truth(name: str) -> bool:
    """Return whether a policy observes the ground truth; only policies that come with the bench can."""
    return name in policies() and policy(name).privileged


def _versions(asked: Asked, width: int, height: int, played: Sequence[TaskConditions]) -> tuple[str, ...]:
    """Return the local versions that affect a score. Opens a bench for each robot, as the episodes will."""
    found = ''
    for robot in sorted({row.robot for row in played}):
        with closing(Bench(robot, asked.cameras, width=width, height=height, engine=asked.engine)) as bench:
            if any(row.prompt != WORDS for row in played):
                bench.ready_to_draw()
            found = bench.renderer_string
    robots = [row.robot for row in played]
    return versions_for(found, asked.engine, tasks=[row.task for row in played], robots=robots, cameras=[asked.cameras])

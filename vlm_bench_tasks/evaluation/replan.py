"""Rebuild the plan of an evaluation from its report alone, to play its episodes again. Nothing that a report names is imported by that."""

from os.path import exists

from vlm_bench_sim.core.errors import ConfigError, VlmBenchError, quoted
from vlm_bench_sim.extensions import EXTENSION
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.evaluation.plan import ROS, Asked, Manner, Plan, bare, manner_of, plan_of, task_conditions
from vlm_bench_tasks.evaluation.policy_digest import digest
from vlm_bench_tasks.evaluation.report import EvaluationReport, TaskConditions
from vlm_bench_tasks.fingerprint import PACKAGES
from vlm_bench_tasks.policies.arguments import Arguments
from vlm_bench_tasks.run import TRUTH

SHIPPED = 'vlm_bench_baselines'
"""Package of the policies that come with the project, beside the built-in ones."""
WEIGHTS = PACKAGES / SHIPPED / 'weights'


def replanned(report: EvaluationReport) -> Plan:
    """Return the plan of the same evaluation on this machine. Its conditions are those of today, and may differ from the report's.

    Raises:
        VlmBenchError: the policy, a task or another part of the conditions is not here, or cannot be played again.
    """
    conditions = report.conditions
    arguments = _arguments(report)
    asked = Asked(
        report.policy,
        tasks='',
        seeds=range(*conditions.seeds),
        cameras=conditions.cameras,
        size=conditions.size,
        engine=conditions.engine,
        perturb=bare(conditions.perturbations),
        assist=tuple(aid for aid in conditions.assistance if aid != TRUTH),
        answer_seconds=conditions.answer_seconds,
        policy_arg=tuple(f'{name}={value}' for name, value in arguments),
        declared=report.declared,
    )
    played = tuple(_as_now(row, report) for row in conditions.tasks)
    return plan_of(asked, manner_of(asked), played)


def _as_now(row: TaskConditions, report: EvaluationReport) -> TaskConditions:
    try:
        prompt = catalogue.check_prompt(catalogue.task(row.task), row.task, row.prompt)
    except VlmBenchError as error:
        needed = [version.removeprefix(EXTENSION) for version in report.conditions.versions if version.startswith(EXTENSION)]
        more = f' The report needs the extensions {", ".join(needed)}; name their folders with --task-path.' if needed else ''
        raise ConfigError(f'{error}{more}') from error
    return task_conditions(row.task, row.axes, row.splits, prompt=prompt, robot=row.robot)


def _arguments(report: EvaluationReport) -> Arguments:
    """Return the arguments of the policy on this machine: a path to weights that are shipped is that of our own copy.

    Raises:
        ConfigError: the policy is neither built in nor shipped, or it is another one here.
    """
    policy, manner = report.policy, Manner(report.policy)
    arguments = tuple(sorted(report.options.items()))
    if policy == ROS or manner.served:
        whose = 'a node of its own' if policy == ROS else f'the server {quoted(policy)}'
        raise ConfigError(f'Its policy was {whose}, which the report does not hold. Only built-in and shipped policies are played again.')
    if not manner.foreign:
        return arguments
    if policy.partition(':')[0].partition('.')[0] != SHIPPED:
        raise ConfigError(
            f'Its policy {quoted(policy)} is a class of its own, and what a report names is not imported. Only built-in '
            f'policies and those of {SHIPPED} are played again. If you have it, evaluate it and compare.'
        )
    ours = {path.name: str(path) for path in WEIGHTS.glob('*')}
    arguments = tuple((name, ours.get(value.replace('\\', '/').rpartition('/')[2], value)) for name, value in arguments)
    if foreign := [name for name, value in arguments if exists(value) and value not in ours.values()]:
        raise ConfigError(
            f'Its policy {quoted(policy)} was given files as {" and ".join(map(quoted, foreign))} that are not shipped, and what a report '
            f'names is not read. Only policies with weights of {SHIPPED}/{WEIGHTS.name} are played again.'
        )
    if (found := digest(policy, arguments)) != report.code or not found:
        raise ConfigError(
            f'Its policy {quoted(policy)} has the SHA-256 {report.code[:16] or "of nothing"}, and here {found[:16] or "none"}: its code or '
            'weights are other ones, or an argument names a file that is not here. Only what is shipped is played again.'
        )
    return arguments

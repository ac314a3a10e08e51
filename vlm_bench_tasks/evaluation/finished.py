"""Find an existing report at the output path. It is resumed if it belongs to the same evaluation, and otherwise never overwritten."""

from enum import Enum
from pathlib import Path

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.evaluation.compare import differences
from vlm_bench_tasks.evaluation.files import check_file
from vlm_bench_tasks.evaluation.plan import ROS, Plan
from vlm_bench_tasks.evaluation.playing import Scored
from vlm_bench_tasks.evaluation.report import EvaluationReport
from vlm_bench_tasks.trial import Key


class OtherCode(Enum):
    """What to do with results that another version of the bench's code has produced."""

    REFUSE = 'an error names it'
    KEEP = 'they are taken as they are'
    REPLACE = 'they are played again'


def finished(out: Path, plan: Plan, other_code: OtherCode = OtherCode.REFUSE) -> dict[Key, Scored]:
    """Return the episodes of an existing report of this evaluation; empty if there is no file.

    Args:
        out: path of the report.
        plan: the evaluation's plan.
        other_code: what to do with a report that another version of the bench's code has produced.

    Raises:
        ConfigError: a report cannot be stored at this path, or it holds something else.
    """
    try:
        check_file(out)
        if not out.exists():
            return {}
    except OSError as error:
        raise ConfigError(f'The report cannot be written to {out}: {error.strerror}. Name another file with --out.') from error
    report = _read(out)
    if report.bench != plan.bench and other_code == OtherCode.REPLACE:
        return {}
    if reasons := [*_differences(report, plan), *(_code(report, plan) if other_code == OtherCode.REFUSE else ())]:
        said = ' '.join(f'({number}) {why}' for number, why in enumerate(reasons, start=1))
        raise ConfigError(f'{out} holds the report of another evaluation. {said} Name another file with --out, or remove it.')
    circumstances, taken = report.circumstances, report.conditions.assistance
    bags = circumstances.bags or ('',) * len(report.episodes)
    seconds = circumstances.episode_seconds or (0.0,) * len(report.episodes)
    _check_bags(out, plan, bags)
    work = circumstances.episode_cpu_seconds or (0.0,) * len(report.episodes)
    rows = zip(report.episodes, seconds, work, bags, report.earlier, strict=True)
    return {one.key: Scored(one, spent, worked, bag, taken, before) for one, spent, worked, bag, before in rows}


def _read(out: Path) -> EvaluationReport:
    try:
        return EvaluationReport.load(out)
    except ConfigError as error:
        raise ConfigError(f'{out} already exists and is not overwritten: {error} Name another file with --out.') from error


def _differences(report: EvaluationReport, plan: Plan) -> list[str]:
    """Return all differences between an existing report and the plan."""
    manner, theirs = plan.manner, report.conditions
    if manner.policy == ROS and set(plan.conditions.assistance) <= set(theirs.assistance):  # nodes may ask for further aids
        theirs = theirs.model_copy(update={'assistance': plan.conditions.assistance})
    reasons = [f'Its policy is {report.policy}.'] if report.policy != manner.policy else []
    if not reasons and report.code != manner.code:
        reasons.append('The file of its policy, or an argument, has changed since.')
    if report.options != plan.options:
        reasons.append(f'Its options were {_words(report.options)}; now they are {_words(plan.options)}.')
    if report.declared != plan.declared:
        reasons.append(f'It is declared as {str(report.declared) or "nothing"}; now as {str(plan.declared) or "nothing"}.')
    return reasons + differences(theirs, plan.conditions)


def _code(report: EvaluationReport, plan: Plan) -> list[str]:
    if report.bench == plan.bench:
        return []
    return [f'It was played by the bench code {report.bench or "of nobody knows which version"}; this is the bench code {plan.bench}.']


def _check_bags(out: Path, plan: Plan, bags: tuple[str, ...]) -> None:
    folder = Path(plan.manner.record)
    if plan.manner.record and not all(bag and (folder / bag).is_dir() for bag in bags):
        what = f'{out} already holds the report of this evaluation, but {folder} does not hold all of its bags.'
        raise ConfigError(f'{what} Name another file with --out to play it again, or leave --record out.')


def _words(options: dict[str, str]) -> str:
    return ', '.join(f'{name} {value}' for name, value in options.items()) or 'none'

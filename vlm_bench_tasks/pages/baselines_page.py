"""The page of docs/results with the scores of learned baselines, from the reports of their evaluations.

`python -m vlm_bench_tasks.pages.baselines_page --out PAGE REPORT...` writes it.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import mean
from typing import Annotated

import typer

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.evaluation.compare import differences
from vlm_bench_tasks.evaluation.report import GIVEN, Conditions, EvaluationReport
from vlm_bench_tasks.evaluation.wires.registry import scheme_of
from vlm_bench_tasks.judging.statistics import Pairs, Rate
from vlm_bench_tasks.pages.paging import write_markdown
from vlm_bench_tasks.pages.tables import NONE, literal, table
from vlm_bench_tasks.result import Result
from vlm_bench_tasks.run import TRUTH

TITLE = '# Learned baselines'
CONTROL = 'language_ignored'
"""The policy that the others are compared with, if it played the same episodes."""

CHECKPOINT = 'checkpoint'
"""Argument of a policy that names its weights."""

_HEAD = '<!-- Written by `make baseline`. Do not edit. -->'
_ABOUT = """\
How these policies work and how they were trained: {about}. Each cell says how many episodes were solved, of those
that could be observed; the last but one has the 95 % Wilson interval in percent. *p* is McNemar's exact two-sided test against the expert
that ignores the sentence, on the same episodes; "worse": the policy solves fewer of them. *Chance* is the rate of a policy that knows the
scene and picks any one of the sentences that are true of it."""

_SEVERAL = 'Solved of observed episodes, and the mean score of 0 to 100.'

Cell = tuple[str, str]
"""Task and split."""


def baselines_page(reports: Sequence[EvaluationReport], about: str = 'docs/baselines.md') -> str:
    """Return the page of reports of policies with weights and of controls; `about` names the page that explains them.

    Raises:
        ConfigError: there is no report of a policy with weights, two reports are of the same policy in the same episodes, or reports of one
            table cannot be compared. Perturbations and aids may differ: a row names them.
    """
    names = Counter((name(report), *sorted({(one.task, one.split) for one in report.episodes})) for report in reports)
    if twice := [of[0] for of, count in names.items() if count > 1]:
        raise ConfigError(f'Two reports are of {twice[0]} in the same tasks and splits. Name one of them.')
    if not any(CHECKPOINT in report.options for report in reports):
        raise ConfigError(f'None of the {len(reports)} reports is of a policy with weights. Evaluate with --policy-arg {CHECKPOINT}=FILE.')
    of_one = [report for report in reports if len(_tasks(report)) == 1]
    cells = sorted({(one.task, one.split) for report in of_one for one in report.episodes})
    blocks = [f'{TITLE}: scores', _HEAD, _ABOUT.format(about=about), *_played(reports)]
    for cell in cells:
        blocks += [f'## {literal(cell[0])}, {literal(cell[1])}', _of_cell(of_one, cell)]
    for split in sorted({one.split for report in reports if report not in of_one for one in report.episodes}):
        blocks += [f'## Several tasks, {literal(split)}', _SEVERAL, _of_several([one for one in reports if one not in of_one], split)]
    return '\n\n'.join([*blocks, '## Weights', _weights(reports)]) + '\n'


def name(report: EvaluationReport) -> str:
    """Return what played, in a few words: the policy, its weights, what was changed about it or around it, and its aids."""
    return literal(' · '.join([plain_name(report), *report.conditions.perturbations, *report.conditions.assistance]))


def plain_name(report: EvaluationReport) -> str:
    """Return the policy in a few words, as they are: its class or address, its weights, and what was changed about it."""
    policy = report.policy if scheme_of(report.policy) else report.policy.partition(':')[2] or report.policy
    weights = [_weights_of(report)] if CHECKPOINT in report.options else []
    more = [f'{key}={Path(value).name}' for key, value in sorted(report.options.items()) if key != CHECKPOINT]
    return ' · '.join([policy, *weights, *more])


def _weights_of(report: EvaluationReport) -> str:
    """Return what a policy's weights are called: by their file, or, as `scripts/baseline.sh` lays them out, by the run RUN/trained/best."""
    file = Path(report.options[CHECKPOINT])
    return file.parent.parent.name if (file.stem, file.parent.name) == ('best', 'trained') and file.parent.parent.name else file.stem


def _played(reports: Sequence[EvaluationReport]) -> tuple[str, ...]:
    seeds = ', '.join(f'{first}–{stop - 1}' for first, stop in sorted({report.conditions.seeds for report in reports}))
    versions = sorted({version for report in reports for version in report.conditions.versions})
    unseen = sum(not one.seen for report in reports for one in report.episodes)
    aids = sorted({aid for report in reports if CHECKPOINT in report.options for aid in report.aids})
    said = f'Aids of the learned policies: {literal(", ".join(aids))}.' if aids else 'The learned policies have no aids.'
    return (f'Seeds {seeds}. {said} {unseen} episodes could not be observed.', f'Versions: {literal(", ".join(versions))}.')


def _rank(report: EvaluationReport) -> tuple[bool, int, str]:
    """Return where a report's row stands: learned policies as they are first, then what was changed about them, then controls."""
    return CHECKPOINT not in report.options, len(report.options) + len(report.conditions.perturbations), name(report)


def _of_cell(reports: Sequence[EvaluationReport], cell: Cell) -> str:
    axes = sorted({one.axis for report in reports for one in _episodes(report, cell)})
    played = [(report, found) for report in sorted(reports, key=_rank) if (found := _episodes(report, cell))]
    _check_alike([report for report, _ in played], cell)
    rows = [(name(report), *_row(found, axes), _against(report, reports, cell)) for report, found in played]
    known = [one for _, found in played for one in found]
    chance = [_mean_chance([one for one in known if one.axis == axis]) for axis in axes]
    rows.append(('chance', *chance, _mean_chance(known), NONE))
    return table(('policy', *map(literal, axes), 'all', 'p'), rows)


def _check_alike(reports: Sequence[EvaluationReport], cell: Cell) -> None:
    """Refuse reports that one table cannot hold."""
    named = Counter(map(name, reports))
    if twice := [one for one, count in named.items() if count > 1]:
        raise ConfigError(f'Two reports are of {twice[0]} in {cell[0]}, {cell[1]}. Name one of them.')
    first, *others = reports
    for other in others:
        if reasons := differences(_in_cell(first, cell), _in_cell(other, cell)):
            raise ConfigError(
                f'{name(first)} and {name(other)} cannot stand in one table. {" ".join(reasons)} Name reports of one campaign.'
            )


def _in_cell(report: EvaluationReport, cell: Cell) -> Conditions:
    """Return the conditions of one task in one split, without what the names of rows say."""
    own = tuple(row.model_copy(update={'splits': (cell[1],)}) for row in report.conditions.tasks if row.task == cell[0])
    return report.conditions.model_copy(update={'tasks': own, 'perturbations': (), 'assistance': ()})


def _tasks(report: EvaluationReport) -> list[str]:
    return sorted({one.task for one in report.episodes})


def _of_several(reports: Sequence[EvaluationReport], split: str) -> str:
    """Return the table of policies that played several tasks: a row for each task, a column for each policy."""
    played = [report for report in reports if any(one.split == split for one in report.episodes)]
    tasks = sorted({task for report in played for task in _tasks(report)})
    rows = []
    for task in tasks:
        found = [_episodes(report, (task, split)) for report in played]
        rows.append((literal(task), _mean_chance([one for episodes in found for one in episodes]), *map(_solved_and_score, found)))
    return table(('task', 'chance', *map(name, played)), rows)


def _solved_and_score(episodes: Iterable[Result]) -> str:
    seen = [one for one in episodes if one.seen]
    rate = _rate(seen)
    return f'{rate.solved}/{rate.total}, score {mean(one.score for one in seen):.1f}' if seen else NONE


def _episodes(report: EvaluationReport, cell: Cell) -> list[Result]:
    return [one for one in report.episodes if (one.task, one.split) == cell]


def _row(episodes: Iterable[Result], axes: Iterable[str]) -> tuple[str, ...]:
    seen = [one for one in episodes if one.seen]
    each = (_rate([one for one in seen if one.axis == axis]) for axis in axes)
    whole = _rate(seen)
    low, high = whole.interval
    told = (f'{rate.solved}/{rate.total}' if rate.total else NONE for rate in each)
    return *told, f'{whole.solved}/{whole.total} = {100 * whole.share:.1f} % ({100 * low:.1f} to {100 * high:.1f})'


def _rate(episodes: Sequence[Result]) -> Rate:
    return Rate(sum(one.solved for one in episodes), len(episodes))


def _mean_chance(episodes: Sequence[Result]) -> str:
    seen = [one.chance for one in episodes if one.seen]
    return f'{100 * mean(seen):.1f} %' if seen else NONE


def _against(report: EvaluationReport, reports: Sequence[EvaluationReport], cell: Cell) -> str:
    """Return the p-value against the control that played the same episodes, alike but for its aid; a dash if there is none.

    A policy that solves fewer episodes is said to be worse. One that was given right answers is not compared.
    """
    if GIVEN in report.options:
        return NONE
    for control in reports:
        rest = tuple(aid for aid in control.conditions.assistance if aid != TRUTH)
        unaided = control.conditions.model_copy(update={'assistance': rest})
        if control.policy == CONTROL != report.policy and unaided == report.conditions:
            theirs = {one.key: one for one in _episodes(control, cell)}
            ours = [one for one in _episodes(report, cell) if one.seen and one.key in theirs and theirs[one.key].seen]
            both = [(theirs[one.key].solved, one.solved) for one in ours]
            count = Counter(both)
            pairs = Pairs(count[True, True], count[True, False], count[False, True], count[False, False])
            return f'{pairs.p_value:.1g}{", worse" if pairs.difference < 0 else ""}'
    return NONE


def _weights(reports: Sequence[EvaluationReport]) -> str:
    learned = [report for report in reports if CHECKPOINT in report.options]
    rows = sorted({(literal(_weights_of(report)), name(report), f'`{report.code[:16]}`') for report in learned})
    about = "The digest in a report covers the policy's file, what that imports of its package, its arguments and the bytes of its weights."
    return f'{about}\n\n{table(("weights", "policy", "digest"), rows)}'


def main(
    reports: Annotated[list[Path], typer.Argument(help='reports of evaluations')],
    out: Annotated[Path, typer.Option(help='the page')] = Path('docs') / 'results' / 'baselines.md',
) -> None:
    """Write the page of learned baselines."""
    beside = (out.parent.parent / 'baselines.md').is_file()
    try:
        about = '[baselines.md](../baselines.md)' if beside else 'docs/baselines.md'
        write_markdown(out, baselines_page([EvaluationReport.load(path) for path in reports], about))
    except ConfigError as error:
        typer.echo(f'error: {error}', err=True)
        raise typer.Exit(2) from error


if __name__ == '__main__':
    typer.run(main)

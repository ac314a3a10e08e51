"""Compare reports of policies, or of engines, and print what was found."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.console.scoring import cell_name, show_again
from vlm_bench_tasks.evaluation.compare import Comparison, across_engines, compared
from vlm_bench_tasks.evaluation.report import EvaluationReport
from vlm_bench_tasks.judging.statistics import RankAgreement, rank_agreement
from vlm_bench_tasks.pages.engines_page import engines_page
from vlm_bench_tasks.pages.paging import write_markdown

Two = tuple[EvaluationReport, EvaluationReport]


@dataclass(frozen=True)
class Found:
    """The comparisons of pairs of reports.

    Attributes:
        pairs: the reports.
        comparisons: for each pair, as `compared` returns them.
        across: whether the pairs are of one policy in two engines each.
        agreement: then, how far the engines agree in the order of all cells; None if there is no order.
    """

    pairs: tuple[Two, ...]
    comparisons: tuple[tuple[Comparison, ...], ...]
    across: bool = False
    agreement: RankAgreement | None = None

    def plain(self) -> dict[str, Any]:
        """Return the comparisons as a plain dictionary."""
        told = [_plain(pair, found) for pair, found in zip(self.pairs, self.comparisons, strict=True)]
        if not self.across:
            return told[0]
        agreed = self.agreement and {'tau': self.agreement.tau, 'interval': [self.agreement.low, self.agreement.high]}
        return {'engines': [report.conditions.engine for report in self.pairs[0]], 'policies': told, 'rank_agreement': agreed}


def compare(paths: Sequence[Path], *, across: bool) -> Found:
    """Compare reports.

    Raises:
        ConfigError: a report cannot be read, or the reports cannot be compared.
    """
    reports = [EvaluationReport.load(path) for path in paths]
    if across:
        return side_by_side(reports)
    if len(reports) > 2:
        raise ConfigError(f'Two policies are compared at a time; found {len(reports)} reports. Name two, or add --across-engines.')
    pair = reports[0], reports[1]
    return Found((pair,), (compared(*pair),))


def side_by_side(reports: Sequence[EvaluationReport]) -> Found:
    """Compare two engines by reports of one or more policies, each with the same tasks in both.

    Raises:
        ConfigError: the reports are not such pairs.
    """
    pairs = across_engines(reports)
    found = tuple(compared(*pair, across=True) for pair in pairs)
    agreed = rank_agreement([one.pairs for of_pair in found for one in of_pair if one.task])
    return Found(pairs, found, across=True, agreement=agreed)


def write(found: Found, page: Path | None) -> None:
    """Write the page that sets two engines side by side, if one is named.

    Raises:
        ConfigError: no engines were compared, or the file cannot be written.
    """
    if page is None:
        return
    if not found.across:
        raise ConfigError('A page sets two engines side by side. Add --across-engines, or leave out --page.')
    write_markdown(page, engines_page(found.pairs, found.comparisons, found.agreement), option='--page')


def show(found: Found, console: Console) -> None:
    """Print the comparisons."""
    for pair, comparisons in zip(found.pairs, found.comparisons, strict=True):
        words = [f'{_named(one)} in {one.conditions.engine}' if found.across else _named(one) for one in pair]
        for which, report, word, more in zip(('first: ', 'second:'), pair, words, _apart(pair), strict=True):
            digest = f'   SHA-256 {report.code[:16]}' if report.code else ''
            console.print(f'{which} {word}{more}{digest}', highlight=False, markup=False)
        for one in comparisons:
            _line(one, console)
        for report, whose in zip(pair, ('first: ', 'second: '), strict=True):
            show_again(report, console, whose)
    what = 'engines let the policy' if found.across else 'policies are equally likely to'
    console.print(f'p: exact McNemar test that both {what} solve an episode that only one of them solves.', highlight=False, markup=False)
    if found.across:
        _show_agreement(found, console)


def _show_agreement(found: Found, console: Console) -> None:
    cells = sum(bool(one.task) for comparisons in found.comparisons for one in comparisons)
    if found.agreement is None:
        said = 'unknown: in one engine all rates are the same, so there is no order'
    else:
        said = f"Kendall's tau-b {found.agreement.told}"
    console.print(f'rank agreement over {cells} cells of policy, task, axis and split: {said}', highlight=False, markup=False)


def _line(one: Comparison, console: Console) -> None:
    pairs, (low, high) = one.pairs, one.pairs.interval
    shares = f'{100 * pairs.first.share:.1f} % and {100 * pairs.second.share:.1f} % of {pairs.total}'
    difference = f'{100 * pairs.difference:+.1f} % ({100 * low:+.1f} to {100 * high:+.1f})'
    only = f'solved by one only {pairs.first_only} and {pairs.second_only}, p {pairs.p_value:.4g}'
    floors = ' and '.join(f'{100 * floor:.1f} %' for floor in one.floors)
    left_out = f'   {one.unobservable} unobservable ({floors} with them as failures)' if one.unobservable else ''
    cell = cell_name(one.task, one.split, one.axis)
    console.print(f'{cell} {shares}   second minus first {difference}   {only}{left_out}', highlight=False, markup=False)


def _named(report: EvaluationReport) -> str:
    declared = f' ({report.declared})' if str(report.declared) else ''
    return report.policy + declared


def _apart(pair: Two) -> tuple[str, str]:
    """Return the arguments in which two policies of one name differ, as text to add to each name."""
    one, other = (report.options for report in pair)
    keys = sorted(key for key in {*one, *other} if one.get(key) != other.get(key))
    if pair[0].policy != pair[1].policy or not keys:
        return '', ''
    first, second = (', '.join(f'{key}={options[key]}' for key in keys if key in options) for options in (one, other))
    return f' with {first or "the usual arguments"}', f' with {second or "the usual arguments"}'


def _plain(pair: Two, found: tuple[Comparison, ...]) -> dict[str, Any]:
    said: dict[str, Any] = {'first': pair[0].policy, 'second': pair[1].policy, 'comparisons': [one.plain() for one in found]}
    return said | {'played_again': [one.again for one in pair]}

"""The page of a leaderboard, as Markdown or HTML."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import quote

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.evaluation.blocks import Block, Cell, Heading, Link, Paragraph, Table
from vlm_bench_tasks.evaluation.board import Board, Entry, Leaderboard, Row, leaderboard
from vlm_bench_tasks.evaluation.cells import part
from vlm_bench_tasks.evaluation.page import plain_page
from vlm_bench_tasks.evaluation.report import EvaluationReport
from vlm_bench_tasks.family import family_name
from vlm_bench_tasks.judging.statistics import Rate
from vlm_bench_tasks.pages.baselines_page import plain_name
from vlm_bench_tasks.pages.paging import check_html, check_markdown, write_html, write_markdown
from vlm_bench_tasks.pages.tables import NONE, markdown

TITLE = 'Leaderboard'
ENDS = ('.md', '.html')
_ALIKE = '≈'
"""Marks a policy that is not told apart from the one above it."""
_NAMED = 4  # tasks, files of one reason, or reports of one policy that are named; further ones are only counted
_HOW = (
    'The reports of one table are of the same episodes under the same conditions, as vlm-bench compare demands; others are not ranked '
    'against each other. They are ranked by the share of solved episodes. An episode that could not be observed counts as a failure '
    'there, since a policy must not gain by spoiling one; where there are such, the row says how many, and the rate without them. '
    "p is McNemar's exact test against the row above, on the same episodes; ≈ marks a policy that it does not tell apart (p of 0.05 or "
    'more), whatever the ranks. The brackets are 95 % Wilson intervals in percent. A report is what somebody says: vlm-bench verify '
    'plays a part of it again. This page is written by vlm-bench leaderboard; do not edit it.'
)


def page(found: Leaderboard, folder: Path, file: Path) -> str:
    """Return the page: HTML if the name of its file ends so, otherwise Markdown.

    Args:
        found: the leaderboard.
        folder: of the reports.
        file: where the page will lie; its links begin there.
    """
    count = sum(map(len, found.boards)) + len(found.knowing) + len(found.unranked)
    blocks = _blocks(found, os.path.relpath(folder, file.parent))
    if file.suffix == '.html':
        return plain_page(_title(count), blocks)
    return markdown(_title(count), blocks)


def write(folder: Path, file: Path) -> Leaderboard:
    """Write the page of the reports in a folder, in one step, and return what it holds.

    Raises:
        ConfigError: the folder holds no report; the page can be written neither as Markdown nor as HTML, or its path holds something else.
    """
    if file.suffix not in ENDS:
        raise ConfigError(f'A leaderboard is written as Markdown or HTML; found {file}. End its name in {" or ".join(ENDS)}.')
    html = file.suffix == '.html'
    if html:
        check_html(file, option='--out', title=f'{TITLE}:')
    else:
        check_markdown(file, f'# {TITLE}:')
    found = leaderboard(folder)
    text = page(found, folder, file)
    if html:
        write_html(file, text, option='--out', title=f'{TITLE}:')
    else:
        write_markdown(file, text)
    return found


def _title(count: int) -> str:
    return f'{TITLE}: {_many(count, "report")}'


def counted(found: Leaderboard) -> str:
    """Return in words how many reports are ranked, and how many are not."""
    counts = {
        f'ranked, in {_many(len(found.boards), "table")}': sum(map(len, found.boards)),
        'not ranked because they know the ground truth': len(found.knowing),
        'not ranked for other reasons': len(found.unranked),
        'files ending in .json that are none': len(found.skipped),
    }
    return 'Reports: ' + '; '.join(f'{count} {what}' for what, count in counts.items() if count or what.startswith('ranked'))


def _many(count: int, what: str) -> str:
    return f'{count} {what}' if count == 1 else f'{count} {what}s'


def _blocks(found: Leaderboard, folder: str) -> list[Block]:
    blocks: list[Block] = [Paragraph(f'{counted(found)}.'), Paragraph(_HOW)]
    if len(found.boards) > 1:
        blocks += [Table(('table', 'reports', 'first'), tuple(map(_summary, enumerate(found.boards, start=1))))]
    for number, board in enumerate(found.boards, start=1):
        blocks += [Heading(f'{number}. {_about(board[0].entry.report)}'), _facts(board), _table(board, folder), _code(board)]
    if found.knowing:
        blocks += [Heading('Not ranked: know the ground truth'), _listed(found.knowing, folder, 'knows')]
    if found.unranked:
        blocks += [Heading('Not ranked'), _listed(found.unranked, folder, 'why')]
    if found.skipped:
        blocks += [Heading('Files that are no reports'), _skipped(found.skipped)]
    return blocks


def _summary(numbered: tuple[int, Board]) -> tuple[Cell, ...]:
    number, board = numbered
    first = ', '.join(f'{plain_name(row.entry.report)} ({100 * row.entry.rate:.1f} %)' for row in board if row.rank == 1)
    return f'{number}. {_about(board[0].entry.report)}', str(len(board)), first


def _about(report: EvaluationReport) -> str:
    """Return in a few words what a report is of: suite, tasks, splits, protocol, aids, and whatever makes it harder."""
    conditions, declared = report.conditions, report.declared
    tasks = sorted(row.task for row in conditions.tasks)
    played = tasks[0] if len(tasks) == 1 else f'{len(tasks)} tasks of {" and ".join(sorted(set(map(family_name, tasks))))}'
    splits = ' and '.join(sorted({split for row in conditions.tasks for split in row.splits}))
    protocol = f'protocol {declared.protocol} ({declared.variant})' if declared.protocol else 'no protocol'
    harder = [f'perturbed by {", ".join(conditions.perturbations)}'] if conditions.perturbations else []
    return ' · '.join([played, splits, protocol, _aids(report), *harder])


def _aids(report: EvaluationReport) -> str:
    return f'aids: {", ".join(report.aids)}' if report.aids else 'no aids'


def _facts(board: Board) -> Paragraph:
    reports = [row.entry.report for row in board]
    conditions, declared = reports[0].conditions, reports[0].declared
    tasks = sorted(row.task for row in conditions.tasks)
    prompts = ' and '.join(sorted({row.prompt for row in conditions.tasks}))
    axes = ', '.join(sorted({axis for row in conditions.tasks for axis in row.axes}))
    robots = ', '.join(sorted({row.robot for row in conditions.tasks}))
    share = f' (a part of the protocol: {part(reports[0])})' if declared.protocol and part(reports[0]) else ''
    pictures = conditions.cameras if conditions.cameras == 'none' else f'{conditions.cameras}, {conditions.size}'
    episodes = _many(len(reports[0].episodes), 'episode')
    return Paragraph(
        f'{episodes} of {_some(tasks)}; axes {axes}; test seeds {conditions.seeds[0]} to {conditions.seeds[1] - 1}'
        f'{share}; asked with: {prompts}; robot {robots}; cameras {pictures}; engine {conditions.engine}; {conditions.answer_seconds:g} s '
        'for an answer.'
    )


def _code(board: Board) -> Paragraph:
    codes = sorted({row.entry.report.bench or 'unknown' for row in board})
    mixed = ' (not the same for all)' if len(codes) > 1 else ''
    report = board[0].entry.report
    versions = ', '.join(report.conditions.versions)
    return Paragraph(f'Code of the bench: {", ".join(codes)}{mixed}. Versions: {versions}. Decides: {report.decides[:16]}.')


def _table(board: Board, folder: str) -> Table:
    head = ('rank', 'policy', 'solved', 'p', 'mean score', 'isolation', 'digest', 'bench', 'report', 'notes')
    return Table(head, tuple(_row(row, folder) for row in board))


def _row(row: Row, folder: str) -> tuple[Cell, ...]:
    report = row.entry.report
    return (
        str(row.rank), plain_name(report), _solved(report), _told_apart(row), _score(report), report.isolation, report.code[:12] or NONE,
        report.bench or 'unknown', _link(row.entry.file, folder), _notes(row),
    )  # fmt: skip


def _solved(report: EvaluationReport) -> str:
    overall, total = report.overall, len(report.episodes)
    if not overall.unobservable:
        return str(Rate(overall.successes, total))
    seen = Rate(overall.successes, overall.episodes)
    return f'{Rate(overall.successes, total)}; {overall.unobservable} not observed, without them {seen}'


def _told_apart(row: Row) -> str:
    if row.above is None:
        return NONE
    return f'{row.above.p_value:.2g}' + ('' if row.apart else f' {_ALIKE}')


def _score(report: EvaluationReport) -> str:
    mean = report.overall.mean_score
    return NONE if mean is None or mean < 0 else f'{mean:.1f}'


def _notes(row: Row) -> str:
    report = row.entry.report
    notes = [report.declared.training] if report.declared.training else []
    if report.again:
        notes.append(f'{report.again} episodes played more than once, as not observed before; solved at the first try {report.at_first}')
    for file, count in row.twins[:_NAMED]:
        notes.append(f'the same policy as {file}, {f"but {count} episodes came out otherwise" if count else "with the same episodes"}')
    if len(row.twins) > _NAMED:
        notes.append(f'and as {len(row.twins) - _NAMED} more')
    return '; '.join(notes) or NONE


def _listed(rows: Iterable[tuple[Entry, str]], folder: str, last: str) -> Table:
    """Return the table of reports that are not ranked, by what they are of; the last column says what is told of each."""
    told = sorted((_about(one.report), one.file, one.report, what) for one, what in rows)
    cells = ((about, plain_name(report), _solved(report), _link(file, folder), what) for about, file, report, what in told)
    return Table(('of', 'policy', 'solved', 'report', last), tuple(cells))


def _skipped(files: Sequence[tuple[str, str]]) -> Table:
    """Return the table of files that are no reports, in one row for each reason."""
    found: dict[str, list[str]] = {}
    for file, why in files:
        found.setdefault(why, []).append(file)
    return Table(('files', 'why', 'which'), tuple((str(len(own)), why, _some(own)) for why, own in found.items()))


def _some(names: Sequence[str]) -> str:
    more = f' and {len(names) - _NAMED} more' if len(names) > _NAMED else ''
    return ', '.join(names[:_NAMED]) + more


def _link(file: str, folder: str) -> Link:
    return Link(file, quote(os.fsencode(os.path.join(folder, file))))

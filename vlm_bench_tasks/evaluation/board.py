"""Rank the reports of a folder. Only what `compare` accepts shares a board; everything else is told with its reason."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from vlm_bench_sim.core.errors import ConfigError, VlmBenchError
from vlm_bench_tasks.evaluation.cells import check
from vlm_bench_tasks.evaluation.claims import false_claims
from vlm_bench_tasks.evaluation.compare import compared, obstacles
from vlm_bench_tasks.evaluation.protocols import TEST
from vlm_bench_tasks.evaluation.report import GIVEN, EvaluationReport
from vlm_bench_tasks.judging.statistics import CONFIDENCE, Pairs
from vlm_bench_tasks.run import TRUTH

_TOLD = 2
"""Largest number of reasons to name; further ones are only counted."""


@dataclass(frozen=True)
class Entry:
    """A report of the folder.

    Attributes:
        file: its path in the folder, with / between the parts.
        report: the report.
    """

    file: str
    report: EvaluationReport

    @property
    def rate(self) -> float:
        """What it is ranked by, 0…1: the success rate with unobservable episodes as failures."""
        return self.report.overall.floor


@dataclass(frozen=True)
class Row:
    """A report on a board.

    Attributes:
        rank: from 1; equal rates have equal ranks.
        entry: the report.
        above: how it compares to the row above it, the first of the pair; None in the first row.
        twins: other reports on this board of the same policy, each with the number of episodes that came out otherwise.
    """

    rank: int
    entry: Entry
    above: Pairs | None
    twins: tuple[tuple[str, int], ...] = ()

    @property
    def apart(self) -> bool:
        """Whether McNemar's test tells the policy apart from the one above."""
        return self.above is not None and self.above.p_value < 1 - CONFIDENCE


Board = tuple[Row, ...]
"""Reports of the same episodes under the same conditions, the best first."""


@dataclass(frozen=True)
class Leaderboard:
    """All reports of a folder.

    Attributes:
        boards: two or more reports each.
        knowing: reports of policies that know something from the ground truth, which are not ranked, each with what that is.
        unranked: each other report with the reason.
        skipped: files that are no reports, each with the reason.
    """

    boards: tuple[Board, ...]
    knowing: tuple[tuple[Entry, str], ...] = ()
    unranked: tuple[tuple[Entry, str], ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()


def leaderboard(folder: Path) -> Leaderboard:
    """Return the leaderboard of all reports in a folder and the folders in it.

    Raises:
        ConfigError: there is no such folder, or it holds no report.
    """
    entries, skipped = _read(folder)
    if not entries:
        others = f' {len(skipped)} of its files end in .json, but are no reports.' if skipped else ''
        raise ConfigError(
            f'{folder} holds no report of an evaluation.{others} Name the folder of evaluate --out, or that of sweep --reports.'
        )
    refused = [(entry, why) for entry in entries if (why := _refusal(entry))]
    sound = _without(entries, refused)
    knowing = [(entry, what) for entry in sound if (what := _known(entry.report))]
    classes = _classes(_without(sound, knowing))
    alone = [(own[0], _alone(own[0], sound)) for own in classes if len(own) == 1]
    boards = tuple(_board(own) for own in classes if len(own) > 1)
    return Leaderboard(boards, tuple(knowing), tuple(sorted([*refused, *alone], key=lambda one: one[0].file)), tuple(skipped))


def _without(entries: Iterable[Entry], told: Iterable[tuple[Entry, str]]) -> list[Entry]:
    files = {entry.file for entry, _ in told}
    return [entry for entry in entries if entry.file not in files]


def _read(folder: Path) -> tuple[list[Entry], list[tuple[str, str]]]:
    if not folder.is_dir():
        raise ConfigError(f'{folder} is not a folder. Name one that holds reports of vlm-bench evaluate.')
    entries, skipped = [], []
    for path in sorted(folder.rglob('*.json')):
        file = path.relative_to(folder).as_posix()
        try:
            if not path.is_dir():
                entries.append(Entry(file, EvaluationReport.load(path)))
        except ConfigError as error:
            skipped.append((file, str(error).removeprefix(f'{path} ')))
    return entries, skipped


def _refusal(entry: Entry) -> str:
    """Return why a report is no score of a test; '' if it is one."""
    report = entry.report
    if claims := false_claims(report):
        return f'it does not follow from its own episodes or conditions: {_told(claims)}'
    if report.conditions.purpose != TEST:
        return f'its seeds are for: {report.conditions.purpose or "nothing"}; only test seeds are ranked'
    try:
        if report.declared.protocol:
            check(report, report.declared.protocol, 'it')
    except VlmBenchError as error:
        return str(error)
    return ''


def _known(report: EvaluationReport) -> str:
    """Return what a policy knows from the ground truth; '' if nothing."""
    if TRUTH in report.conditions.assistance:
        return 'all of it'
    return report.options.get(GIVEN, '')


def _differ(one: EvaluationReport, other: EvaluationReport) -> list[str]:
    """Return why two reports cannot share a board."""
    ours, theirs = (f'{found.protocol} {found.variant}'.strip() or 'none' for found in (one.declared, other.declared))
    return [*obstacles(one, other), *([f'Their protocols are {ours} and {theirs}.'] if ours != theirs else [])]


def _classes(entries: Iterable[Entry]) -> list[list[Entry]]:
    """Return the reports in lists of those that can be compared, in order of their first files."""
    found: list[list[Entry]] = []
    for entry in entries:
        own = next((own for own in found if not _differ(own[0].report, entry.report)), None)
        if own is None:
            found.append([entry])
        else:
            own.append(entry)
    return found


def _board(entries: Sequence[Entry]) -> Board:
    rows: list[Row] = []
    for number, entry in enumerate(sorted(entries, key=lambda one: (-one.rate, one.report.policy, one.file)), start=1):
        before = rows[-1] if rows else None
        rank = before.rank if before and before.entry.rate == entry.rate else number
        pairs = compared(before.entry.report, entry.report)[-1].pairs if before else None
        rows.append(Row(rank, entry, pairs, _twins(entry, entries)))
    return tuple(rows)


def _twins(entry: Entry, entries: Iterable[Entry]) -> tuple[tuple[str, int], ...]:
    def policy(report: EvaluationReport) -> tuple[object, ...]:
        return report.policy, report.code, None if report.code else report.options  # the digest covers the options

    ours = entry.report
    return tuple(
        (other.file, sum(a != b for a, b in zip(ours.episodes, other.report.episodes, strict=True)))
        for other in entries
        if other is not entry and policy(other.report) == policy(ours)
    )


def _alone(entry: Entry, others: Iterable[Entry]) -> str:
    """Return in words that nothing is comparable with a report, and what differs from the most similar one."""
    found = [(_differ(entry.report, other.report), other.file) for other in others if other is not entry]
    if not found:
        return 'there is no other report'
    reasons, file = min(found, key=lambda one: len(one[0]))
    return f'no other report is comparable; {file} (the second) is nearest: {_told(reasons)}'


def _told(reasons: Sequence[str]) -> str:
    more = f' And {len(reasons) - _TOLD} more.' if len(reasons) > _TOLD else ''
    return ' '.join(reasons[:_TOLD]) + more

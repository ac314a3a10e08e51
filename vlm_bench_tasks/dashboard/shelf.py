"""The episodes that can be looked at: bags below a folder, or the episodes of a report with their bags. Pages name them by number alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

from vlm_bench_sim.bags import reader
from vlm_bench_sim.bags.metadata import FILE
from vlm_bench_sim.core.errors import BagError, VlmBenchError
from vlm_bench_tasks.evaluation.page_strips import bags_of
from vlm_bench_tasks.evaluation.report import EvaluationReport
from vlm_bench_tasks.result import Result

MOST_BAGS = 20_000
"""Largest number of bags of one folder that are listed."""

_AT_ONCE = 500  # rows of one answer


@dataclass(frozen=True)
class Row:
    """An episode in the list.

    Attributes:
        name: of the bag; '' if there is none.
        task, axis, split, seed: of the episode.
        instruction: words that the policy was given.
        verdict: success, failure or unobservable; '' if the bag does not say.
        cause: the word under which a failure is counted.
        detail: the causes in full.
        robot, policy: who moved, and by whose commands.
        seconds: simulated time until the verdict, s; '' if unknown.
        fault: why the bag cannot be looked at; '' if it can.
    """

    name: str = ''
    task: str = ''
    axis: str = ''
    split: str = ''
    seed: str = ''
    instruction: str = ''
    verdict: str = ''
    cause: str = ''
    detail: str = ''
    robot: str = ''
    policy: str = ''
    seconds: str = ''
    fault: str = ''


class Shelf:
    """Rows with the paths of their bags. Rows are only ever added, so a number stays valid."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._rows: list[Row] = []
        self._paths: list[Path | None] = []
        self.whole = Event()
        """Set once everything has been listed."""

    def add(self, row: Row, path: Path | None) -> None:
        """Add an episode."""
        with self._lock:
            self._rows.append(row)
            self._paths.append(path)

    def path(self, number: int) -> Path:
        """Return the bag of a row.

        Raises:
            BagError: there is no such row, or it has no bag.
        """
        with self._lock:
            path = self._paths[number] if 0 <= number < len(self._paths) else None
        if path is None:
            raise BagError(f'Episode {number} of the list has no bag. Record one: vlm-bench evaluate --record FOLDER, or generate.')
        return path

    def rows(self, since: int = 0) -> dict[str, Any]:
        """Return some rows as JSON types, from a number on, and whether all are there by now."""
        whole = self.whole.is_set()  # asked first: a row that comes in between is told next time
        with self._lock:
            part = self._rows[since : since + _AT_ONCE]
            more = len(self._rows) > since + len(part)
            seen = [path is not None for path in self._paths[since : since + _AT_ONCE]]
        told = [{**vars(row), 'bag': bag} for row, bag in zip(part, seen, strict=True)]
        return {'since': since, 'rows': told, 'whole': whole and not more}


def of_folder(folder: Path) -> Shelf:
    """Return a shelf that another thread fills with the bags below a folder.

    Raises:
        BagError: there are no bags.
    """
    found = sorted({path.parent for path in folder.rglob(FILE)} | {path for path in folder.rglob('.*.part') if path.is_dir()})
    if not found:
        raise BagError(f'{folder} holds no bags. Record some: vlm-bench generate --out FOLDER, or evaluate --record FOLDER.')
    if len(found) > MOST_BAGS:
        raise BagError(f'{folder} holds {len(found)} bags; at most {MOST_BAGS} are listed. Name one of the folders in it.')
    shelf = Shelf()
    Thread(target=_fill, args=(shelf, folder, found), name='shelf', daemon=True).start()
    return shelf


def of_report(report: EvaluationReport, folder: Path | None) -> Shelf:
    """Return a shelf with the episodes of a report, and their bags if a folder holds them.

    Raises:
        BagError: the report names a path outside the folder, or a bag in it is damaged.
    """
    shelf, paths = Shelf(), {} if folder is None else bags_of(report, folder)
    robots = {row.task: row.robot for row in report.conditions.tasks}
    for one in report.episodes:
        path = paths.get(one.key)
        shelf.add(replace(_of_result(one), robot=robots.get(one.task, ''), policy=report.policy, name=path.name if path else ''), path)
    shelf.whole.set()
    return shelf


def _fill(shelf: Shelf, folder: Path, found: Sequence[Path]) -> None:
    for path in found:
        name = str(path.relative_to(folder))
        try:
            row = _of_custom(reader.about(path))
            shelf.add(replace(row, name=name if name != '.' else path.name), path)
        except VlmBenchError as error:
            shelf.add(Row(name=name, fault=str(error)), path)
    shelf.whole.set()


def _of_custom(custom: Mapping[str, str]) -> Row:
    kept = ('task', 'axis', 'split', 'seed', 'instruction', 'verdict', 'robot', 'policy')
    cause = custom.get('cause', '')
    word = '' if custom.get('verdict') == 'success' else cause.partition(':')[0]
    return Row(**{name: custom.get(name, '') for name in kept}, cause=word, detail=cause, seconds=custom.get('sim_seconds', ''))


def _of_result(one: Result) -> Row:
    return Row(
        task=one.task, axis=one.axis, split=one.split, seed=str(one.seed), instruction=one.instruction, verdict=one.verdict,
        cause=one.cause, detail='; '.join((*one.causes, *(f'not true: {words}' for words in one.missed))), seconds=f'{one.sim_seconds:g}',
    )  # fmt: skip

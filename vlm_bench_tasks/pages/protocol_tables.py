"""The tables of a protocol in Markdown: the published rows, and beside them ours."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from vlm_bench_tasks.evaluation.cells import Cell, mean
from vlm_bench_tasks.evaluation.declaration import FINE_TUNED, TRAINED, ZERO_SHOT, Declaration
from vlm_bench_tasks.evaluation.protocols import Protocol, Variant, level_or_task
from vlm_bench_tasks.pages.published import (
    ARNOLD,
    ARNOLD_TASKS,
    CLEVRSKILLS,
    LOHORAVENS,
    LOHORAVENS_TASKS,
    VLMBENCH,
    VLMBENCH_TASKS,
    pair,
)
from vlm_bench_tasks.pages.tables import NONE, table

ELSEWHERE, HERE = 'another simulator', 'here'
_SLOTS = (
    ('L0', 'seen', TRAINED), ('L0', 'unseen', TRAINED), ('L1', 'seen', ZERO_SHOT), ('L1', 'seen', FINE_TUNED), ('L2', 'seen', ZERO_SHOT),
    ('L2', 'seen', FINE_TUNED), ('L1', 'unseen', ''), ('L2', 'unseen', ''),
)  # fmt: skip
"""Level, split and condition of ClevrSkills' columns; the last two are ours alone."""
_PUBLISHED_SLOTS = 6
_LETTERS = 'ABCDEFGHIJK'
_SEEN = 5  # A to E


@dataclass(frozen=True)
class Ours:
    """A row of ours: its name, what the policy was trained on, and its results by level or task and split."""

    name: str
    declared: Declaration
    cells: tuple[Cell, ...]

    @property
    def learned(self) -> bool:
        """Whether the policy was trained on something."""
        return bool(self.declared.trained_on)

    def cell(self, name: str, split: str) -> Cell | None:
        """Return the results of a level or task in a split, if something was observed."""
        return next((one for one in self.cells if (one.name, one.split) == (name, split) and one.episodes), None)


def protocol_table(wanted: Protocol, variant: Variant, rows: Iterable[Ours]) -> str:
    """Return one table of a protocol: the published rows, then ours."""
    head, build = _LAYOUTS[wanted.name]
    return table(head, build(wanted, variant, list(rows)))


def percent(cell: Cell | None) -> str:
    """Return success in percent with its 95 % interval."""
    if cell is None:
        return NONE
    low, high = cell.interval
    return f'{100 * cell.share:.1f} ({100 * low:.1f} to {100 * high:.1f})'


def _clevrskills(wanted: Protocol, variant: Variant, rows: Sequence[Ours]) -> Iterator[tuple[str, ...]]:
    for model, text in CLEVRSKILLS[variant.name].items():
        yield (model, ELSEWHERE, 'as the columns say', *text.split(), *([NONE] * (len(_SLOTS) - _PUBLISHED_SLOTS)))
    counts = Counter(map(level_or_task, wanted.tasks(variant)))
    for row in rows:
        yield (row.name, HERE, row.declared.training, *(_slot(row, slot, counts[slot[0]]) for slot in _SLOTS))


def _slot(row: Ours, slot: tuple[str, str, str], count: int) -> str:
    """Return the results of a level if they belong to a column; what is trained stands where the paper has what is fine-tuned.

    Args:
        row: the row.
        slot: level, split and condition of the column.
        count: number of tasks of the level.
    """
    level, split, expected = slot
    cell = row.cell(level, split)
    if cell is None or (level != 'L0' and expected and (cell.condition == ZERO_SHOT) != (expected == ZERO_SHOT)):
        return NONE
    few = f', {cell.tasks} of {count} tasks' if cell.tasks < count else ''
    told = f' {cell.condition}' if row.learned and cell.condition != expected else ''
    return f'{percent(cell)}{told}{few}'


def _arnold(wanted: Protocol, variant: Variant, rows: Sequence[Ours]) -> Iterator[tuple[str, ...]]:
    given = bool(variant.assist)
    for split in wanted.splits:
        for model, text in ARNOLD.items():
            shares = [pair(cell)[given] for cell in text[split].split()]
            yield (split, model, ELSEWHERE, *(f'{share:.2f}' for share in shares), f'{fmean(shares):.1f}')
        for row in rows:
            cells = [row.cell(f'arnold/{task}', split) for task in ARNOLD_TASKS]
            if any(cells):
                yield (split, row.name, HERE, *map(percent, (*cells, _mean(cells))))


def _lohoravens(wanted: Protocol, variant: Variant, rows: Sequence[Ours]) -> Iterator[tuple[str, ...]]:
    for method, text in LOHORAVENS[variant.name].items():
        scores = [float(score) for score in text.split()]
        yield (method, ELSEWHERE, *text.split(), f'{fmean(scores[1:_SEEN]):.1f}', f'{fmean(scores[_SEEN:]):.1f}')
    for row in rows:
        cells = [row.cell(f'lohoravens/{task}', wanted.splits[0]) for task in LOHORAVENS_TASKS]
        means = _mean(cells[1:_SEEN]), _mean(cells[_SEEN:])
        yield (row.name, HERE, *(NONE if cell is None else f'{cell.score:.1f}; {percent(cell)}' for cell in (*cells, *means)))


def _vlmbench(wanted: Protocol, variant: Variant, rows: Sequence[Ours]) -> Iterator[tuple[str, ...]]:
    for agent, text in VLMBENCH.items() if variant.published else ():
        yield (agent, ELSEWHERE, *(' / '.join(cell.split('/')) for cell in text.split()))
    for row in rows:
        both = ([percent(row.cell(f'vlmbench/{task}', split)) for split in wanted.splits] for task in VLMBENCH_TASKS)
        yield (row.name, HERE, *(' / '.join(cells) for cells in both))


def _mean(cells: Iterable[Cell | None]) -> Cell | None:
    """Return the mean over tasks; None unless there are results of all of them."""
    every = list(cells)
    found = [cell for cell in every if cell is not None]
    return mean('', '', found) if len(found) == len(every) else None


def _slot_head(level: str, split: str, expected: str) -> str:
    return ' '.join([level, *(['unseen'] if split == 'unseen' else []), *([expected] if level != 'L0' and expected else [])])


_WHO = ('whose', 'where')
_LAYOUTS: dict[str, tuple[tuple[str, ...], Callable[[Protocol, Variant, Sequence[Ours]], Iterator[tuple[str, ...]]]]] = {
    'clevrskills': ((*_WHO, 'training', *(_slot_head(*slot) for slot in _SLOTS)), _clevrskills),
    'arnold': (('split', *_WHO, *ARNOLD_TASKS, 'mean'), _arnold),
    'lohoravens': (
        (*_WHO, *(f'{letter} {task}' for letter, task in zip(_LETTERS, LOHORAVENS_TASKS, strict=True)), 'seen, B to E', 'unseen, F to K'),
        _lohoravens,
    ),
    'vlmbench': ((*_WHO, *VLMBENCH_TASKS), _vlmbench),
}
"""By protocol: the head of its tables, and what makes their rows."""

"""Results by the number that a goal asks for: one that is seen in training, or how far it lies from those."""

from statistics import mean

from vlm_bench_tasks.evaluation.entries import Entry, rate
from vlm_bench_tasks.pages.tables import table

_ABOUT = """\
*Seen*: numbers that the base split asks for. *Between* and *beyond*: numbers between those, and outside their range; beside them the
mean distance from the nearest seen one, in the unit of the task (m, degrees, or a share). *End of the way*: numbers, in any of the
three, at which what is moved can go no farther."""


def by_number(results: list[Entry]) -> tuple[str, ...]:
    """Return the blocks of a page about the numbers that goals ask for; none if no goal asks for one.

    Args:
        results: results of one policy.
    """
    asked = [r for r in results if r.from_seen is not None]
    if not asked:
        return ()
    rows = []
    for task in sorted({r.task for r in asked}):
        own = [r for r in asked if r.task == task]
        parts = (
            [r for r in own if not r.from_seen], [r for r in own if r.from_seen and not r.extrapolates], [r for r in own if r.extrapolates],
            [r for r in own if r.end_stop],
        )  # fmt: skip
        rows.append((task, *map(_cell, parts)))
    return ('## By number', table(('task', 'seen', 'between', 'beyond', 'end of the way'), rows), _ABOUT)


def _cell(results: list[Entry]) -> str:
    found, away = rate(results), [r.from_seen for r in results if r.from_seen]
    far = f'; {mean(away):.3g} away' if len(away) == len(results) and away else ''
    return f'{found.solved}/{found.total}{far}' if found.total else '–'

"""What is asked of policies of ours over a sweep: the oracle solves, and no control does."""

from math import sqrt
from statistics import mean, stdev

from vlm_bench_tasks.cli.results import Result, mean_score, rates
from vlm_bench_tasks.judging.statistics import Rate

LONG = 'lohoravens'
ORACLE, LONG_ORACLE = 0.985, 0.99
"""Least share of a family's episodes that the oracle solves, and of LoHoRavens'; each task, axis and split counts alike."""

ORACLE_CELL, SURE_FROM = 18 / 20, 60
"""Least share of the episodes of one task, axis and split that it solves; where there are fewer than so many, more are played first."""

Cell = tuple[str, str, str]
"""Task, axis and split."""

LONG_SCORE, LONG_DROPS = 80.0, 'drop_rate=0.1 1/s'
"""Least mean score of the oracle over LoHoRavens' tasks, perturbed as published with drops at this rate."""

LUCK, LUCK_AT_FURNITURE = 0.02, 0.05
"""Greatest share of a task's episodes that chance may solve, and where any push does something."""

_FURNITURE = ('drawer', 'door')
_SURE = 3.0  # standard errors


def rule(policy: str, family: str) -> str:
    """Say what is due of a policy of ours over the unperturbed tasks of a family."""
    if policy == 'oracle':
        return (
            f'Due: at least {_percent(_least(family))} of all episodes, and {_percent(ORACLE_CELL)} of those of one task, axis and split; '
            f'where it solves fewer, more are played, and they decide.'
        )
    if policy == 'still':
        return 'Due: no episode solved.'
    if policy == 'random':
        furniture = f'{100 * LUCK_AT_FURNITURE:.0f} % at furniture, where any push does something'
        return f"Due: at most {100 * LUCK:.0f} % of each task's episodes, {furniture}."
    return (
        'Due: of no task more than chance. Episodes of one split and seed are laid out alike along every axis, so they count as one, by '
        f'the mean of solved less chance; more than chance is where the mean of these lies over 0 by more than {_SURE:g} of its '
        'standard errors.'
    )


def shortcomings(results: list[Result]) -> list[str]:
    """Return where a policy of ours does not do what it is for: the oracle solves, and no control does.

    Perturbed, only the oracle's mean score over LoHoRavens' tasks is due.
    """
    calm = [r for r in results if not r.perturbations]
    found = [text for policy in sorted({r.policy for r in calm}) for text in _short([r for r in calm if r.policy == policy], policy)]
    return found + _low_score(held_to_score(results))


def unsure(results: list[Result]) -> list[Cell]:
    """Return what the oracle, unperturbed, solves less of than is due, of too few episodes to tell: more shall decide."""
    calm = [r for r in results if r.policy == 'oracle' and not r.perturbations]
    return [cell for cell, found in _low_cells(calm) if 0 < found.total < SURE_FROM]


def _low_cells(results: list[Result]) -> list[tuple[Cell, Rate]]:
    cells = rates(results, _cell).items()
    return [((task, axis, split), found) for (task, axis, split), found in cells if found.share < ORACLE_CELL - 1e-9]


def _cell(result: Result) -> Cell:
    return result.task, result.axis, result.split


def _least(family: str) -> float:
    return LONG_ORACLE if family == LONG else ORACLE


def _percent(share: float) -> str:
    return f'{100 * share:.3g} %'


def held_to_score(results: list[Result]) -> list[Result]:
    """Return those of which a mean score is due: the oracle's over LoHoRavens' tasks, with drops at `LONG_DROPS`."""
    return [r for r in results if r.policy == 'oracle' and r.family == LONG and LONG_DROPS in r.perturbations]


def _low_score(results: list[Result]) -> list[str]:
    """Say that the mean over tasks of their mean scores is too low."""
    scores = {task: mean_score(r for r in results if r.task == task) for task in sorted({r.task for r in results})}
    if none := [task for task, score in scores.items() if score is None]:
        return [f'{LONG} perturbed: {", ".join(none)} {"has" if len(none) == 1 else "have"} episodes without a score; play them anew']
    found = mean(score for score in scores.values() if score is not None) if scores else LONG_SCORE
    return [f'{LONG} perturbed: a mean score of {found:.1f}, where at least {LONG_SCORE:.0f} is due'] if found < LONG_SCORE else []


def _short(results: list[Result], policy: str) -> list[str]:
    if policy != 'oracle':
        tasks = rates(results, lambda r: (r.task,))
        return [text for key, found in tasks.items() if (text := _lucky(key[0], found, policy, [r for r in results if r.task == key[0]]))]
    lost = [r for r in results if not r.seen]
    unseen = [f'{len(lost)} episodes could not be observed, such as {_named(lost[0])}'] if lost else []
    due = [text for family in sorted({r.family for r in results}) for text in _unsolved([r for r in results if r.family == family], family)]
    return [*unseen, *due]


def _named(result: Result) -> str:
    return f'{result.task} {result.axis} {result.split} {result.seed}'


def _unsolved(results: list[Result], family: str) -> list[str]:
    """Return what the oracle does not solve often enough, of one family."""
    low = _low_cells(results)
    short = [f'{" ".join(cell)}: {found}, where at least {_percent(ORACLE_CELL)} is due' for cell, found in low]
    shares = [found.share for found in rates(results, _cell).values() if found.total]
    if shares and (share := mean(shares)) < _least(family) - 1e-9:
        short.append(f'{family} all: {_percent(share)}, where at least {_percent(_least(family))} is due')
    return short


def _lucky(task: str, found: Rate, policy: str, results: list[Result]) -> str:
    if policy == 'still':
        most, over = 0.0, found.solved > 0
    elif policy == 'random':
        most = LUCK_AT_FURNITURE if any(word in task for word in _FURNITURE) else LUCK
        over = found.share > most
    else:
        most, over = mean(r.chance for r in results if r.seen), _surely_more(results)
    return f'{task}: {policy} solves {found}, where at most {100 * most:.0f} % is due' if over else ''


def _surely_more(results: list[Result]) -> bool:
    """Tell whether more was solved than chance would, by three standard errors.

    An episode of the same split and seed is laid out alike along every axis, so these count as one, by their mean.
    """
    groups: dict[tuple[str, int], list[float]] = {}
    for r in results:
        if r.seen:
            groups.setdefault((r.split, r.seed), []).append(float(r.solved) - r.chance)
    above = [mean(group) for group in groups.values()]
    return len(above) > 1 and mean(above) > _SURE * stdev(above) / sqrt(len(above)) + 1e-9

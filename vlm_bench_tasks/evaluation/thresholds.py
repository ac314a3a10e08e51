"""Required results of our own policies over a sweep: the oracle must succeed, and the baselines must not."""

from collections.abc import Iterable
from math import sqrt
from statistics import mean, stdev

from vlm_bench_tasks import catalogue
from vlm_bench_tasks.episode import DUE, LUCK, Due
from vlm_bench_tasks.evaluation.entries import Entry, mean_score, rates
from vlm_bench_tasks.family import Family, family_name
from vlm_bench_tasks.judging.statistics import Rate

MANY = 60
"""Number of episodes of a task, axis and split from which on no more are played."""

PASSING = ('creep', 'stop_and_go')
"""The controls that lead a thing past the goal. They may solve only goals at the end of the way."""

IDLE = ('still', 'dawdle')
"""The controls that do nothing of use. They may solve nothing."""

Cell = tuple[str, str, str]
"""Task, axis and split."""

_SURE = 3.0  # standard errors


def rule(policy: str, family: str) -> str:
    """Return what is required of one of our policies over the unperturbed tasks of a family, in words."""
    if policy == 'oracle':
        groups = _groups(task for task in catalogue.tasks() if family_name(task) == family) or {DUE: []}
        return ' '.join(f'Due: {_owed(due, tasks if len(groups) > 1 else [])}' for due, tasks in groups.items())
    if policy in IDLE:
        return 'Due: no episode solved.'
    if policy == 'random':
        shares = {task: _luck(task) for task in catalogue.tasks() if family_name(task) == family}
        least = min(shares.values(), default=_luck(''))
        more = ''.join(f', {_percent(share)} of {task}' for task, share in shares.items() if share > least)
        return f"Due: at most {_percent(least)} of each task's episodes{more}{', where any push does something' if more else ''}."
    if policy in PASSING:
        return 'Due: no episode solved but those whose goal is the end of the way.'
    return (
        'Due: of no task more than chance. Episodes of one split and seed are laid out alike along every axis, so they count as one, by '
        f'the mean of solved less chance; more than chance is where the mean of these lies over 0 by more than {_SURE:g} of its '
        'standard errors.'
    )


def shortcomings(results: list[Entry]) -> list[str]:
    """Return all violated requirements: the oracle must succeed, and the baselines must not.

    With perturbations, only the oracle's mean score is checked, in families that require one.
    """
    calm = [r for r in results if not r.perturbations]
    found = [text for policy in sorted({r.policy for r in calm}) for text in _short([r for r in calm if r.policy == policy], policy)]
    held = held_to_score(results)
    by_family = {family: [r for r in held if r.family == family] for family in sorted({r.family for r in held})}
    return found + [text for family, results_of in by_family.items() for text in _low_score(results_of, family)]


def unsure(results: list[Entry]) -> list[Cell]:
    """Return the tasks, axes and splits in which the unperturbed oracle's rate is too low over too few episodes. More are to be played."""
    calm = [r for r in results if r.policy == 'oracle' and not r.perturbations]
    return [cell for cell, found, _ in _low_cells(calm) if 0 < found.total < MANY]


def _low_cells(results: list[Entry]) -> list[tuple[Cell, Rate, float]]:
    """Return the tasks, axes and splits in which the oracle's rate is too low, with that rate and what is due."""
    found = []
    for (task, axis, split), solved in rates(results, _cell).items():
        due = _due(task).many if solved.total >= MANY else _due(task).cell
        if solved.share < due - 1e-9:
            found.append(((task, axis, split), solved, due))
    return found


def _cell(result: Entry) -> Cell:
    return result.task, result.axis, result.split


def _family(name: str) -> Family:
    """Return a family, or the default requirements for a family that no longer exists but whose results were kept."""
    return catalogue.family(name) if name in catalogue.families() else Family()


def _due(task: str) -> Due:
    return catalogue.due(catalogue.task(task), task) if task in catalogue.tasks() else _family(family_name(task)).due


def _groups(tasks: Iterable[str]) -> dict[Due, list[str]]:
    """Return tasks by what is due of them."""
    found: dict[Due, list[str]] = {}
    for task in tasks:
        found.setdefault(_due(task), []).append(task)
    return found


def _owed(due: Due, tasks: list[str]) -> str:
    """Return what is due in words; `tasks` are named if others of the family owe something else."""
    of = f' of {", ".join(tasks)}' if tasks else ''
    then = 'and they decide' if due.many == due.cell else f'and {_percent(due.many)} of at least {MANY} are due'
    return (
        f'at least {_percent(due.together)} of all episodes{of}, and {_percent(due.cell)} of those of one task, axis and split; '
        f'where it solves fewer, more are played, {then}.'
    )


def _luck(task: str) -> float:
    return catalogue.task(task).luck if task in catalogue.tasks() else LUCK


def _percent(share: float) -> str:
    return f'{100 * share:.3g} %'


def held_to_score(results: list[Entry]) -> list[Entry]:
    """Return the results that need a minimum mean score: the oracle's, under the perturbation that their family names."""
    dues = {family: _family(family).score_due for family in {r.family for r in results}}
    return [r for r in results if r.policy == 'oracle' and (due := dues[r.family]) and due.perturbation in r.perturbations]


def _low_score(results: list[Entry], family: str) -> list[str]:
    """Return a message if the mean over tasks of their mean scores is too low."""
    due = _family(family).score_due
    if due is None:
        return []
    scores = {task: mean_score(r for r in results if r.task == task) for task in sorted({r.task for r in results})}
    if none := [task for task, score in scores.items() if score is None]:
        return [f'{family} perturbed: {", ".join(none)} {"has" if len(none) == 1 else "have"} episodes without a score; play them again']
    found = mean(score for score in scores.values() if score is not None)
    return [f'{family} perturbed: a mean score of {found:.1f}; at least {due.score:.0f} is required'] if found < due.score else []


def _short(results: list[Entry], policy: str) -> list[str]:
    if policy != 'oracle':
        tasks = rates(results, lambda r: (r.task,))
        return [text for key, found in tasks.items() if (text := _lucky(key[0], found, policy, [r for r in results if r.task == key[0]]))]
    lost = [r for r in results if not r.seen]
    unseen = [f'{len(lost)} episodes could not be observed, such as {_named(lost[0])}'] if lost else []
    due = [text for family in sorted({r.family for r in results}) for text in _unsolved([r for r in results if r.family == family], family)]
    return [*unseen, *due]


def _named(result: Entry) -> str:
    return f'{result.task} {result.axis} {result.split} {result.seed}'


def _unsolved(results: list[Entry], family: str) -> list[str]:
    """Return messages for the parts of one family in which the oracle succeeds too rarely."""
    short = [f'{" ".join(cell)}: {found}; at least {_percent(due)} is required' for cell, found, due in _low_cells(results)]
    for due, tasks in (groups := _groups(dict.fromkeys(r.task for r in results))).items():
        shares = [found.share for found in rates([r for r in results if r.task in tasks], _cell).values() if found.total]
        if shares and (share := mean(shares)) < due.together - 1e-9:
            named = family if len(groups) == 1 else ', '.join(tasks)
            short.append(f'{named} all: {_percent(share)}; at least {_percent(due.together)} is required')
    return short


def _lucky(task: str, found: Rate, policy: str, results: list[Entry]) -> str:
    if policy in IDLE:
        most, over = 0.0, found.solved > 0
    elif policy == 'random':
        most = _luck(task)
        over = found.share > most
    elif policy in PASSING:
        most, over = mean(r.end_stop for r in results), any(r.solved and not r.end_stop for r in results)
    else:
        most, over = mean(r.chance for r in results if r.seen), _surely_more(results)
    return f'{task}: {policy} solves {found}; at most {100 * most:.0f} % is allowed' if over else ''


def _surely_more(results: list[Entry]) -> bool:
    """Return whether the success rate exceeds chance by three standard errors.

    Episodes of the same split and seed have the same layout along every axis. They therefore count as one, by their mean.
    """
    groups: dict[tuple[str, int], list[float]] = {}
    for r in results:
        if r.seen:
            groups.setdefault((r.split, r.seed), []).append(float(r.solved) - r.chance)
    above = [mean(group) for group in groups.values()]
    return len(above) > 1 and mean(above) > _SURE * stdev(above) / sqrt(len(above)) + 1e-9

"""What is asked of policies of ours over a sweep: the oracle solves, and no control does."""

from math import ceil, sqrt
from statistics import mean, stdev

from vlm_bench_tasks.cli.results import Result, mean_score, rates
from vlm_bench_tasks.judging.statistics import Rate

ORACLE, ORACLE_AXIS = 0.95, 0.90
"""Least share of a task's episodes, and of those along one of its axes, that the oracle solves."""

LONG_ORACLE, LONG_ORACLE_SURE, SURE_FROM = 0.90, 56 / 60, 60
"""The same for a task of LoHoRavens, and where it has so many episodes; the mean over its tasks comes to `ORACLE`."""

LONG_SCORE, LONG_DROPS = 80.0, 'drop_rate=0.1 1/s'
"""Least mean score of the oracle over LoHoRavens' tasks, disturbed as published with drops at this rate."""

LUCK, LUCK_AT_FURNITURE = 0.02, 0.05
"""Greatest share of a task's episodes that chance may solve, and where any push does something."""

LONG = 'lohoravens'
_FURNITURE = ('drawer', 'door')
_SURE = 3.0  # standard errors


def rule(policy: str, family: str) -> str:
    """Say what is due of a policy of ours over the undisturbed tasks of a family."""
    if policy == 'oracle' and family == LONG:
        return (
            f'Due: at least {LONG_ORACLE:.0%} of the episodes of each task, {LONG_ORACLE_SURE:.1%} where it has {SURE_FROM} or more, '
            f'{ORACLE_AXIS:.0%} along each of several axes, and {ORACLE:.0%} in the mean over the tasks.'
        ).replace('%', ' %')
    if policy == 'oracle':
        return f'Due: at least {100 * ORACLE:.0f} % of the episodes of each task, and {100 * ORACLE_AXIS:.0f} % along each of its axes.'
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

    Disturbed, only the oracle's mean score over LoHoRavens' tasks is due.
    """
    calm = [r for r in results if not r.conditions]
    found = [text for policy in sorted({r.policy for r in calm}) for text in _short([r for r in calm if r.policy == policy], policy)]
    return found + _low_score(held_to_score(results))


def borderline(results: list[Result]) -> list[str]:
    """Return the tasks of LoHoRavens of which the oracle solves, undisturbed, just as many as are due: more episodes shall decide."""
    calm = [r for r in results if r.family == LONG and r.policy == 'oracle' and not r.conditions]
    return [task for (task,), found in rates(calm, lambda r: (r.task,)).items() if found.total < SURE_FROM and _just(found, LONG_ORACLE)]


def _just(found: Rate, share: float) -> bool:
    return found.solved == ceil(share * found.total - 1e-9) < found.total


def held_to_score(results: list[Result]) -> list[Result]:
    """Return those of which a mean score is due: the oracle's over LoHoRavens' tasks, with drops at `LONG_DROPS`."""
    return [r for r in results if r.policy == 'oracle' and r.family == LONG and LONG_DROPS in r.conditions]


def _low_score(results: list[Result]) -> list[str]:
    """Say that the mean over tasks of their mean scores is too low."""
    scores = {task: mean_score(r for r in results if r.task == task) for task in sorted({r.task for r in results})}
    if none := [task for task, score in scores.items() if score is None]:
        return [f'{LONG} disturbed: {", ".join(none)} {"has" if len(none) == 1 else "have"} episodes without a score; play them anew']
    found = mean(score for score in scores.values() if score is not None) if scores else LONG_SCORE
    return [f'{LONG} disturbed: a mean score of {found:.1f}, where at least {LONG_SCORE:.0f} is due'] if found < LONG_SCORE else []


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
    groups: list[tuple[tuple[str, ...], Rate, float]] = []
    for key, found in rates(results, lambda r: (r.task,)).items():
        groups.append((key, found, _due(found) if family == LONG else ORACLE))
    axes = {task: len({r.axis for r in results if r.task == task}) for task in {r.task for r in results}}
    for key, found in rates(results, lambda r: (r.task, r.axis)).items():
        if family != LONG or axes[key[0]] > 1:
            groups.append((key, found, ORACLE_AXIS))
    low = [(key, found, least) for key, found, least in groups if found.share < least - 1e-9]
    return [f'{" ".join(key)}: {found}, where at least {100 * least:.0f} % is due' for key, found, least in low] + _low_mean(
        results, family
    )


def _low_mean(results: list[Result], family: str) -> list[str]:
    """Say that the mean over LoHoRavens' tasks of what is solved of each is too low: tasks count alike, however many episodes they have."""
    found = mean(found.share for found in rates(results, lambda r: (r.task,)).values())
    low = family == LONG and found < ORACLE - 1e-9
    return [f'{family} all: {100 * found:.1f} % in the mean over its tasks, where at least {100 * ORACLE:.0f} % is due'] if low else []


def _due(found: Rate) -> float:
    return LONG_ORACLE_SURE if found.total >= SURE_FROM else LONG_ORACLE


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

"""The page of docs/results that says how far a judge that sees poses agrees with the one that sees everything."""

from collections.abc import Iterable, Sequence
from math import degrees

from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.sighting import Sight
from vlm_bench_tasks.agreement.near_misses import KINDS
from vlm_bench_tasks.agreement.study import LEVELS, SUCCESS, Case
from vlm_bench_tasks.pages.tables import NONE, literal, table

TITLE = '# Judged by poses'
"""The heading of the page up to its colon, by which it is known."""

_HEAD = '<!-- Written by `vlm-bench agreement --page`. Do not edit. -->'
_ABOUT = """\
Episodes of the expert were judged twice: by the judge that sees everything, and by the one that sees
[poses only](../decisions/0060-judge-by-poses-what-poses-can-tell.md), as three trackers would have told them. Of each episode that
the expert solves, the success counts, and one near miss: an episode that ends in one of ten ways with a clause that does not hold.
Grasp aids are off."""
_CELL = """\
A cell says how many verdicts agree, of those that the tracker's judge gives; after +, how many episodes it leaves open (unobservable).
**False success** counts near misses that it takes for successes."""
_OPEN = Verdict.UNOBSERVABLE.value


def tracker_page(cases: Sequence[Case], code: str) -> str:
    """Return the page of a study by code with this fingerprint."""
    tasks = list(dict.fromkeys(case.task for case in cases))
    kinds = [kind for kind in (SUCCESS, *KINDS) if any(case.kind == kind for case in cases)]
    words = sorted({clause.word for case in cases for clause in case.clauses})
    seeds = sorted({case.seed for case in cases})
    blocks = [
        f'{TITLE}: how far it agrees with judging by everything',
        _HEAD,
        _ABOUT,
        f'{len(tasks)} tasks, {len(cases)} cases, seeds {seeds[0]} to {seeds[-1]}, code {literal(code)}. The trackers:',
        table(('tracker', 'position', 'angle', 'delay', 'missed'), [_sight(level, sight) for level, sight in LEVELS.items()]),
        '## By clause',
        'Whether each clause holds at the end, pooled over tasks: how often both agree, of those that poses tell; after +, left open.',
        table(('clause', *LEVELS), [(literal(word), *(_clause(cases, word, level) for level in LEVELS)) for word in words]),
        '## By kind of episode',
        _CELL,
        table(('kind', *LEVELS), [_row(literal(kind), [case for case in cases if case.kind == kind]) for kind in kinds]),
        table(('', *LEVELS), [_row('all', cases), ('false success', *(_false(cases, level) for level in LEVELS))]),
        '## By task',
        table(('task', *LEVELS), [_row(literal(task), [case for case in cases if case.task == task]) for task in tasks]),
        '## Where they differ',
        *_differences(cases),
    ]
    return '\n\n'.join(blocks) + '\n'


def _sight(level: str, sight: Sight) -> tuple[str, ...]:
    accuracy = sight.accuracy
    return level, f'{1000 * accuracy.position:g} mm', f'{degrees(accuracy.angle):g}°', f'{sight.delay:g} s', f'{100 * sight.drop_out:g} %'


def _row(name: str, cases: Sequence[Case]) -> tuple[str, ...]:
    """Return the row of these cases."""
    return name, *(_counted([_agrees(case, level) for case in cases]) for level in LEVELS)


def _agrees(case: Case, level: str) -> bool | None:
    """Return whether a tracker's verdict agrees; None if it leaves the episode open."""
    return None if case.told[level] == _OPEN else case.told[level] == case.verdict


def _clause(cases: Iterable[Case], word: str, level: str) -> str:
    clauses = [clause for case in cases for clause in case.clauses if clause.word == word]
    return _counted([None if clause.told[level] is None else clause.told[level] == clause.holds for clause in clauses])


def _counted(agree: Sequence[bool | None]) -> str:
    """Return how many agree of those that are told, and how many are left open."""
    told = [one for one in agree if one is not None]
    left = len(agree) - len(told)
    return (f'{sum(told)}/{len(told)}' if told else NONE) + (f' + {left}' if left else '')


def _false(cases: Iterable[Case], level: str) -> str:
    return str(sum(case.told[level] == SUCCESS and case.verdict != SUCCESS for case in cases))


def _differences(cases: Iterable[Case]) -> list[str]:
    rows = [
        (literal(case.task), str(case.seed), literal(case.kind), level, f'{case.verdict}, {case.told[level]}', literal(case.causes[level]))
        for case in cases
        for level in LEVELS
        if case.told[level] not in (case.verdict, _OPEN)
    ]
    if not rows:
        return ['Nowhere.']
    return [table(('task', 'seed', 'kind', 'tracker', 'all seen, poses seen', 'cause'), rows)]

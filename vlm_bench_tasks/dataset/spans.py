"""The expert's steps and skills from the events of a bag, checked: they are in order, and each skill fits the one that called it."""

from collections.abc import Sequence
from dataclasses import dataclass

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.codes import EventKind
from vlm_bench_sim.core.errors import BagError, quoted
from vlm_bench_tasks.judging.report import Event
from vlm_bench_tasks.policies.waypoints import Waypoint
from vlm_bench_tasks.skills.trace import DONE, FAILED, GIVEN_UP, SkillBegun, SkillEnded

CUT = 'cut'
"""The outcome of a skill that the end of the episode cut short."""

OUTCOMES = (DONE, FAILED, GIVEN_UP, CUT)

_MOST = 2**31 - 1
_DO = 'Was the bag written by this project?'


@dataclass(frozen=True)
class SkillSpan:
    """A skill that the expert carried out.

    Attributes:
        number: its number, from 0, in the order of the beginnings.
        parent: number of the skill that called it; -1: none.
        skill: its name, that of the function in `skills/`.
        words: what it is for: the goal as a clause, or the thing that it handles.
        leaf: index of the clause of the plan that it serves; -1: several, or none.
        begin: control period of its first command.
        end: control period at which its last command had ended.
        outcome: done, failed, given_up, or `CUT`.
    """

    number: int
    parent: int
    skill: str
    words: str
    leaf: int
    begin: int
    end: int
    outcome: str


def steps(events: Sequence[Event], last: int) -> tuple[tuple[int, Waypoint], ...]:
    """Return the expert's waypoints up to the period `last`, each with the control period in which it begins.

    Raises:
        BagError: a waypoint cannot be read, is out of order, or serves a clause that cannot be.
    """
    found = [(event.seq, codec.read(event.text, Waypoint, BagError)) for event in events if event.kind is EventKind.WAYPOINT]
    for before, (seq, one) in zip([(0, None), *found], found, strict=False):
        if seq < before[0]:
            raise BagError(f'A step of period {seq} follows one of period {before[0]}. {_DO}')
        _check_leaf(f'The step of period {seq}', one.leaf)
    return tuple((seq, one) for seq, one in found if seq <= last)


def skills(events: Sequence[Event], last: int) -> tuple[SkillSpan, ...]:
    """Return the expert's skills that began up to the period `last`, by number; one that is still open then ends there, as `CUT`.

    Raises:
        BagError: a skill cannot be read, or does not fit the others.
    """
    begun: dict[int, tuple[int, SkillBegun]] = {}
    ended: dict[int, tuple[int, str]] = {}
    newest = 0
    for event in events:
        if event.kind is EventKind.SKILL_BEGUN:
            begin = codec.read(event.text, SkillBegun, BagError)
            _check_begin(begin, begun)
            begun[begin.number] = (event.seq, begin)
        elif event.kind is EventKind.SKILL_ENDED:
            end = codec.read(event.text, SkillEnded, BagError)
            _check_end(end, event.seq, begun, ended)
            ended[end.number] = (event.seq, end.outcome)
        else:
            continue
        if event.seq < newest:
            raise BagError(f'A skill begins or ends in period {event.seq}, after one in period {newest}. {_DO}')
        newest = event.seq
    within = {number: (seq, one) for number, (seq, one) in sorted(begun.items()) if seq <= last}
    stops = {number: at for number, at in ended.items() if at[0] <= last}
    return tuple(
        SkillSpan(one.number, one.parent, one.skill, one.words, one.leaf, seq, *stops.get(number, (last, CUT)))
        for number, (seq, one) in within.items()
    )


def _check_begin(one: SkillBegun, begun: dict[int, tuple[int, SkillBegun]]) -> None:
    if not 0 <= one.number <= _MOST or one.number in begun:
        why = 'begins twice' if one.number in begun else f'has a number outside 0 to {_MOST}'
        raise BagError(f'Skill {_short(one.number)} {why}. {_DO}')
    if one.parent != -1 and one.parent not in begun:
        raise BagError(f'Skill {one.number} was called by skill {_short(one.parent)}, which had not begun. {_DO}')
    _check_leaf(f'Skill {one.number}', one.leaf)


def _check_end(one: SkillEnded, seq: int, begun: dict[int, tuple[int, SkillBegun]], ended: dict[int, tuple[int, str]]) -> None:
    if one.number not in begun:
        raise BagError(f'Skill {_short(one.number)} ended in a bag, but it did not begin. {_DO}')
    if one.number in ended:
        raise BagError(f'Skill {one.number} ended twice. {_DO}')
    if seq < begun[one.number][0]:
        raise BagError(f'Skill {one.number} ended in period {seq}, before it began in period {begun[one.number][0]}. {_DO}')
    if one.outcome not in OUTCOMES:
        raise BagError(f'Skill {one.number} ended as {quoted(one.outcome)}; known are {", ".join(OUTCOMES)}. {_DO}')


def _check_leaf(what: str, leaf: int) -> None:
    if not -1 <= leaf <= _MOST:
        raise BagError(f'{what} serves the clause {_short(leaf)}; clauses are counted from 0, and -1 is none. {_DO}')


def _short(number: int) -> str:
    """Return a number from any source, cut to a few digits."""
    return f'{number!s:.20}'

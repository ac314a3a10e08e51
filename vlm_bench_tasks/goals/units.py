"""Unit tasks, VLMbench's parts of a plan: take control of a thing, bring it to a place, move it along a path.

A constraint class limits the position and the orientation of the thing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch
from math import pi

from vlm_bench_sim.core.constraint import Orientation, Position
from vlm_bench_tasks.goals.base import Goal, Leaf
from vlm_bench_tasks.goals.filling import Filled, Spilt
from vlm_bench_tasks.goals.logic import Never, Not, Then
from vlm_bench_tasks.goals.matter import Poured, Wiped
from vlm_bench_tasks.goals.mechanisms import JointAt, JointLeaf, Opened
from vlm_bench_tasks.goals.moving import Leaning, Moved, Raised, Toppled, Toward, Turned
from vlm_bench_tasks.goals.placing import At, Inside, On, Slid, Within, sticks_out
from vlm_bench_tasks.goals.scales import Carried, Level
from vlm_bench_tasks.goals.touching import Flying, Grasped, Reached, Touching
from vlm_bench_tasks.goals.towers import Tower

CONTROL, PLACE, LEAD = 'Control', 'M1', 'M2'
"""Grasp; bring to a place along any path; follow a path."""


@dataclass(frozen=True)
class Unit:
    """One unit task: its name, and its constraint at the end (M1) or along the path (M2). A Control has no constraint."""

    name: str
    position: Position | None = None
    orientation: Orientation | None = None

    def __str__(self) -> str:
        """Return the text that plans show, for example M1[position plane, orientation axis]."""
        if self.position is None or self.orientation is None:
            return self.name
        return f'{self.name}[position {self.position.value}, orientation {self.orientation.value}]'


@singledispatch
def units(goal: Goal) -> tuple[Unit, ...]:
    """Return the unit tasks of a plan, in order."""
    return tuple(unit for part in goal.parts for unit in units(part))


def words(plan: Goal) -> str:
    """Return the unit tasks of a plan as one line of text."""
    return ' · '.join(str(unit) for unit in units(plan))


def leaves_of(plan: Goal, due: Callable[[Then], int] = lambda _: 0) -> tuple[Leaf, ...]:
    """Return the leaves that a plan must make true, from left to right. Leaves of gates are left out.

    Args:
        plan: the plan.
        due: returns the index of the first part of a `Then` that counts; by default all count.
    """
    return tuple(leaf for _, leaf in numbered_leaves(plan, due))


def numbered_leaves(plan: Goal, due: Callable[[Then], int] = lambda _: 0, first: int = 0) -> tuple[tuple[int, Leaf], ...]:
    """Return the leaves of a plan (`leaves_of`), each with its index in `reported(plan)`.

    Args:
        plan: the plan.
        due: returns the index of the first part of a `Then` that counts; by default all count.
        first: index of the first clause of the plan.
    """
    if isinstance(plan, (Not, Never)):
        return ()
    if isinstance(plan, Leaf):
        return ((first, plan),)
    found: list[tuple[int, Leaf]] = []
    begin = due(plan) if isinstance(plan, Then) else 0
    for index, part in enumerate(plan.parts):
        if index >= begin:
            found += numbered_leaves(part, due, first)
        first += len(reported(part))
    return tuple(found)


def reported(goal: Goal) -> tuple[Goal, ...]:
    """Return what a report lists of a goal, from left to right: its leaves, and each gate as a whole."""
    if isinstance(goal, (Leaf, Not, Never)):
        return (goal,)
    return tuple(clause for part in goal.parts for clause in reported(part))


def taken(name: str, position: Position, orientation: Orientation) -> tuple[Unit, ...]:
    """Return a Control and the unit task that follows it."""
    return (Unit(CONTROL), Unit(name, position, orientation))


@units.register(Not)
@units.register(Never)
def _gate(_: Goal) -> tuple[Unit, ...]:
    return ()


@units.register
def _inside(goal: Inside) -> tuple[Unit, ...]:
    if goal.container.kind == 'shape_sorter':
        return taken(PLACE, Position.FIXED, Orientation.FIXED)
    if sticks_out(goal.prop, goal.container):
        return taken(PLACE, Position.LINE, Orientation.AXIS)
    return taken(PLACE, Position.FREE, Orientation.FREE)


@units.register(On)
@units.register(Carried)
def _on(_: Leaf) -> tuple[Unit, ...]:
    return taken(PLACE, Position.PLANE, Orientation.AXIS)


@units.register
def _tower(_: Tower) -> tuple[Unit, ...]:
    return taken(PLACE, Position.PLANE, Orientation.AXIS)


@units.register
def _within(_: Within) -> tuple[Unit, ...]:
    return taken(PLACE, Position.PLANE, Orientation.FREE)


@units.register
def _at(goal: At) -> tuple[Unit, ...]:
    return taken(PLACE, Position.FIXED, Orientation.FREE if goal.turn >= pi else Orientation.FIXED)


@units.register(Opened)
@units.register(JointAt)
def _opened(goal: JointLeaf) -> tuple[Unit, ...]:
    return taken(LEAD, Position.LINE if goal.joint.kind == 'prismatic' else Position.PATH, Orientation.BY_POSITION)


@units.register
def _moved(_: Moved) -> tuple[Unit, ...]:
    return taken(PLACE, Position.PLANE, Orientation.FREE)


@units.register(Toward)
@units.register(Slid)
def _pushed(_: Leaf) -> tuple[Unit, ...]:
    return taken(LEAD, Position.LINE, Orientation.FREE)


@units.register
def _flying(_: Flying) -> tuple[Unit, ...]:
    return taken(LEAD, Position.LINE, Orientation.FIXED)


@units.register
def _turned(_: Turned) -> tuple[Unit, ...]:
    return taken(PLACE, Position.FREE, Orientation.FIXED)


@units.register
def _raised(_: Raised) -> tuple[Unit, ...]:
    return taken(PLACE, Position.LINE, Orientation.FREE)


@units.register
def _leaning(_: Leaning) -> tuple[Unit, ...]:
    return taken(PLACE, Position.FREE, Orientation.AXIS)


@units.register
def _toppled(_: Toppled) -> tuple[Unit, ...]:
    return taken(PLACE, Position.FREE, Orientation.AXIS)


@units.register
def _grasped(_: Grasped) -> tuple[Unit, ...]:
    return (Unit(CONTROL),)


@units.register(Touching)
@units.register(Reached)
@units.register(Spilt)
@units.register(Level)
def _alone(_: Leaf) -> tuple[Unit, ...]:
    return ()  # no unit task: nothing is grasped for it


@units.register(Poured)
@units.register(Filled)
def _poured(_: Leaf) -> tuple[Unit, ...]:
    return taken(LEAD, Position.FREE, Orientation.AXIS)


@units.register
def _wiped(_: Wiped) -> tuple[Unit, ...]:
    return taken(LEAD, Position.PLANE, Orientation.AXIS)

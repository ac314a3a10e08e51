"""Waypoints: the expert's next step as a pose and a sentence. VLMbench trains its baselines on them. Each is an event in the bag."""

from dataclasses import dataclass
from math import radians

import numpy as np

from vlm_bench_sim.core.algebra import norm
from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.command import Command, ToolPose
from vlm_bench_sim.core.constraint import MotionConstraint, Position
from vlm_bench_sim.core.geometry import Floats, Pose
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.base import Leaf, called
from vlm_bench_tasks.goals.mechanisms import NOUNS, JointLeaf
from vlm_bench_tasks.goals.placing import Inside, On, Within
from vlm_bench_tasks.goals.scales import Carried, Level
from vlm_bench_tasks.goals.units import CONTROL, units

_UPRIGHT = 0.02  # m: greatest sideways motion that counts as straight up or down
_NEAR = 0.15  # m: a rotation with a smaller translation counts as a turn, not a move
_TILT = radians(25.0)
_AHEAD = Pose((0.0, 0.0, 0.08))  # where an approaching tool will be
_INTO: dict[type, str] = {Inside: 'into', On: 'onto', Within: 'onto', Carried: 'onto'}
_LED = {Position.LINE: 'along a line', Position.PLANE: 'along the plane', Position.FIXED: 'on the spot'}


@serialisable
@dataclass(frozen=True)
class Waypoint:
    """One step of the expert.

    Attributes:
        step: its number, from 0.
        sentence: what it does, for example: grasp the red cube.
        unit: the unit task that it belongs to: Control, M1 or M2.
        tool: target pose of the tool in the world.
        opening: target width between the fingers, m; 0 if they close, or if cups suck.
        constraint: motion constraint of the tool; None: none.
        leaf: index of the clause of the plan that it serves, as a report counts clauses (`goals.units.reported`); -1: not recorded.
        subtask: that clause, for example: the red cube is inside the blue container.
    """

    step: int
    sentence: str
    unit: str
    tool: Pose
    opening: float
    constraint: MotionConstraint | None = None
    leaf: int = -1
    subtask: str = ''


@dataclass(frozen=True)
class Situation:
    """What the expert knows when it acts.

    Attributes:
        scene: the initial scene.
        leaves: the leaves still to make true, each with its index in the plan.
        now: the newest snapshot.
        start: the first one.
        serves: the leaf that its skill serves, with its index; None: not known.
    """

    scene: Scene
    leaves: tuple[tuple[int, Leaf], ...]
    now: Snapshot
    start: Snapshot
    serves: tuple[int, Leaf] | None = None

    @property
    def due(self) -> tuple[int, Leaf] | None:
        """The leaf that the expert is making true, with its index: that of its skill, or the first that does not hold, or the last."""
        if self.serves:
            return self.serves
        missing = (numbered for numbered in self.leaves if not numbered[1].holds(self.now, self.start))
        return next(missing, self.leaves[-1] if self.leaves else None)

    @property
    def leaf(self) -> Leaf | None:
        """That leaf alone."""
        return self.due[1] if self.due else None


def waypoint(step: int, command: Command, seen: Situation) -> Waypoint | None:
    """Return the waypoint that a command of the expert leads to, with the number `step`; None for a command that moves nothing."""
    if seen.due is None:
        return None
    (index, leaf), now = seen.due, seen.now
    known = [unit.name for unit in units(leaf)]
    unit = known[-1] if now.held and known else CONTROL
    if isinstance(command, ToolPose):
        thing = _thing(leaf, seen, command.pose if command.straight else command.pose @ _AHEAD, command.allowed)
        sentence, constraint = _moved(command, thing, seen), command.constraint
        return Waypoint(step, sentence, unit, command.pose, now.opening, constraint, leaf=index, subtask=leaf.words())
    if isinstance(command, Grip | Seal):
        on = command.on if isinstance(command, Seal) else command.opening == 0.0 < now.opening
        thing = _thing(leaf, seen, now.tool if on or now.held else now.tool @ _AHEAD, ())
        sentence = f'grasp {thing.words}' if on else f'release {thing.words}' if now.held else f'open the hand for {thing.words}'
        opening = 0.0 if isinstance(command, Seal) else command.opening
        return Waypoint(step, sentence, unit, now.tool, opening, leaf=index, subtask=leaf.words())
    return None


@dataclass(frozen=True)
class _Thing:
    """The thing that the hand works on: its words, and its name in the scene ('' for furniture)."""

    words: str
    name: str = ''


def _thing(leaf: Leaf, seen: Situation, at: Pose, allowed: tuple[str, ...]) -> _Thing:
    """Return the thing that is held, or else one that may be touched, or else the prop nearest to a place."""
    if isinstance(leaf, JointLeaf) and not isinstance(leaf, Level):
        noun = NOUNS[leaf.joint.kind]
        return _Thing(f'the handle of the {noun}' if leaf.link == noun else f'the handle of the {leaf.link} {noun}')
    props = {prop.name: prop for prop in seen.scene.now(seen.now) if not prop.ghost}
    named = next((name for name in (seen.now.held, *allowed) if name in props), '')
    if not named and props:
        named = min(props, key=lambda name: props[name].pose.distance(at))
    return _Thing(called(props[named]), named) if named else _Thing('it')


def _moved(command: ToolPose, thing: _Thing, seen: Situation) -> str:
    now, leaf = seen.now, seen.leaf
    by = np.asarray(command.pose.position) - np.asarray(now.tool.position)
    sideways = float(np.hypot(by[0], by[1]))
    where = leaf.place if isinstance(leaf, Carried) else next((called(p) for p in leaf.props() if p.name != thing.name), '') if leaf else ''
    if not now.held:
        return _approached(command, thing, now)
    if command.constraint is not None and command.constraint.position is Position.PATH:
        return f'rotate {thing.words} around its hinge'
    if command.constraint is not None:
        led = _LED.get(command.constraint.position, 'upright')
        return f'move {thing.words} {led}' + (f' to {where}' if where and led == 'upright' else '')
    if command.straight and sideways < _UPRIGHT and by[2] > 0:
        return 'move upward'
    if now.tool.angle(command.pose) > _TILT and norm(by) < _NEAR:
        return f'rotate {thing.words}'
    if command.straight and sideways < _UPRIGHT and by[2] < 0:
        return f'move {thing.words} {_INTO.get(type(leaf), "to")} {where}' if where else f'lower {thing.words}'
    return f'move {thing.words} above {where}' if where else f'move {thing.words}'


def _approached(command: ToolPose, thing: _Thing, now: Snapshot) -> str:
    if not thing.name:
        return f'reach for {thing.words}' if command.straight else f'move to {thing.words}'
    at, there = np.asarray(now.pose(thing.name).position), np.asarray(command.pose.position)
    away = norm(there - at) - norm(np.asarray(now.tool.position) - at)
    if command.straight and away > 0:
        return f'move away from {thing.words}'
    return f'reach for {thing.words}' if command.straight else f'move to the {_side(there - at)} of {thing.words}'


def _side(offset: Floats) -> str:
    """Return the side of a thing for an offset from it, seen from the robot."""
    x, y, z = offset
    if z >= max(abs(x), abs(y)):
        return 'top'
    if abs(x) > abs(y):
        return 'front' if x > 0 else 'rear'
    return 'left' if y > 0 else 'right'

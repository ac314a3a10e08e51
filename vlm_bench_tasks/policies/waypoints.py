"""Waypoints: what the expert does next, as a pose and a sentence. VLMbench's baselines are trained on them; each is an event of the bag."""

from dataclasses import dataclass
from math import radians

import numpy as np

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.command import Command, Grip, Seal, ToolPose
from vlm_bench_sim.core.constraint import MotionConstraint, Position
from vlm_bench_sim.core.geometry import Floats, Pose
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.base import Goal, Leaf, called
from vlm_bench_tasks.goals.mechanisms import NOUNS, Opened
from vlm_bench_tasks.goals.placing import Inside, On, Within
from vlm_bench_tasks.goals.units import CONTROL, leaves_of, units

_UPRIGHT = 0.02  # m sideways that count as straight up or down
_NEAR = 0.15  # m sideways that count as above a thing
_TILT = radians(25.0)
_INTO: dict[type[Leaf], str] = {Inside: 'into', On: 'onto', Within: 'onto'}
_LED = {Position.LINE: 'along a line', Position.PLANE: 'along the plane', Position.FIXED: 'on the spot'}


@serialisable
@dataclass(frozen=True)
class Waypoint:
    """One step of the expert.

    Attributes:
        step: its number, from 0.
        sentence: what it does, for example: grasp the red cube.
        unit: the unit task that it belongs to: Control, M1 or M2.
        tool: where the tool shall be when it is done, in the world.
        opening: full width between the fingers when it is done, m; 0 where they close, or cups suck.
        constraint: what the tool keeps to on its way; None: nothing.
    """

    step: int
    sentence: str
    unit: str
    tool: Pose
    opening: float
    constraint: MotionConstraint | None = None


def waypoint(step: int, command: Command, plan: Goal, *, now: Snapshot, start: Snapshot) -> Waypoint | None:
    """Return the waypoint that a command of the expert leads to; None for those that move nothing.

    Args:
        step: its number.
        command: that begins.
        plan: that the expert carries out.
        now: the newest snapshot.
        start: the first one.
    """
    leaf = _active(plan, now, start)
    if leaf is None:
        return None
    if isinstance(command, ToolPose):
        return Waypoint(step, _moved(command, leaf, now), _unit(leaf, now), command.pose, now.opening, command.constraint)
    if isinstance(command, Grip | Seal):
        closes = command.on if isinstance(command, Seal) else command.opening < now.opening - 1e-4
        opening = 0.0 if isinstance(command, Seal) else command.opening
        return Waypoint(step, _gripped(leaf, now, closes=closes and opening == 0.0), _unit(leaf, now), now.tool, opening)
    return None


def _active(plan: Goal, now: Snapshot, start: Snapshot) -> Leaf | None:
    """Return the leaf that is being made true: the first that is not, or else the last."""
    leaves = leaves_of(plan)
    return next((leaf for leaf in leaves if not leaf.holds(now, start)), leaves[-1] if leaves else None)


def _unit(leaf: Leaf, now: Snapshot) -> str:
    known = [unit.name for unit in units(leaf)]
    return known[-1] if now.held and known else CONTROL


def _gripped(leaf: Leaf, now: Snapshot, *, closes: bool) -> str:
    if closes:
        return f'grasp {_thing(leaf)}'
    return f'release {_thing(leaf)}' if now.held else f'open the hand for {_thing(leaf)}'


def _moved(command: ToolPose, leaf: Leaf, now: Snapshot) -> str:
    by = np.asarray(command.pose.position) - np.asarray(now.tool.position)
    sideways = float(np.hypot(by[0], by[1]))
    if not now.held:
        return _approached(command, leaf, now)
    if command.constraint is not None:
        return _led(command.constraint, leaf)
    if command.straight and sideways < _UPRIGHT and by[2] > 0:
        return 'move upward'
    if now.tool.angle(command.pose) > _TILT and float(np.linalg.norm(by)) < _NEAR:
        return f'rotate {_thing(leaf)}'
    where = _destination(leaf)
    if command.straight and sideways < _UPRIGHT and by[2] < 0:
        return f'move {_thing(leaf)} {_INTO.get(type(leaf), "to")} {where}' if where else f'lower {_thing(leaf)}'
    return f'move {_thing(leaf)} above {where}' if where else f'move {_thing(leaf)}'


def _approached(command: ToolPose, leaf: Leaf, now: Snapshot) -> str:
    props = leaf.props()
    if props and props[0].name in now.bodies:
        at, there = np.asarray(now.pose(props[0].name).position), np.asarray(command.pose.position)
        away = float(np.linalg.norm(there - at)) - float(np.linalg.norm(np.asarray(now.tool.position) - at))
        if command.straight and away > 0:
            return f'move away from {_thing(leaf)}'
        side = _side(there - at)
        return f'reach for {_thing(leaf)}' if command.straight else f'move to the {side} of {_thing(leaf)}'
    return f'reach for {_thing(leaf)}' if command.straight else f'move to {_thing(leaf)}'


def _led(constraint: MotionConstraint, leaf: Leaf) -> str:
    if constraint.position is Position.PATH:
        return f'rotate {_thing(leaf)} around its hinge'
    return f'move {_thing(leaf)} {_LED.get(constraint.position, "upright")}'


def _side(offset: Floats) -> str:
    """Return on which side of a thing a place is, as somebody says who sits where the robot stands."""
    x, y, z = offset
    if z >= max(abs(x), abs(y)):
        return 'top'
    if abs(x) > abs(y):
        return 'front' if x > 0 else 'rear'
    return 'left' if y > 0 else 'right'


def _thing(leaf: Leaf) -> str:
    if isinstance(leaf, Opened):
        noun = NOUNS[leaf.joint.kind]
        return f'the handle of the {noun}' if leaf.link == noun else f'the handle of the {leaf.link} {noun}'
    return called(leaf.props()[0]) if leaf.props() else 'it'


def _destination(leaf: Leaf) -> str:
    return called(leaf.props()[1]) if len(leaf.props()) > 1 else ''

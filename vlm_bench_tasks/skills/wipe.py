"""Wipe dirt away: grasp the wiper, press it down where a stroke begins, slide it to the end, and repeat until enough is gone."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from math import cos, pi, radians, sin

import numpy as np

from vlm_bench_sim.core.algebra import matmul, norm
from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.constraint import Deviation, MotionConstraint, Orientation, Position
from vlm_bench_sim.core.geometry import Floats, Pose
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import TABLE, Snapshot
from vlm_bench_tasks.goals.matter import Wiped, seen
from vlm_bench_tasks.skills.carry import let_go, pick
from vlm_bench_tasks.skills.place_poses import PlacePose, PlacePoses
from vlm_bench_tasks.skills.skill import CommandFailed, Skill, SkillContext, SkillFailed, skill_for
from vlm_bench_tasks.skills.trace import traced

ABOVE = 0.06  # m above the table at the start and end of a stroke
PRESS = (0.001, 0.002, 0.003)  # m that the wiper is pressed into the table, deeper if it wiped nothing
DIRECTIONS = 12
SWATH = 0.7  # share of the wiper's length that counts as the width of a stroke
BEYOND = 0.012  # m that a stroke goes beyond the dirt
STROKES = 10
ASKED = 24  # greatest number of strokes that are checked
_GENTLE, _SLIDING = 0.3, 0.4  # shares of the arm's speed
_STRAY = Deviation(0.004, radians(4.0))


@dataclass(frozen=True)
class _Stroke:
    """One stroke: the wiper's yaw, the start and end of its middle in the plane, (2,) m, and the number of specks on its path."""

    yaw: float
    begin: Floats
    end: Floats
    count: int

    def wiper(self, at: Floats, height: float) -> Pose:
        """Return the wiper's pose for a position and height of its middle, m."""
        return Pose.from_rpy((float(at[0]), float(at[1]), height), (0.0, 0.0, self.yaw))


@skill_for.register
def wipe(goal: Wiped, now: Snapshot, context: SkillContext) -> Skill:
    """Wipe stroke by stroke until enough of the dirt is gone, and release the wiper.

    Raises:
        SkillFailed: the wiper cannot be grasped, no stroke is feasible, or no stroke removes dirt.
    """
    wiper, press = context.scene.prop(goal.dirt.wiper), 0
    if now.held not in ('', wiper.name):
        now = yield from let_go(now, context)
    for _ in range(STROKES):
        if goal.holds(now, now):
            break
        if now.held != wiper.name:
            now = yield from pick(wiper, _beginnings(goal, wiper, now, context), now, context)
        left = len(seen(now.dirt, goal.dirt.name))
        now = yield from _stroke(goal, wiper, press=PRESS[press], now=now, context=context)
        if len(seen(now.dirt, goal.dirt.name)) == left:
            press = min(press + 1, len(PRESS) - 1)
    if not goal.holds(now, now):
        raise SkillFailed(f'{len(seen(now.dirt, goal.dirt.name))} specks are left on {goal.area.name} after {STROKES} strokes.')
    return (yield from let_go(now, context)) if now.held == wiper.name else now


@traced
def _stroke(goal: Wiped, wiper: Prop, *, press: float, now: Snapshot, context: SkillContext) -> Skill:
    """Make the best feasible stroke, and lift the wiper."""
    in_tool = now.tool.inverse() @ now.pose(wiper.name)
    causes: list[str] = []
    for stroke in islice(_strokes(goal, wiper, now), ASKED):
        above, down, end, lifted = _way(stroke, wiper, in_tool, press=press, context=context)
        answer = context.check(now, (above, down, end))
        if not answer.feasible:
            causes.append(answer.reason.rstrip('.'))
            continue
        try:
            now = yield above
            now = yield down
            now = yield end
            return (yield lifted)
        except CommandFailed as failed:
            causes.append(str(failed).rstrip('.'))
            now = yield ToolPose(now.tool.shifted((0.0, 0.0, ABOVE)), straight=True, allowed=(TABLE,))
    raise SkillFailed(f'Cannot wipe {goal.area.name}: {"; ".join(causes[-3:]) or "nothing is left there"}.')


def _way(
    stroke: _Stroke, wiper: Prop, in_tool: Pose, *, press: float, context: SkillContext
) -> tuple[ToolPose, ToolPose, ToolPose, ToolPose]:
    """Return the tool poses of a stroke: above its start, at its start, at its end, and above its end."""
    level, to_tool = context.scene.table.top + wiper.size[2] / 2, in_tool.inverse()

    def tool(at: Floats, height: float) -> Pose:
        return stroke.wiper(at, level + height) @ to_tool

    begin, end = tool(stroke.begin, -press), tool(stroke.end, -press)
    level_plane = MotionConstraint(Position.PLANE, Orientation.FIXED, reference=begin, tolerance=_STRAY)
    return (
        ToolPose(tool(stroke.begin, ABOVE)),
        ToolPose(begin, straight=True, allowed=(TABLE,), speed=_GENTLE),
        ToolPose(end, straight=True, allowed=(TABLE,), speed=_SLIDING, constraint=level_plane),
        ToolPose(tool(stroke.end, ABOVE), straight=True, allowed=(TABLE,)),
    )


def _beginnings(goal: Wiped, wiper: Prop, now: Snapshot, context: SkillContext) -> PlacePoses:
    """Return the first poses of the wiper as place poses for `carry.pick`, because a grasp must allow a whole stroke."""

    def place_poses(in_tool: Pose) -> Iterator[PlacePose]:
        for stroke in islice(_strokes(goal, wiper, now), ASKED):
            above, down, end, _ = _way(stroke, wiper, in_tool, press=PRESS[0], context=context)
            if context.check(now, (above, end), held=wiper.at(in_tool)).feasible:
                yield PlacePose(above, down)

    return place_poses


def _strokes(goal: Wiped, wiper: Prop, now: Snapshot) -> list[_Stroke]:
    """Return strokes over the remaining dirt, those with the most dirt first. The wiper lies across the direction of the stroke."""
    spots = np.array([goal.dirt.centres[i] for i in seen(now.dirt, goal.dirt.name)])[:, :2]
    half, found = SWATH * wiper.size[0] / 2, []
    for k in range(DIRECTIONS):
        angle = pi * k / DIRECTIONS
        along, across = np.array([cos(angle), sin(angle)]), np.array([-sin(angle), cos(angle)])
        side, ahead = matmul(spots, across), matmul(spots, along)
        within = np.abs(side[:, None] - side) <= half
        best = int(within.sum(axis=0).argmax())
        middle = (side[within[best]].min() + side[within[best]].max()) / 2
        count, low, high = int(within[best].sum()), ahead[within[best]].min() - BEYOND, ahead[within[best]].max() + BEYOND
        ends = low * along + middle * across, high * along + middle * across
        for turn in (pi / 2, -pi / 2):
            forth = _Stroke(angle + turn, ends[0], ends[1], count)
            found += [forth, replace(forth, begin=ends[1], end=ends[0])]
    return sorted(found, key=lambda stroke: (-stroke.count, round(norm(stroke.end - stroke.begin), 6)))

"""Throw a prop: swing it along a straight line, and let go on the way, so that it falls onto the target."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import atan2, cos, pi, radians, sin, sqrt, tan

import numpy as np

from vlm_bench_sim.core.algebra import dot, norm
from vlm_bench_sim.core.command import Both, Chunk, Point, ToolPose
from vlm_bench_sim.core.geometry import Floats, Pose, Vector, vector
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import GRAVITY
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import PERIOD_NS, PERIOD_S
from vlm_bench_tasks.goals.placing import highest
from vlm_bench_tasks.goals.touching import Flying
from vlm_bench_tasks.skills.carry import let_go, pick
from vlm_bench_tasks.skills.place_poses import spots_on
from vlm_bench_tasks.skills.skill import CommandFailed, Skill, SkillContext, SkillFailed, skill_for

RUN_UP, COAST, BRAKE = 7, 1, 6  # control periods of constant acceleration, of constant velocity from the release on, and of braking
FLAT, TALL = 0.03, 0.2  # m: what is lower is a plate; what is higher is hit on its face, the rest from above
AIMS = (0.75, 0.55, 0.4)  # shares of the target's height at which the prop is aimed
REACHES = (0.65, 0.60, 0.55, 0.50)  # m from the base to the point of release
HEIGHTS = (0.7, 0.6, 0.5)  # of that point above the table's top, m
ASIDE = tuple(radians(angle) for angle in (0.0, 25.0, -25.0, 50.0, -50.0))  # of the swing from the direction away from the base
SLOPES = (radians(-15.0), 0.0, radians(-30.0))  # of the swing
TILTS = (radians(75.0), radians(60.0))  # of the tool's axis from straight down, forwards
LEVEL, BLOW = 0.8, 1.0  # least speed along the table, m/s, from above and against a face; what falls steeply glances off
SHARE = 0.95  # greatest share of the arm's limits
CHAINS, SOME = 200, 20  # greatest number of swings that are checked for an aim, and how many before those of the next aim
AIRBORNE = 0.3  # s, least flight to a plate: a shorter one is not seen
FLIGHT = 20  # control periods in which it must be seen flying


@dataclass(frozen=True)
class Swing:
    """A swing of the tool along a straight line.

    Attributes:
        release: pose of the tool at the release.
        velocity: velocity at the release, m/s.
    """

    release: Pose
    velocity: Vector

    def speeds(self) -> Floats:
        """Return the share of the velocity at the end of each control period, from its beginning on."""
        up, down = (i / RUN_UP for i in range(RUN_UP + 1)), (1.0 - i / BRAKE for i in range(1, BRAKE + 1))
        return np.array([*up, *[1.0] * COAST, *down])

    def offsets(self) -> Floats:
        """Return the distance from the release at those times, divided by the full speed, s; negative before the release."""
        speeds = self.speeds()
        way = np.array([0.0, *np.cumsum((speeds[1:] + speeds[:-1]) / 2 * PERIOD_S)])
        from_release: Floats = way - way[RUN_UP]
        return from_release

    def chain(self, allowed: str) -> tuple[ToolPose, ...]:
        """Return the tool poses at those times."""
        poses = [self.release.shifted(vector(np.multiply(self.velocity, offset))) for offset in self.offsets()]
        return tuple(ToolPose(pose, straight=i > 0, allowed=(allowed,)) for i, pose in enumerate(poses))

    def chunk(self, arms: tuple[tuple[float, ...], ...], profile: RobotProfile) -> Chunk | None:
        """Return the trajectory through arm positions at those times, rad; None if some are missing, or it exceeds the arm's limits."""
        way, along = np.asarray(arms), self.offsets()[:, None]
        if len(way) < len(along):
            return None
        rates = np.zeros(way.shape)
        rates[1:-1] = (way[2:] - way[:-2]) / (along[2:] - along[:-2]) * self.speeds()[1:-1, None]
        changes = np.diff(rates, axis=0) / PERIOD_S
        most = profile.max_acceleration or profile.acceleration
        if (np.abs(rates) > SHARE * np.asarray(profile.velocity)).any() or (np.abs(changes) > SHARE * np.asarray(most)).any():
            return None
        points = zip(way[1:].tolist(), rates[1:].tolist(), strict=True)
        return Chunk(tuple(Point((i + 1) * PERIOD_NS, tuple(q), tuple(rate)) for i, (q, rate) in enumerate(points)))


@skill_for.register
def throw(goal: Flying, now: Snapshot, context: SkillContext) -> Skill:
    """Throw the prop at the target, and return while it flies. Of the swings that the arm can make, the slowest comes first.

    Raises:
        SkillFailed: no swing is within the arm's limits, or the prop did not fly.
    """
    if now.held not in ('', goal.prop.name):
        now = yield from let_go(now, context)
    if now.held != goal.prop.name:
        now = yield from pick(goal.prop, None, now, context)
    for swing in _feasible(goal, now, context):
        chain = swing.chain(goal.prop.name)
        try:
            now = yield chain[0]
        except CommandFailed:
            continue
        if now.held != goal.prop.name:
            raise SkillFailed(f'{goal.prop.name} was lost before it was thrown.')
        if chunk := swing.chunk(context.check(now, chain).arms, context.profile):  # from where the arm really is
            return (yield from _thrown(goal, chunk, now, context))
    raise SkillFailed(f'Cannot throw {goal.prop.name} at {goal.target.name}: no swing is within the reach and the limits of the arm.')


def _thrown(goal: Flying, chunk: Chunk, now: Snapshot, context: SkillContext) -> Skill:
    """Swing, let go on the way, and return once the prop flies."""
    now = yield Both(chunk)
    for _ in range(RUN_UP - 1):
        now = yield Both()
    now = yield Both(gripper=context.profile.gripper.open())
    for _ in range(FLIGHT):
        if goal.holds(now, context.start or now):
            return now
        now = yield Both()
    raise SkillFailed(f'{goal.prop.name} was thrown and did not fly.')


def _feasible(goal: Flying, now: Snapshot, context: SkillContext) -> Iterator[Swing]:
    """Yield swings within the arm's reach and limits: some of each aim in turn, for there may be none for the first."""
    known = [_slowest_first(goal, aim, now, context) for aim in _aims(goal, now, context)]
    for begin, swings in product(range(0, CHAINS, SOME), known):
        for swing in swings[begin : begin + SOME]:
            chain = swing.chain(goal.prop.name)
            if context.check(now, chain[:1]).feasible and swing.chunk(context.check(now, chain).arms, context.profile):
                yield swing


def _aims(goal: Flying, now: Snapshot, context: SkillContext) -> Iterator[Floats]:
    """Yield where the prop's origin is to be at first contact, (3,) m: over a free spot of a plate, or at a height of a post."""
    here, floor, half = now.pose(goal.target.name), context.scene.table.top, min(goal.prop.size) / 2
    top = highest(goal.target, here)
    if _flat(goal.target, now, context):
        yield from (np.array([x, y, top + half]) for x, y, _ in spots_on(goal.prop, goal.target, now))
    else:
        yield from (np.array([*here.position[:2], floor + share * (top - floor) + half]) for share in AIMS)


def _flat(target: Prop, now: Snapshot, context: SkillContext) -> bool:
    """Return whether a target is a plate, and no post."""
    return highest(target, now.pose(target.name)) - context.scene.table.top < FLAT


def _slowest_first(goal: Flying, aim: Floats, now: Snapshot, context: SkillContext) -> list[Swing]:
    """Return the swings from which the prop falls onto an aim, the slowest first."""
    floor, post = context.scene.table.top, now.pose(goal.target.name)
    least, tall = AIRBORNE if _flat(goal.target, now, context) else 0.0, highest(goal.target, post) - floor >= TALL
    in_tool, level = now.tool.inverse() @ now.pose(goal.prop.name), BLOW if tall else LEVEL
    found = []
    for reach, height, aside, slope, tilt in product(REACHES, HEIGHTS, ASIDE, SLOPES, TILTS):
        point, heading = _release(aim, reach, aside)
        ahead = np.array([cos(heading), sin(heading), 0.0])
        tool = _tool((*point, floor + height), heading, tilt, in_tool)
        short = _half(goal.target, post, ahead) + _half(goal.prop, tool @ in_tool, ahead) if tall else 0.0
        way = aim - short * ahead - (*point, floor + height)
        velocity = _velocity(way, slope)
        if velocity is not None and norm(velocity[:2]) >= level and norm(way[:2]) >= least * norm(velocity[:2]):
            found.append((round(norm(velocity), 6), Swing(tool, vector(velocity))))
    found.sort(key=lambda one: one[0])
    return [swing for _, swing in found]


def _half(prop: Prop, pose: Pose, way: Floats) -> float:
    """Return half the extent of a prop's box along a direction, m: two things meet as far apart, and not where their origins do."""
    return sum(abs(dot(way, pose.rotation[:, axis])) * size for axis, size in enumerate(prop.size)) / 2


def _release(aim: Floats, reach: float, aside: float) -> tuple[tuple[float, float], float]:
    """Return the point of release (m) and the heading (rad) of a swing over the aim, `aside` from the direction away from the base."""
    far, bearing = norm(aim[:2]), atan2(aim[1], aim[0])
    flight = sqrt(max(0.0, far**2 - (reach * sin(aside)) ** 2)) - reach * cos(aside)
    begin = bearing - atan2(flight * sin(aside), reach + flight * cos(aside))
    return (reach * cos(begin), reach * sin(begin)), begin + aside


def _velocity(way: Floats, slope: float) -> Floats | None:
    """Return the velocity with which a prop falls along a way, (3,) m, for a slope of its path at its begin, m/s; None if none does."""
    far = norm(way[:2])
    fall = far * tan(slope) - way[2]
    if far <= 0.0 or fall <= 0.0:
        return None
    level = far * sqrt(GRAVITY / (2 * fall))
    return np.array([*(way[:2] / far * level), level * tan(slope)])


def _tool(point: tuple[float, float, float], heading: float, tilt: float, in_tool: Pose) -> Pose:
    """Return the pose of the tool, tilted forwards from straight down, at which the prop's origin is at a point."""
    turned = Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, heading)) @ Pose.from_rpy((0.0, 0.0, 0.0), (0.0, -tilt, 0.0))
    tool = turned @ Pose.from_rpy((0.0, 0.0, 0.0), (pi, 0.0, 0.0))
    off = np.asarray((tool @ Pose(in_tool.position)).position)
    return Pose(vector(np.asarray(point) - off), tool.orientation)

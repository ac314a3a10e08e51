"""Load the plates of a balance, and wait until it has come into balance.

A plate that sinks takes along what is on it, and a plate that rises fast throws it off. Plans name all things of one plate before those
of the other: then a loaded plate rises only with the last thing, which brings the two into balance slowly.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import hypot

from vlm_bench_sim.core.command import ToolPose, Wait
from vlm_bench_sim.core.geometry import Pose, Vector
from vlm_bench_sim.core.mechanisms import Mechanism
from vlm_bench_sim.core.rest import REST
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.symmetry import symmetry
from vlm_bench_tasks.goals.placing import highest
from vlm_bench_tasks.goals.scales import Carried, Level, carried_by
from vlm_bench_tasks.skills.carry import come_to_rest, let_go, pick, place
from vlm_bench_tasks.skills.place_poses import LEVEL, PlacePose, PlacePoses, flat
from vlm_bench_tasks.skills.skill import CommandFailed, Skill, SkillContext, SkillFailed, skill_for

LOOK, LOOKS = 0.25, 40  # s between two looks at a scale, and their number: equal masses swing for some 4 s
HUB: Vector = (0.34, 0.0, 0.34)
"""Between the plates and the robot, and over what stands there, m."""

THERE = 0.01
"""Distance from a place that is not worth a motion, m."""


@skill_for.register
def load(goal: Carried, now: Snapshot, context: SkillContext) -> Skill:
    """Put the prop over the middle of the first link, on the highest thing there, and wait until the scale is at rest.

    Raises:
        SkillFailed: the prop cannot be brought there, or something still moves.
    """
    if now.held != goal.prop.name:
        if now.held:
            now = yield from let_go(now, context)
        now = yield from _withdrawn(now)
        now = yield from pick(goal.prop, _over(goal, now, context), now, context)
        now = yield from _withdrawn(now)
    if _moving(goal.mechanism, now):
        now = yield from _settled(goal.mechanism, now)
    now = yield from place(goal.prop, _over(goal, now, context), now, context)
    now = yield from _withdrawn(now)
    now = yield from _settled(goal.mechanism, now)
    return (yield from come_to_rest(goal, now, context))


@skill_for.register
def level(goal: Level, now: Snapshot, context: SkillContext) -> Skill:
    """Wait until the beam is level and at rest.

    Raises:
        SkillFailed: it comes to rest elsewhere, or not at all.
    """
    now = yield from _settled(goal.mechanism, now)
    if not goal.holds(now, context.start or now):
        raise SkillFailed(f'{goal.full} does not come into balance.')
    return now


def _over(goal: Carried, now: Snapshot, context: SkillContext) -> PlacePoses:
    """Return the place poses over the middle of the goal's first link, on the highest thing that it carries."""
    prop, link = goal.prop, goal.mechanism.link(goal.links[0])
    plate = link.parts[0]
    at = goal.mechanism.placed(now.mechanisms)[goal.mechanism.full(link.name)] @ plate.pose
    there = [context.scene.prop(name) for name in carried_by(goal.mechanism, link.name, now) - {prop.name}]
    top = max([highest(plate, at), *(highest(other, now.pose(other.name)) for other in there)])
    (x, y, _), centre = at.position, symmetry(prop.kind, prop.size).centre

    def poses(in_tool: Pose) -> Iterator[PlacePose]:
        return flat(prop, in_tool, spots=[(x, y, top)], drops=LEVEL, yaw=at.yaw, centre=centre)

    return poses


def _withdrawn(now: Snapshot) -> Skill:
    """Move the hand straight back from between the plates, and then to the hub, as far as the arm can.

    From the hub every plate and everything near the robot is on a short way. From elsewhere the arm might fold over itself to get there.
    """
    x, y, z = now.tool.position
    share = min(1.0, hypot(*HUB[:2]) / hypot(x, y))
    for spot in (Pose((share * x, share * y, z)), Pose(HUB)):
        if now.tool.distance(spot) < THERE:
            continue
        try:
            now = yield ToolPose(replace(spot, orientation=now.tool.orientation), straight=True)
        except CommandFailed:
            return now
    return now


def _settled(mechanism: Mechanism, now: Snapshot) -> Skill:
    """Wait until all joints of a mechanism are at rest at two looks in a row: where a swing turns back, it is only for a moment.

    Raises:
        SkillFailed: one still moves.
    """
    calm = not _moving(mechanism, now)
    for _ in range(LOOKS):
        now = yield Wait(LOOK)
        before, calm = calm, not _moving(mechanism, now)
        if before and calm:
            return now
    raise SkillFailed(f'{", ".join(_moving(mechanism, now)) or mechanism.name} did not come to rest.')


def _moving(mechanism: Mechanism, now: Snapshot) -> list[str]:
    """Return the full names of the joints that move."""
    return [name for name in mechanism.joints if abs(now.joint(name).velocity) >= REST.linear]

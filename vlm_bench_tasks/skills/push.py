"""Push a prop along the table, or topple it."""

from collections.abc import Iterator
from math import atan2, cos, pi, sin, sqrt

import numpy as np

from vlm_bench_sim.core.algebra import dot, matmul, norm
from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.geometry import Floats, Pose
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import TABLE, Snapshot
from vlm_bench_tasks.goals.logic import all_of
from vlm_bench_tasks.goals.moving import Moved, Toppled, Toward
from vlm_bench_tasks.goals.outlines import diameter, outline
from vlm_bench_tasks.goals.placing import Slid, highest, lowest
from vlm_bench_tasks.goals.touching import Touching
from vlm_bench_tasks.skills.carry import calmed, let_go
from vlm_bench_tasks.skills.clearing import piled
from vlm_bench_tasks.skills.detours import detours
from vlm_bench_tasks.skills.skill import CommandFailed, Skill, SkillContext, SkillFailed, skill_for
from vlm_bench_tasks.skills.trace import traced

SHY = 0.03  # m between the fingertips and the prop before contact
FARTHER = 0.02  # m pushed beyond the requested distance
LOW, HIGH = 0.4, 0.9  # share of a prop's height at which it is pushed along the table, and toppled
EARLY = 0.01  # m by which a push ends early, since the hand touches before the tool's axis is there
LEAST, LONGEST = 0.005, 0.20  # m: shortest push, and the longest to a place: a prop that is pushed farther slips off to one side
SURELY = 0.6  # share of the tolerance within which a slid prop is left alone
PUSHES = 16  # greatest number of pushes to a place
WAYS = 16  # number of directions that are tried
_RISE = 0.10
_CARE = 0.3
_LOWEST = 0.012  # least height of the tool above the table, m


@skill_for.register
def push_away(goal: Moved, now: Snapshot, context: SkillContext) -> Skill:
    """Push the prop by the required distance, in any direction with room."""
    far = goal.distance(now, context.start or now) + FARTHER
    return (yield from push(goal.prop, _all_round(far), now=now, context=context))


@skill_for.register
def push_towards(goal: Toward, now: Snapshot, context: SkillContext) -> Skill:
    """Push the prop towards the target, as far as required: straight, or where there is no room for that, a bit aside."""
    ahead, first = goal.ahead(now), norm(goal.ahead(context.start or now))
    pushes = _nearer(ahead, (1 - goal.share) * first, within=SURELY * goal.within)
    return (yield from push(goal.prop, pushes, now=now, context=context))


@skill_for.register
def push_over(goal: Toppled, now: Snapshot, context: SkillContext) -> Skill:
    """Push the prop near its top until it falls."""
    return (yield from push(goal.prop, _all_round(max(goal.prop.size[:2])), now=now, context=context, share=HIGH))


def push_off(prop: Prop, now: Snapshot, context: SkillContext) -> Skill:
    """Push the prop, with what lies on it, off what it lies on, and wait until all of it is at rest.

    Raises:
        SkillFailed: there is no room for the hand.
    """
    things = (prop, *(context.scene.prop(name) for name in piled(prop, now)))
    now = yield from push(prop, _all_round(diameter(outline(prop, now.pose(prop.name)))), now=now, context=context)
    now, _ = yield from calmed(all_of(*(Touching(thing, TABLE) for thing in things)), now)
    return now


@skill_for.register
def slide(goal: Slid, now: Snapshot, context: SkillContext) -> Skill:
    """Push the prop to its place: push, look, and push what is left, in the direction that is left. It is not turned on purpose.

    Raises:
        SkillFailed: there is no room for the hand, or the prop did not come near enough.
    """
    early = EARLY
    for _ in range(PUSHES):
        here = _middle(goal, now.pose(goal.prop.name))
        way = _middle(goal, goal.pose) - here
        left = norm(way)
        if left <= SURELY * goal.near:
            return now
        now = yield from push(goal.prop, _leading(goal, way, early, now, context), now=now, context=context)
        moved = dot(_middle(goal, now.pose(goal.prop.name)) - here, way / left)
        early = min(max(early + moved - left, 0.0), 2 * EARLY)  # the hand is thicker, or thinner, than thought
    raise SkillFailed(f'{goal.prop.name} was pushed {PUSHES} times and is not where it should be.')


def _middle(goal: Slid, pose: Pose) -> Floats:
    """Return where the shape's centre is in the plane, (2,) m: that of a letter is not the origin."""
    middle: Floats = pose.apply([goal.prop.symmetry.centre])[0, :2]
    return middle


def _all_round(far: float) -> Iterator[tuple[Floats, float]]:
    return ((np.array([cos(a), sin(a)]), far) for a in (2 * pi * k / WAYS for k in range(WAYS)))


def _leading(goal: Slid, way: Floats, early: float, now: Snapshot, context: SkillContext) -> Iterator[tuple[Floats, float]]:
    """Yield first pushes of ways that lead a prop to its place, with room for the hand on the first two stretches.

    Args:
        goal: the place.
        way: what is left of the way there, (2,) m.
        early: by how much pushes are shorter than meant, m.
        now: the newest snapshot.
        context: context of the skill.
    """
    prop, pose, here = goal.prop, now.pose(goal.prop.name), _middle(goal, now.pose(goal.prop.name))
    for first, second in detours(prop, here, here + way, now, context.scene):
        there, rest = pose.shifted((*first.tolist(), 0.0)), norm(second)
        if rest == 0.0 or next(_feasible(prop, there, (second / rest, rest), LOW, now=now, context=context), None):
            yield first / norm(first), min(max(norm(first) - early, LEAST), LONGEST)


def _turned(way: Floats, angle: float) -> Floats:
    turn = np.array([[cos(angle), -sin(angle)], [sin(angle), cos(angle)]])
    return matmul(turn, way)


def _nearer(ahead: Floats, rest: float, *, within: float) -> Iterator[tuple[Floats, float]]:
    """Yield pushes after which at most `rest` m of the way `ahead`, (2,) m, is left: straight, then aside by less than `within` rad."""
    left = norm(ahead)
    for aside in (0.0, within / 2, -within / 2, within, -within):
        across = left * sin(aside)
        if abs(across) < rest:
            yield _turned(ahead / left, aside), left * cos(aside) - sqrt(rest**2 - across**2) + FARTHER


@traced
def push(prop: Prop, pushes: Iterator[tuple[Floats, float]], *, now: Snapshot, context: SkillContext, share: float = LOW) -> Skill:
    """Lower the closed fingers behind the prop, push it, and rise.

    Args:
        prop: the prop to push.
        pushes: pairs of a direction, a unit vector (2,) in the plane, and a distance, m; the best first.
        now: the newest snapshot.
        context: context of the skill.
        share: share of the prop's height at which it is pushed.

    Raises:
        SkillFailed: no direction leaves enough room for the hand.
    """
    if now.held:
        now = yield from let_go(now, context)
    now = yield context.profile.gripper.fist()
    allowed = (prop.name, *piled(prop, now))
    for heading, far in pushes:
        for stroke in _feasible(prop, now.pose(prop.name), (heading, far), share, now=now, context=context):
            try:
                for pose in stroke:
                    now = yield pose
            except CommandFailed:
                continue
            return (yield ToolPose(now.tool.shifted((0.0, 0.0, _RISE)), straight=True, allowed=allowed))
    raise SkillFailed(f'Cannot push {prop.name}: no direction leaves enough room for the hand.')


def _feasible(
    prop: Prop, pose: Pose, way: tuple[Floats, float], share: float, *, now: Snapshot, context: SkillContext
) -> Iterator[tuple[ToolPose, ...]]:
    """Yield strokes that push a prop at a pose, with a feasible approach: tool poses above, behind, and at the end."""
    for behind, end in _strokes(prop, pose, way, share):
        above, down = ToolPose(behind.shifted((0.0, 0.0, _RISE))), ToolPose(behind, straight=True)
        stroke = ToolPose(end, straight=True, allowed=(prop.name, *piled(prop, now)), speed=_CARE)
        if context.check(now, (above, down, stroke)).feasible:
            yield above, down, stroke


def _strokes(prop: Prop, pose: Pose, way: tuple[Floats, float], share: float) -> Iterator[tuple[Pose, Pose]]:
    """Yield the first and last tool pose of a push, with the fingers side by side or one behind the other."""
    heading, far = way
    reach = float(matmul(pose.apply(prop.solid.vertices)[:, :2] - np.asarray(pose.position[:2]), heading).min())
    begin = np.asarray(pose.position[:2]) + (reach - SHY) * heading
    end = begin + (SHY + far) * heading
    low, high = lowest(prop, pose), highest(prop, pose)
    height = max(_LOWEST, low + share * (high - low))
    yaw = atan2(heading[1], heading[0])
    for turn in (pi / 2, -pi / 2, 0.0, pi):
        rpy = (pi, 0.0, yaw + turn)
        yield Pose.from_rpy((*begin.tolist(), height), rpy), Pose.from_rpy((*end.tolist(), height), rpy)

"""Pick a prop up, carry it and put it down."""

from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from itertools import islice
from math import pi, radians

from vlm_bench_sim.core.algebra import dot, norm
from vlm_bench_sim.core.command import Command, ToolPose, Wait
from vlm_bench_sim.core.constraint import upright
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.protocols import Grasp
from vlm_bench_sim.core.rest import REST
from vlm_bench_sim.core.snapshot import ROBOT, TABLE, Snapshot
from vlm_bench_sim.core.symmetry import ANY, symmetry
from vlm_bench_sim.core.timing import PHYSICS_HZ
from vlm_bench_sim.core.vessels import SIDES
from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.goals.moving import LEVER
from vlm_bench_tasks.goals.placing import At, Inside, On, Within, highest, lowest, sticks_out
from vlm_bench_tasks.skills.grasping import APPROACH, SPEED, back, lifted, reach, take
from vlm_bench_tasks.skills.place_poses import PlacePose, PlacePoses, place_poses
from vlm_bench_tasks.skills.skill import CommandFailed, Dropped, Skill, SkillContext, SkillFailed, skill_for
from vlm_bench_tasks.skills.trace import traced

OVER = 0.03  # m of clearance above all other things for a prop carried with suction cups
CHECKED = 16  # greatest number of place poses checked for a grasp
HOPELESS = 8  # grasps, each without a way to put the prop down, after which no more are tried: in 1106 episodes one was enough
BACK, HIGHER = 0.10, 0.15  # m that the hand goes back, and then up, if a prop fell against it
CLEARLY = 0.1  # least improvement of the z component of the approach direction that counts
LIES = 0.7  # cosine of the least angle from the vertical at which a prop's axis lies, or a grasp does not come from above
TEETER = 0.8  # s in which an unstable prop falls and a leaning one comes to rest
LOOK, LOOKS = 0.25, 24  # s between two looks at a rocking prop, and their number: a cylinder on its rim wobbles for 4 s
MOVING = 0.1  # m/s: what is faster, and not held, flies or rolls
TRIES = 6  # grasps, or place poses, tried before the skill gives up
SLIPPED = 0.001, radians(1.5)  # m and rad: if the held prop has moved more in the hand, a new place pose is chosen
UPRIGHT, GENTLY = radians(20.0), 0.25  # greatest tilt of a prop on suction cups on a path that is not level, and share of the limits


@skill_for.register(Inside)
@skill_for.register(On)
@skill_for.register(Within)
@skill_for.register(At)
def put(goal: Inside | On | Within | At, now: Snapshot, context: SkillContext) -> Skill:
    """Bring the prop to where the goal wants it and release it there."""
    now = yield from carry(goal.prop, lambda now: place_poses(goal, now), now, context)
    if isinstance(goal, On) or (isinstance(goal, Inside) and sticks_out(goal.prop, goal.container)):
        now = yield Wait(TEETER)
    return (yield from come_to_rest(goal, now, context))


def carry(prop: Prop, where: Callable[[Snapshot], PlacePoses], now: Snapshot, context: SkillContext) -> Skill:
    """Pick a prop up, unless it is held, and put it down at one of the place poses that `where` returns."""
    if now.held not in ('', prop.name):
        now = yield from let_go(now, context)
    if now.held != prop.name:
        now = yield from pick(prop, where(now), now, context)
    return (yield from place(prop, where(now), now, context))


def come_to_rest(goal: Goal, now: Snapshot, context: SkillContext) -> Skill:
    """Wait until the props of the goal no longer rock.

    Raises:
        SkillFailed: a prop still rocks although the goal holds otherwise.
    """
    now, rocking = yield from calmed(goal, now)
    if rocking and goal.holds(now, context.start or now):
        raise SkillFailed(f'{", ".join(rocking)} did not come to rest.')
    return now


def calmed(goal: Goal, now: Snapshot) -> Generator[Command, Snapshot, tuple[Snapshot, list[str]]]:
    """Wait until the props of a goal are at rest. Return the last snapshot, and the names of those that still move."""
    rocking = _rocking(goal, now)
    for _ in range(LOOKS):
        if not rocking:
            break
        before, now = now, (yield Wait(LOOK))
        rocking = _rocking(goal, now, before)
    return now, rocking


def landed(goal: Goal, now: Snapshot) -> Skill:
    """Wait for the props of a goal that fly or roll, until they are at rest: the goal may come true by itself."""
    if any(norm(now.body(prop.name).linear) > MOVING for prop in goal.props() if prop.name != now.held):
        now, _ = yield from calmed(goal, now)
    return now


def _rocking(goal: Goal, now: Snapshot, before: Snapshot | None = None) -> list[str]:
    seconds = (now.step - before.step) / PHYSICS_HZ if before else 0.0
    names = [prop.name for prop in goal.props()]
    return [name for name in names if not REST.lies_still(now.body(name), before.body(name) if before else None, seconds)]


@traced
def pick(prop: Prop, where: PlacePoses | None, now: Snapshot, context: SkillContext) -> Skill:
    """Grasp and lift a prop, with a grasp that also allows one of the place poses `where` (None: no such condition).

    Raises:
        SkillFailed: no grasp is feasible, or every grasp tried lost the prop.
    """
    causes: list[str] = []
    for grasp in islice(_feasible(prop, where, now, context, causes), TRIES):
        try:
            now = yield from _take(prop, grasp, now, context)
            if now.held == prop.name:
                return now
            causes.append(f'lost the {prop.noun}')
        except CommandFailed as failed:
            causes.append(str(failed))
            now = yield context.profile.gripper.open()
    wide = _too_wide(prop, now, context)
    why = '; '.join((wide, *_said(causes[-1:])) if wide else _said(causes[-3:])) or 'no grasp is known for its shape'
    raise SkillFailed(f'Cannot pick up {prop.name}: {why}.')


def _said(causes: list[str]) -> list[str]:
    return [cause.rstrip('.') for cause in causes]


def _too_wide(prop: Prop, now: Snapshot, context: SkillContext) -> str:
    """Return that a prop is wider than the fingers open, as it stands or lies; empty if it is not."""
    gripper, down = context.profile.gripper, now.pose(prop.name).rotation[2]
    width = min(size for size, along in zip(prop.size, down, strict=True) if abs(along) < LIES)
    if gripper.suction or width < gripper.max_opening:
        return ''
    return f'as it stands it is at least {1e3 * width:.0f} mm wide, and the fingers open {1e3 * gripper.max_opening:.0f} mm'


@traced
def place(prop: Prop, where: PlacePoses, now: Snapshot, context: SkillContext) -> Skill:
    """Put the held prop down and retreat.

    Raises:
        SkillFailed: no way to put it down is feasible, or every way tried failed.
        Dropped: the gripper dropped it on the way.
    """
    tried, in_tool = 0, now.tool.inverse() @ now.pose(prop.name)
    for way, place_pose in _ways(prop, where, now, context):
        tried += 1
        try:
            for pose in way:
                now = yield pose
                if now.held != prop.name:
                    raise (Dropped if _was_dropped(now, context) else SkillFailed)(f'{prop.name} was lost on the way.')
            after, put_down = now.tool.inverse() @ now.pose(prop.name), place_pose
            if after.distance(in_tool) > SLIPPED[0] or after.angle(in_tool) > SLIPPED[1]:
                put_down = _nearest(where(after), place_pose, now, context)
                now = yield replace(put_down.above, straight=True)
            now = yield put_down.down
            now = yield from let_go(now, context)
            return (yield from step_back(prop, now, context))
        except CommandFailed:
            continue
    raise SkillFailed(f'Cannot put {prop.name} down: {tried} ways looked feasible, none was.')


def _nearest(found: Iterator[PlacePose], meant: PlacePose, now: Snapshot, context: SkillContext) -> PlacePose:
    """Return the feasible place pose nearest to `meant`, which was chosen before the prop slipped; `meant` if none is feasible."""
    near = sorted(islice(found, CHECKED), key=lambda one: round(_apart(one.down.pose, meant.down.pose), 6))
    return next((one for one in near if context.check(now, (replace(one.above, straight=True), one.down)).feasible), meant)


def _apart(a: Pose, b: Pose) -> float:
    return a.distance(b) + LEVER * a.angle(b)


def _ways(prop: Prop, where: PlacePoses, now: Snapshot, context: SkillContext) -> Iterator[tuple[tuple[ToolPose, ...], PlacePose]]:
    """Yield motions that bring the held prop above a place pose, best first, together with that place pose.

    With suction cups, level motions to all place poses come first, then upright ones, then slow ones along any path.
    """
    in_tool = now.tool.inverse() @ now.pose(prop.name)
    feasible = islice((one for one in where(in_tool) if context.check(now, (one.above, one.down)).feasible), TRIES)
    if not context.profile.gripper.suction:
        yield from (((one.above,), one) for one in feasible)
        return
    found = []
    for one in feasible:
        found.append(one)
        yield from ((way, one) for way in _level_ways(prop, one.above, now, context) if context.check(now, (*way, one.down)).feasible)
    upright_now = upright(Pose(orientation=now.tool.inverse().orientation), UPRIGHT)
    yield from (((replace(one.above, constraint=upright_now, speed=GENTLY),), one) for one in found)
    yield from (((replace(one.above, speed=GENTLY),), one) for one in found)


def _level_ways(prop: Prop, above: ToolPose, now: Snapshot, context: SkillContext) -> Iterator[tuple[ToolPose, ...]]:
    """Yield motions that keep the tool's direction: a motion overhead would fling a swinging prop."""
    yield (replace(above, straight=True),)
    hangs = now.tool.position[2] - lowest(prop, now.pose(prop.name))
    tops = [highest(other, other.pose) for other in context.scene.now(now) if not other.ghost and other.name != prop.name]
    height = max([top + hangs + OVER for top in tops] + [above.pose.position[2]])
    up = now.tool.shifted((0.0, 0.0, height - now.tool.position[2]))
    across = above.pose.shifted((0.0, 0.0, height - above.pose.position[2]))
    if height > now.tool.position[2]:
        yield tuple(ToolPose(pose, straight=True) for pose in (up, across, above.pose))


@traced
def let_go(now: Snapshot, context: SkillContext) -> Skill:
    """Open the fingers slightly wider than the prop and retreat along the approach. If the arm cannot, retreat half as far, or upwards."""
    held = now.held
    now = yield context.profile.gripper.release(now.opening)
    for away in (back(now.tool), back(now.tool, APPROACH / 2), now.tool.shifted((0.0, 0.0, APPROACH))):
        try:
            return (yield ToolPose(away, straight=True, allowed=(held,) if held else ()))
        except CommandFailed:
            continue
    return now


def step_back(prop: Prop, now: Snapshot, context: SkillContext) -> Skill:
    """Retreat farther from a prop that fell against the hand."""
    for away in (lambda tool: back(tool, BACK), lambda tool: tool.shifted((0.0, 0.0, HIGHER))):
        if not now.touches(prop.name, ROBOT):
            break
        there = ToolPose(away(now.tool), straight=True, allowed=(prop.name,))
        if context.check(now, (there,)).feasible:
            now = yield there
    return now


def _was_dropped(now: Snapshot, context: SkillContext) -> bool:
    """Return whether a gripper that held something has opened by itself."""
    return not now.held and context.profile.gripper.has_let_go(now.opening)


def _take(prop: Prop, grasp: Grasp, now: Snapshot, context: SkillContext) -> Skill:
    at = now.pose(prop.name) @ grasp.tool
    if now.opening < grasp.opening - 1e-3 or now.held:
        yield context.profile.gripper.open()
    now = yield from take(at, grasp, context, allowed=(prop.name,))
    # A prop that leans on another, such as the rim of a container, slides along it.
    beside = [name for pair in now.touching if prop.name in pair for name in pair if name not in (ROBOT, TABLE)]
    allowed = tuple(sorted({prop.name, *beside}))
    up = ToolPose(lifted(now.tool), straight=True, allowed=allowed, speed=SPEED)
    try:
        return (yield up)
    except CommandFailed:
        return (yield replace(up, straight=False))


def _feasible(prop: Prop, where: PlacePoses | None, now: Snapshot, context: SkillContext, causes: list[str]) -> Iterator[Grasp]:
    """Yield the grasps of the prop, best first, with a feasible approach, lift and put-down."""
    here = now.pose(prop.name)
    grasps = [_from_above(known, prop, here) for known in context.planner.grasps(prop)]
    if abs(here.rotation[2, 2]) < LIES:  # most grasps are for a prop that stands
        grasps.sort(key=lambda grasp: bool(dot(here.rotation[2], grasp.tool.rotation[:, 2]) > -LIES))
    hopeless = 0
    for grasp in grasps:
        if hopeless == HOPELESS:
            return
        at = now.pose(prop.name) @ grasp.tool
        answer = context.check(now, reach(at, prop.name), opening=grasp.opening)
        if not answer.feasible:
            causes.append(answer.reason)
            continue
        in_tool = grasp.tool.inverse()
        holding = prop.at(in_tool)
        if where is None or any(
            context.check(now, (place_pose.above, place_pose.down), held=holding).feasible for place_pose in islice(where(in_tool), CHECKED)
        ):
            yield grasp
        else:
            hopeless += 1
            causes.append(f'with this grasp there is no way to put the {prop.noun} down')


def _from_above(grasp: Grasp, prop: Prop, pose: Pose) -> Grasp:
    """Return the grasp turned by one of the prop's symmetries, if the tool then comes clearly more from above."""
    best, height = grasp, dot(pose.rotation[2], grasp.tool.rotation[:, 2])
    for axis, order in enumerate(symmetry(prop.kind, prop.size).orders):
        turns = order if order != ANY else SIDES
        for turn in range(1, turns):
            rpy = [0.0, 0.0, 0.0]
            rpy[axis] = 2 * pi * turn / turns
            turned = Pose.from_rpy((0.0, 0.0, 0.0), (rpy[0], rpy[1], rpy[2])) @ grasp.tool
            if (z := dot(pose.rotation[2], turned.rotation[:, 2])) < height - CLEARLY:
                best, height = replace(grasp, tool=turned), z
    return best

"""Pour: grasp the vessel by its wall, carry it upright, tilt it over the receiver step by step, tilt it back and put it down."""

from collections.abc import Generator, Iterable, Iterator
from itertools import islice, product
from math import atan2, cos, pi, radians, sin

from vlm_bench_sim.core.algebra import arccos
from vlm_bench_sim.core.command import Command, ToolPose, Wait
from vlm_bench_sim.core.constraint import upright
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.matter import inside
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.protocols import Grasp
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.matter import Poured, seen
from vlm_bench_tasks.skills.carry import let_go
from vlm_bench_tasks.skills.grasping import back, lifted, reach, take
from vlm_bench_tasks.skills.skill import CommandFailed, Skill, SkillContext, SkillFailed, skill_for
from vlm_bench_tasks.skills.tilting import SPOKES, TILTS, Pouring, alike, off_handle, walls

ASKEW = radians(8.0)  # tilt of a vessel in the hand beyond which it is set upright
RISE = 0.05  # m that the vessel is lifted off the receiver before it is tilted back, since it has turned slightly in the hand
CHECKED = (0, 1, 2, 5, 8)  # indices of the tilts that are checked beforehand
EMPTY = 0.08  # share of the beads in the vessel below which it counts as empty
FLOWING = 0.25  # s between two looks at the flowing beads
TRIES, GRIPS = 5, 3  # greatest number of ways to pour per grip, and of grips
LIPS = 2  # lips that the first grip may pour over, farthest from the hand; later grips use any
SLIPS = radians(25.0)  # lag of the vessel behind the commanded tilt beyond which it swings between the finger pads
_TAKEN, _CARRIED, _TILTED, _LOWERED = 0.8, 0.8, 1.0, 0.35  # shares of the arm's speed
_DROP = 0.003  # m


@skill_for.register
def pour(goal: Poured, now: Snapshot, context: SkillContext) -> Skill:
    """Pour from the vessel with the most beads until it is empty or cannot be tilted further, and put it back where it stood.

    Raises:
        SkillFailed: no other vessel holds beads, the vessel cannot be grasped or carried there, or it was lost.
    """
    vessel = _fullest(goal, now, context)
    if now.held not in ('', vessel.name):
        now = yield from let_go(now, context)
    tried: list[Grasp] = []
    for grip in range(GRIPS):
        if now.held != vessel.name:
            now = yield from _take(goal, vessel, now, context=context, tried=tried)
        now, emptied = yield from _empty(goal, vessel, now, context=context, lips=SPOKES if grip else LIPS)
        now = yield from _put_back(vessel, now, context)
        if emptied:
            return now
    raise SkillFailed(f'Cannot pour from {vessel.name} into {goal.receiver.name}: none of {GRIPS} grasps poured enough.')


def _fullest(goal: Poured, now: Snapshot, context: SkillContext) -> Prop:
    centres = seen(now.beads, goal.beads.name)
    vessels = [p for p in context.scene.props if p.solid.cavity is not None and p.name != goal.receiver.name]
    held = {p.name: int(inside(p.at(now.pose(p.name)), centres).sum()) for p in vessels}
    best = max(vessels, key=lambda p: held[p.name], default=None)
    if best is None or not held[best.name]:
        raise SkillFailed(f'There are no beads of {goal.beads.name} in anything but {goal.receiver.name}: nothing can be poured.')
    return best


def _take(goal: Poured, vessel: Prop, now: Snapshot, *, context: SkillContext, tried: list[Grasp]) -> Skill:
    """Grasp the vessel by its wall so that it can be tilted over the receiver, and lift it. Grasps like those in `tried` are skipped."""
    if context.profile.gripper.suction:
        raise SkillFailed(f'Suction cups cannot grip the wall of {vessel.name}. Use a robot with fingers.')
    causes: list[str] = []
    for grasp in islice(_feasible(goal, vessel, now, context=context, causes=causes, tried=tried), TRIES):
        tried.append(grasp)
        at = now.pose(vessel.name) @ grasp.tool
        try:
            yield context.profile.gripper.open()
            now = yield from take(at, grasp, context, allowed=(vessel.name,), speed=_TAKEN)
            now = yield ToolPose(lifted(now.tool), straight=True, allowed=(vessel.name,), speed=_TAKEN)
            if now.held == vessel.name:
                return now
            causes.append(f'{vessel.name} was not held')
        except CommandFailed as failed:
            causes.append(str(failed).rstrip('.'))
        now = yield context.profile.gripper.open()
    raise SkillFailed(f'Cannot take {vessel.name}: {"; ".join(causes[-3:]) or "its wall is out of reach"}.')


def _empty(
    goal: Poured, vessel: Prop, now: Snapshot, *, context: SkillContext, lips: int
) -> Generator[Command, Snapshot, tuple[Snapshot, bool]]:
    """Carry the vessel upright to the receiver, tilt it while beads flow, and tilt it back. Return whether enough was poured."""
    now = yield from _level(vessel, now)
    in_tool = now.tool.inverse() @ now.pose(vessel.name)
    for pouring in islice(_ways(goal, vessel.at(in_tool), now, context=context, lips=lips), TRIES):
        tools = pouring.tools(in_tool)
        try:
            now = yield ToolPose(tools[0], constraint=upright(in_tool), speed=_CARRIED)
        except CommandFailed:
            continue
        now, reached, swings = yield from _tilt(goal, pouring, now)
        now = yield from _back(now.tool.shifted((0.0, 0.0, RISE)), now, allowed=(goal.receiver.name,))
        for i in sorted({i for i in CHECKED if 0 < i < reached}, reverse=True):
            now = yield from _back(tools[i].shifted((0.0, 0.0, RISE)), now)
        in_tool = now.tool.inverse() @ now.pose(vessel.name)
        now = yield from _back(pouring.pose(0.0).shifted((0.0, 0.0, RISE)) @ in_tool.inverse(), now)
        if goal.holds(now, now) or _left(goal, vessel, now) <= EMPTY:
            return now, True
        if swings:
            break
    return now, False


def _tilt(goal: Poured, pouring: Pouring, now: Snapshot) -> Generator[Command, Snapshot, tuple[Snapshot, int, bool]]:
    """Tilt the vessel until it is empty or cannot tilt further. Return the tilt index reached, and whether it swings between the pads.

    Each step uses the vessel's measured pose in the hand, and goes higher if the receiver is in the way.
    """
    vessel, reached, behind = pouring.vessel, 0, 0.0
    for i, tilt in enumerate(TILTS[1:], start=1):
        if now.held != vessel.name:
            raise SkillFailed(f'{vessel.name} was lost on the way.')
        hung = now.tool.inverse() @ now.pose(vessel.name)
        moves = (ToolPose(higher.pose(tilt) @ hung.inverse(), straight=True, speed=_TILTED) for higher in pouring.higher())
        if (went := (yield from _first(moves))) is None:
            break
        now = went
        reached, behind = i, tilt - arccos(float(now.pose(vessel.name).rotation[2, 2]))
        now = yield from _flow(goal, vessel, now)
        if _left(goal, vessel, now) <= EMPTY or behind > SLIPS:
            break
    return now, reached, behind > SLIPS


def _first(moves: Iterable[ToolPose]) -> Generator[Command, Snapshot, Snapshot | None]:
    """Make the first feasible move, and return the snapshot after it; None if no move is feasible."""
    for move in moves:
        try:
            return (yield move)
        except CommandFailed:
            continue
    return None


def _back(tool: Pose, now: Snapshot, allowed: tuple[str, ...] = ()) -> Skill:
    """Move one step while tilting the vessel back, in a straight line if possible. An unreachable step is skipped."""
    went = yield from _first(ToolPose(tool, straight=straight, allowed=allowed, speed=_CARRIED) for straight in (True, False))
    return went or now


def _level(vessel: Prop, now: Snapshot) -> Skill:
    """Set the vessel upright in the air if it has turned in the hand, so that it can be carried upright."""
    at = now.pose(vessel.name)
    if at.rotation[2, 2] > cos(ASKEW):
        return now
    return (yield from _back(Pose.from_rpy(at.position, (0.0, 0.0, at.yaw)) @ (now.tool.inverse() @ at).inverse(), now))


def _flow(goal: Poured, vessel: Prop, now: Snapshot) -> Skill:
    """Wait until no more beads leave the vessel."""
    before = 1.0
    while (left := _left(goal, vessel, now)) < before:
        before, now = left, (yield Wait(FLOWING))
    return now


def _left(goal: Poured, vessel: Prop, now: Snapshot) -> float:
    """Return the share of the beads that are in the vessel."""
    return float(inside(vessel.at(now.pose(vessel.name)), seen(now.beads, goal.beads.name)).mean())


def _put_back(vessel: Prop, now: Snapshot, context: SkillContext) -> Skill:
    """Put the vessel down where it stood when the episode began."""
    now = yield from _level(vessel, now)
    stood, to_tool = (context.start or now).pose(vessel.name), (now.tool.inverse() @ now.pose(vessel.name)).inverse()
    down = Pose.from_rpy((*stood.position[:2], stood.position[2] + _DROP), (0.0, 0.0, stood.yaw)) @ to_tool
    now = yield ToolPose(lifted(down), constraint=upright(to_tool.inverse()), speed=_CARRIED)
    now = yield ToolPose(down, straight=True, allowed=('table',), speed=_LOWERED)
    now = yield context.profile.gripper.release(now.opening)
    return (yield ToolPose(back(now.tool), straight=True, allowed=(vessel.name,)))


def _feasible(
    goal: Poured, vessel: Prop, now: Snapshot, *, context: SkillContext, causes: list[str], tried: list[Grasp]
) -> Iterator[Grasp]:
    """Yield reachable grasps of the vessel's wall from which it can be tilted over the receiver."""
    before, reached = tuple(tried), []
    for grasp in walls(vessel):
        if any(alike(grasp, other) for other in before):
            continue
        at = now.pose(vessel.name) @ grasp.tool
        # The vessel counts as an obstacle: the fingers open wide enough for its wall, and a palm that touches it would press on its rim.
        answer = context.check(now, reach(at), opening=grasp.opening)
        if not answer.feasible:
            causes.append(answer.reason.rstrip('.'))
            continue
        one = (grasp, (*reach(at), ToolPose(lifted(at), straight=True)))
        if _pours(goal, vessel, now, context=context, reached=one, straight=True):
            yield grasp
        else:
            reached.append(one)
            causes.append(f'with this grasp {vessel.name} cannot be tilted over {goal.receiver.name}')
    yield from (one[0] for one in reached if _pours(goal, vessel, now, context=context, reached=one, straight=False))


def _pours(
    goal: Poured, vessel: Prop, now: Snapshot, *, context: SkillContext, reached: tuple[Grasp, tuple[ToolPose, ...]], straight: bool
) -> bool:
    """Return whether the vessel can be tilted over the receiver after the given grasp and lift."""
    held = vessel.at(reached[0].tool.inverse())
    return next(_ways(goal, held, now, context=context, lips=LIPS, way=reached[1], carries=(straight,)), None) is not None


def _ways(
    goal: Poured,
    held: Prop,
    now: Snapshot,
    *,
    context: SkillContext,
    lips: int,
    way: tuple[ToolPose, ...] = (),
    carries: tuple[bool, ...] = (True, False),
) -> Iterator[Pouring]:
    """Yield ways to pour that the arm can follow after the motion `way`, for a vessel with the pose in the tool frame of `held`.

    What the arm can follow depends on its joint positions after carrying. Ways with straight carrying come first, because a straight
    line determines these positions.
    """
    receiver = goal.receiver.at(now.pose(goal.receiver.name))
    hand = -held.pose.inverse().rotation[:, 2]
    spokes = [2 * pi * k / SPOKES for k in range(SPOKES)]
    over = [lip for lip in spokes if off_handle(held, lip) and hand[0] * cos(lip) + hand[1] * sin(lip) < 0.1]
    over.sort(key=lambda lip: round(float(hand[0] * cos(lip) + hand[1] * sin(lip)), 3))
    ahead = atan2(*receiver.pose.position[1::-1])
    # The wrist has the largest range if the flow is perpendicular to the arm's reach.
    flows = sorted((ahead + spoke for spoke in spokes), key=lambda flow: round(abs(cos(flow - ahead)), 6))
    for straight, lip, flow in product(carries, over[:lips], flows):
        for pouring in Pouring(held, receiver, lip, flow).higher():
            tilts = tuple(ToolPose(pouring.pose(TILTS[i]) @ held.pose.inverse(), straight=straight or i > 0) for i in CHECKED)
            answer = context.check(now, (*way, *tilts), held=held, opening=0.005)
            if answer.feasible:
                yield pouring
            if answer.feasible or receiver.name not in answer.reason.split():
                break  # higher helps only if the receiver is in the way

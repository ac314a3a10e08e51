"""Open and close furniture: grasp the handle, move it along its joint step by step, release and retreat.

The skill observes after each step. If the handle has slipped, it continues from there. If the handle was lost, it grasps it again. Where
no grasp allows all of the way, it leads the handle as far as the best one does, and takes it anew from there.
"""

from collections.abc import Generator, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from math import radians

import numpy as np

from vlm_bench_sim.core.command import Command, ToolPose
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.mechanisms import Latch, Mechanism
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.protocols import Feasibility, Grasp, PlanRequest
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.mechanisms import JointAt, JointLeaf, Opened, touched
from vlm_bench_tasks.skills.grasping import back, reach, take
from vlm_bench_tasks.skills.shove import shove
from vlm_bench_tasks.skills.skill import CommandFailed, Skill, SkillContext, SkillFailed, skill_for
from vlm_bench_tasks.skills.strokes import Work, arrived
from vlm_bench_tasks.skills.trace import traced

STUCK = 0.2  # least share of a step that the joint must move
OVER = radians(5.0)  # turn of a handle beyond the angle that frees its latch, if its range allows
FROM_BEFORE = 0.7  # cosine of the greatest angle between a grasp's direction and the outward normal of the front
FROM_BESIDE = 0.3  # greatest cosine of that angle for a hand that comes along the front, with one finger behind the handle
LONG, BETWEEN = 0.08, 0.015  # m: least length of a handle with room for a finger behind it, and half the width of that room
NEAR = 0.12  # m from a grasp within which the hand withdraws before it tries another
PARTS = (0.75, 0.5, 0.3)  # shares of the way for which a grasp is taken if none allows all of it
TAKES = 6  # greatest number of grasps of a handle

_OUTWARD = Pose.from_matrix(np.array([[0.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]))
"""Frame whose z points out of the front of a link. In it, a grasp from the front is like a grasp from above on a table."""


class _Lost(Exception):
    """The handle is no longer held, or does not move."""


@skill_for.register(Opened)
@skill_for.register(JointAt)
def operate(goal: JointLeaf, now: Snapshot, context: SkillContext) -> Skill:
    """Move a link of furniture to where the goal wants it, and release it if the goal asks for that.

    Raises:
        SkillFailed: it has no handle, no grasp of the handle is feasible, or the handle was lost repeatedly.
    """
    causes: list[str] = []
    for _ in range(TAKES):
        if goal.distance(now, now) == 0.0:
            break
        work = stroke = _work(goal, now)
        if now.held != work.held:
            try:
                now, stroke = yield from _take(work, now, context)
            except SkillFailed as failed:
                now = yield from _shoved(goal, work, now, context=context, failed=failed)
                break
        try:
            now = yield from _lead(stroke, now, context)
            if stroke == work:
                continue
        except (CommandFailed, _Lost) as failed:
            causes.append(str(failed).rstrip('.'))
        now = yield from _withdraw(work, (yield context.profile.gripper.open()))
    if goal.distance(now, now) > 0.0:
        raise SkillFailed(f'Cannot bring {goal.full} to {goal.target:.3g}: {"; ".join(causes[-3:]) or "it does not stay there"}.')
    if not goal.RELEASED or not touched(goal.mechanism, now):
        return now
    return (yield from _withdraw(_work(goal, now), (yield context.profile.gripper.release(now.opening))))


def _shoved(goal: JointLeaf, work: Work, now: Snapshot, *, context: SkillContext, failed: SkillFailed) -> Skill:
    """Push the front instead of taking its handle, unless a latch holds it.

    Raises:
        SkillFailed: it cannot be pushed either.
    """
    if len(work.strokes) > 1:
        raise failed
    try:
        return (yield from shove(goal, work, now, context))
    except SkillFailed as also:
        raise SkillFailed(f'{failed} {also}') from also


def _work(goal: JointLeaf, now: Snapshot) -> Work:
    piece, link = goal.mechanism, goal.mechanism.link(goal.link)
    grip = next((one for one in piece.links if one.handle and link.name in (one.name, one.parent)), None)
    if grip is None:
        raise SkillFailed(f'{goal.full} has no handle to take it by.')
    freed = [(latch.by, _freeing(piece, latch)) for latch in piece.latches if latch.link == link.name and _latched(piece, latch, now)]
    return Work(piece, grip, (*freed, (link.name, goal.target)))


def _latched(piece: Mechanism, latch: Latch, now: Snapshot) -> bool:
    held, by = (now.joint(piece.full(name)).position for name in (latch.link, latch.by))
    return by < latch.threshold and held - piece.joints[piece.full(latch.link)].lower < latch.play


def _freeing(piece: Mechanism, latch: Latch) -> float:
    return min(latch.threshold + OVER, (latch.threshold + piece.joints[piece.full(latch.by)].upper) / 2)


@traced
def _take(work: Work, now: Snapshot, context: SkillContext) -> Generator[Command, Snapshot, tuple[Snapshot, Work]]:
    """Grasp the handle, and return the work that the arm can do with that grasp: all of it, or the part up to a share of the way."""
    causes: list[str] = []
    for grasp, stroke in islice(_grips(work, now, context=context, causes=causes), TAKES):
        bar = _bar(work, now)
        at = bar.pose @ grasp.tool
        try:
            yield context.profile.gripper.open() if _frontal(grasp) else context.profile.gripper.ready(grasp.opening)
            check = partial(_follows, stroke, at, context)
            now = yield from take(at, grasp, context, allowed=work.touched, yielding=True, check=check)
            if now.held == work.held:
                return now, stroke
            causes.append(f'{work.held} was not held')
        except CommandFailed as failed:
            causes.append(str(failed).rstrip('.'))
        now = yield context.profile.gripper.open()
        if now.tool.distance(at) < NEAR:
            now = yield from _withdraw(work, now)
    raise SkillFailed(f'Cannot take {work.held}: {"; ".join(causes[-3:]) or "no grasp is known for its handle"}.')


def _grips(work: Work, now: Snapshot, *, context: SkillContext, causes: list[str]) -> Iterator[tuple[Grasp, Work]]:
    """Yield reachable grasps of the handle, each with the work that the arm can do from there.

    Grasps from the front that allow all of the way come first, then those from beside, then those that allow a part of it.
    """
    bar, reached = _bar(work, now), []
    grasps = context.planner.grasps(bar)
    for grasp in (*filter(_frontal, grasps), *(grasp for grasp in grasps if _beside(grasp, bar))):
        # From beside, the palm is before the free edge of the front, which it must not push.
        chain = reach(bar.pose @ grasp.tool, *(work.touched if _frontal(grasp) else ()))
        answer = context.check(now, chain, opening=grasp.opening)
        if not answer.feasible:
            causes.append(answer.reason.rstrip('.'))
            continue
        way = (*chain, *work.way(now, chain[-1].pose))
        led = _asked(context, now, way)
        if led.feasible:
            yield grasp, work
        else:
            causes.append(led.reason.rstrip('.'))
            reached.append((grasp, chain, (led.reached + 1 - len(chain)) / (len(way) - len(chain)) if len(work.strokes) == 1 else 1.0))
    for share in PARTS:
        stroke = work.part(now, share)
        for grasp, chain, blocked in reached:  # `blocked` is a share that is known to be too much
            if share < blocked and _asked(context, now, (*chain, *stroke.way(now, chain[-1].pose))).feasible:
                yield grasp, stroke


def _frontal(grasp: Grasp) -> bool:
    return bool(-grasp.tool.rotation[2, 2] >= FROM_BEFORE)


def _beside(grasp: Grasp, bar: Prop) -> bool:
    """Return whether a grasp comes along the front, and one finger fits behind the bar, between the rods that carry it."""
    along = int(np.argmax(bar.size))
    middle = abs(grasp.tool.position[along]) < BETWEEN and abs(grasp.tool.rotation[along, 2]) < FROM_BEFORE
    return bool(abs(grasp.tool.rotation[2, 2]) < FROM_BESIDE and bar.size[along] >= LONG and middle)


def _follows(work: Work, at: Pose, context: SkillContext, now: Snapshot, touch: ToolPose) -> None:
    """Check that the arm can grasp the handle from its present pose, and follow the whole path.

    Raises:
        CommandFailed: the arm cannot.
    """
    answer = _asked(context, now, (touch, *work.way(now, at)))
    if not answer.feasible:
        raise CommandFailed(answer.reason)


def _asked(context: SkillContext, now: Snapshot, chain: tuple[ToolPose, ...]) -> Feasibility:
    """Return whether the arm can follow a chain of tool poses. The furniture is no obstacle, because it moves along."""
    asked = PlanRequest(now.arm(context.profile.joints), chain[0], opening=now.opening, floor=context.scene.table.top)
    return context.planner.check(asked, chain)


@traced
def _lead(work: Work, now: Snapshot, context: SkillContext) -> Skill:
    """Move the held handle until every joint is at its target; `context` has the trace."""
    for link, end in work.strokes:
        full, ahead = work.piece.full(link), replace(work, strokes=((link, end),))
        joint = work.piece.joints[full]
        while not arrived(joint, at := now.joint(full).position, end):
            if now.held != work.held:
                raise _Lost(f'{work.held} was lost')
            steps = list(ahead.way(now, now.tool))
            now = yield steps[0]
            if abs(now.joint(full).position - at) < STUCK * abs(end - at) / len(steps):
                raise _Lost(f'{full} does not follow')
    return now


def _withdraw(work: Work, now: Snapshot) -> Skill:
    """Retreat along the approach, if the arm can."""
    try:
        return (yield ToolPose(back(now.tool), straight=True, allowed=work.touched))
    except CommandFailed:
        return now


def _bar(work: Work, now: Snapshot) -> Prop:
    """Return the handle's bar at its present pose, turned so that grasps from above become grasps from the front.

    Raises:
        SkillFailed: the bar is not a box.
    """
    part = next(part for part in work.grip.parts if part.name == work.grip.handle[0])
    if part.kind != 'cube':
        raise SkillFailed(f'Handle {part.name} is a {part.kind}; only boxes can be taken.')
    depth, width, height = part.size
    pose = work.frame(now) @ part.pose @ _OUTWARD
    return replace(part, name=work.held, size=(height, width, depth), pose=pose)

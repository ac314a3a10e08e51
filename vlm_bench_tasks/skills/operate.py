"""Open and close furniture: grasp the handle, move it along its joint step by step, release and retreat.

The skill observes after each step. If the handle has slipped, it continues from there. If the handle was lost, it grasps it again.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, radians

import numpy as np

from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.constraint import MotionConstraint, Orientation, Position
from vlm_bench_sim.core.geometry import Pose, vector
from vlm_bench_sim.core.mechanisms import Latch, Link, Mechanism
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.protocols import Grasp, PlanRequest
from vlm_bench_sim.core.snapshot import JointState, Snapshot
from vlm_bench_tasks.goals.mechanisms import JointAt, JointLeaf, Opened, touched
from vlm_bench_tasks.skills.grasping import SPEED, back, reach, take
from vlm_bench_tasks.skills.skill import CommandFailed, Skill, SkillContext, SkillFailed, skill_for

STEP = 0.05  # m that the tool moves between two observations
TURN = radians(10.0)  # rad that it turns between two observations
CHORD = radians(2.0)  # rad between two poses of its path
THERE = 0.01  # share of a joint's range that counts as arrived
STUCK = 0.2  # least share of a step that the joint must move
OVER = radians(5.0)  # turn of a handle beyond the angle that frees its latch, if its range allows
FROM_BEFORE = 0.7  # cosine of the greatest angle between a grasp's direction and the outward normal of the front
TAKES = 6  # greatest number of grasps of a handle

_OUTWARD = Pose.from_matrix(np.array([[0.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]))
"""Frame whose z points out of the front of a link. In it, a grasp from the front is like a grasp from above on a table."""


class _Lost(Exception):
    """The handle is no longer held, or does not move."""


@dataclass(frozen=True)
class _Work:
    """The work to do: the piece of furniture, the link with the handle, and the joints to move, one after the other."""

    piece: Mechanism
    grip: Link
    strokes: tuple[tuple[str, float], ...]

    @property
    def held(self) -> str:
        return self.piece.full(self.grip.name)

    @property
    def touched(self) -> tuple[str, ...]:
        """Names of the links that the hand may touch: the one that it holds, and those that move with it."""
        return tuple(dict.fromkeys((self.held, *(self.piece.full(link) for link, _ in self.strokes))))

    def frame(self, now: Snapshot, **moved: float) -> Pose:
        """Return the pose of the link with the handle, optionally with some joints at other positions."""
        states = now.mechanisms | {self.piece.full(link): JointState(position) for link, position in moved.items()}
        return self.piece.placed(states)[self.held]

    def way(self, now: Snapshot, tool: Pose) -> Iterator[ToolPose]:
        """Yield the steps that move all joints to their ends, for a tool that holds the handle at pose `tool`."""
        in_handle, at = self.frame(now).inverse() @ tool, tool
        moved: dict[str, float] = {}
        for link, end in self.strokes:
            joint, begin = self.piece.joints[self.piece.full(link)], now.joint(self.piece.full(link)).position
            far = self.frame(now, **moved, **{link: end}) @ in_handle
            count = max(1, ceil(max(at.distance(far) / STEP, at.angle(far) / TURN)))
            knots = 1 if joint.kind == 'prismatic' else max(1, ceil(at.angle(far) / count / CHORD))
            for i in range(count):
                shares = [(i + k / knots) / count for k in range(1, knots + 1)]
                path = [self.frame(now, **moved | {link: begin + (end - begin) * share}) @ in_handle for share in shares]
                yield self._led(at, path)
                at = path[-1]
            moved[link] = end

    def _led(self, at: Pose, path: list[Pose]) -> ToolPose:
        """Return the command that moves the tool from a pose along a path."""
        kept = MotionConstraint(Position.PATH, Orientation.BY_POSITION, reference=at, path=(at, *path))
        if len(path) == 1:
            way = vector(np.asarray(path[0].position) - np.asarray(at.position))
            kept = replace(kept, position=Position.LINE, direction=way)
        return ToolPose(path[-1], allowed=self.touched, speed=SPEED, constraint=kept)


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
        work = _work(goal, now)
        if now.held != work.held:
            now = yield from _take(work, now, context)
        try:
            now = yield from _lead(work, now)
        except (CommandFailed, _Lost) as failed:
            causes.append(str(failed).rstrip('.'))
            now = yield from _withdraw(work, (yield context.profile.gripper.open()))
    if goal.distance(now, now) > 0.0:
        raise SkillFailed(f'Cannot bring {goal.full} to {goal.target:.3g}: {"; ".join(causes[-3:]) or "it does not stay there"}.')
    if not goal.RELEASED or not touched(goal.mechanism, now):
        return now
    return (yield from _withdraw(_work(goal, now), (yield context.profile.gripper.release(now.opening))))


def _work(goal: JointLeaf, now: Snapshot) -> _Work:
    piece, link = goal.mechanism, goal.mechanism.link(goal.link)
    grip = next((one for one in piece.links if one.handle and link.name in (one.name, one.parent)), None)
    if grip is None:
        raise SkillFailed(f'{goal.full} has no handle to take it by.')
    freed = [(latch.by, _freeing(piece, latch)) for latch in piece.latches if latch.link == link.name and _latched(piece, latch, now)]
    return _Work(piece, grip, (*freed, (link.name, goal.target)))


def _latched(piece: Mechanism, latch: Latch, now: Snapshot) -> bool:
    held, by = (now.joint(piece.full(name)).position for name in (latch.link, latch.by))
    return by < latch.threshold and held - piece.joints[piece.full(latch.link)].lower < latch.play


def _freeing(piece: Mechanism, latch: Latch) -> float:
    return min(latch.threshold + OVER, (latch.threshold + piece.joints[piece.full(latch.by)].upper) / 2)


def _take(work: _Work, now: Snapshot, context: SkillContext) -> Skill:
    """Grasp the handle so that the arm can move it all the way."""
    causes: list[str] = []
    tries = 0
    for grasp in context.planner.grasps(_bar(work, now)):
        if -grasp.tool.rotation[2, 2] < FROM_BEFORE:
            continue
        at = _bar(work, now).pose @ grasp.tool
        if tries == TAKES or not _feasible(work, grasp, now=now, context=context, causes=causes):
            continue
        tries += 1
        try:
            yield context.profile.gripper.open()
            check = partial(_follows, work, at, context)
            now = yield from take(at, grasp, context, allowed=work.touched, yielding=True, check=check)
            if now.held == work.held:
                return now
            causes.append(f'{work.held} was not held')
        except CommandFailed as failed:
            causes.append(str(failed).rstrip('.'))
        now = yield from _withdraw(work, (yield context.profile.gripper.open()))
    raise SkillFailed(f'Cannot take {work.held}: {"; ".join(causes[-3:]) or "no grasp is known for its handle"}.')


def _feasible(work: _Work, grasp: Grasp, *, now: Snapshot, context: SkillContext, causes: list[str]) -> bool:
    """Return whether a grasp is reachable without collision, and the arm can follow the whole path from it."""
    at = _bar(work, now).pose @ grasp.tool
    chain = reach(at, *work.touched)
    answer = context.check(now, chain, opening=grasp.opening)
    try:
        if answer.feasible:
            _ask(context, now, (*chain, *work.way(now, at)))
            return True
        causes.append(answer.reason.rstrip('.'))
    except CommandFailed as failed:
        causes.append(str(failed).rstrip('.'))
    return False


def _follows(work: _Work, at: Pose, context: SkillContext, now: Snapshot, touch: ToolPose) -> None:
    """Check that the arm can grasp the handle from its present pose, and follow the whole path.

    Raises:
        CommandFailed: the arm cannot.
    """
    _ask(context, now, (touch, *work.way(now, at)))


def _ask(context: SkillContext, now: Snapshot, chain: tuple[ToolPose, ...]) -> None:
    """Check that the arm can follow a chain of tool poses. The furniture is no obstacle, because it moves along.

    Raises:
        CommandFailed: the arm cannot.
    """
    asked = PlanRequest(now.arm(context.profile.joints), chain[0], opening=now.opening, floor=context.scene.table.top)
    answer = context.planner.check(asked, chain)
    if not answer.feasible:
        raise CommandFailed(answer.reason)


def _lead(work: _Work, now: Snapshot) -> Skill:
    """Move the held handle until every joint is at its target."""
    for link, end in work.strokes:
        full, ahead = work.piece.full(link), replace(work, strokes=((link, end),))
        joint = work.piece.joints[full]
        while abs(end - (at := now.joint(full).position)) > THERE * (joint.upper - joint.lower):
            if now.held != work.held:
                raise _Lost(f'{work.held} was lost')
            steps = list(ahead.way(now, now.tool))
            now = yield steps[0]
            if abs(now.joint(full).position - at) < STUCK * abs(end - at) / len(steps):
                raise _Lost(f'{full} does not follow')
    return now


def _withdraw(work: _Work, now: Snapshot) -> Skill:
    """Retreat along the approach, if the arm can."""
    try:
        return (yield ToolPose(back(now.tool), straight=True, allowed=work.touched))
    except CommandFailed:
        return now


def _bar(work: _Work, now: Snapshot) -> Prop:
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

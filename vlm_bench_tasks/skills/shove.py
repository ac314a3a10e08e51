"""Push a front along its joint with closed fingers, where no grasp of its handle leads on.

The hand leans on the front beside the handle, outside to close and inside to open, and looks after each step how far the joint has come.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from math import ceil, cos, pi, radians, sin

import numpy as np

from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.geometry import Pose, Vector
from vlm_bench_sim.core.mechanisms import Link
from vlm_bench_sim.core.snapshot import JointState, Snapshot
from vlm_bench_tasks.goals.mechanisms import JointLeaf
from vlm_bench_tasks.skills.grasping import APPROACH, SPEED, back
from vlm_bench_tasks.skills.skill import CommandFailed, Skill, SkillContext, SkillFailed

THERE = 0.01  # share of the joint's range that counts as arrived
STRIDE = 0.1  # share of the range that the front is pushed between two looks
STEPS = 30  # greatest number of looks
TRIES = 4  # greatest number of ways that are tried
FINGERS = 0.016  # m between the front and the middle of fingers that lean on it
BESIDE = ((0.0, 0.06), (0.0, -0.06), (0.05, 0.0), (0.10, 0.0))  # m from the handle towards the hinge, and up, where the hand leans
YAWS = tuple(radians(v) for v in (0, 30, -30, 60, -60, 90, -90))  # of the hand, from straight ahead
PITCHES = tuple(radians(v) for v in (0, 30, 60, 90))  # downwards


@dataclass(frozen=True)
class _Lean:
    """A way to lean on a front: where in the link's frame, and with which orientation of the hand in the world."""

    spot: Vector
    hand: Pose

    def tool(self, frame: Pose) -> Pose:
        """Return the pose of the tool for a pose of the link."""
        return Pose((frame @ Pose(self.spot)).position, self.hand.orientation)


def shove(goal: JointLeaf, link: Link, now: Snapshot, context: SkillContext) -> Skill:
    """Push the link that carries the handle until its joint stands where the goal wants it.

    Raises:
        SkillFailed: the arm can follow no such motion, or the front does not move as pushed.
    """
    if context.profile.gripper.suction:
        raise SkillFailed(f'Suction cups cannot push {goal.full}. Use a robot with fingers.')
    causes: list[str] = []
    for lean in islice(_ways(goal, link, now, context=context, causes=causes), TRIES):
        try:
            now = yield context.profile.gripper.close()
            now = yield ToolPose(_off(lean, goal, now, link))
            now = yield from _push(lean, goal, now, link)
            if goal.distance(now, now) == 0.0:
                return now
            causes.append(f'{goal.full} stopped at {now.joint(goal.full).position:.3g}')
        except CommandFailed as failed:
            causes.append(str(failed).rstrip('.'))
        now = yield context.profile.gripper.open()
    raise SkillFailed(f'Cannot push {goal.full}: {"; ".join(causes[-2:]) or "the arm can lean on it nowhere"}.')


def _push(lean: _Lean, goal: JointLeaf, now: Snapshot, link: Link) -> Skill:
    """Lean on the front and push it step by step, by what is still missing after each look."""
    joint, sent = goal.joint, now.joint(goal.full).position
    most = STRIDE * (joint.upper - joint.lower)
    for _ in range(STEPS):
        missing = goal.target - now.joint(goal.full).position
        if abs(missing) < THERE * (joint.upper - joint.lower):
            break
        sent = min(joint.upper, max(joint.lower, sent + min(most, max(-most, missing))))
        tool = lean.tool(_frame(goal, now, link, sent))
        now = yield ToolPose(tool, straight=True, allowed=(goal.mechanism.full(link.name),), speed=SPEED)
    return now


def _ways(goal: JointLeaf, link: Link, now: Snapshot, *, context: SkillContext, causes: list[str]) -> Iterator[_Lean]:
    """Yield the ways to lean on the front that the arm can follow to the end."""
    begin = now.joint(goal.full).position
    steps = max(2, ceil(abs(goal.target - begin) / (2 * STRIDE * (goal.joint.upper - goal.joint.lower))))
    ends = [begin + (goal.target - begin) * k / steps for k in range(steps + 1)]
    frames = [_frame(goal, now, link, position) for position in ends]
    name = goal.mechanism.full(link.name)
    for spot, hand in product(_spots(goal, link, begin), _hands()):
        lean = _Lean(spot, hand)
        chain = (ToolPose(_off(lean, goal, now, link)), *(ToolPose(lean.tool(f), straight=True, allowed=(name,)) for f in frames))
        answer = context.check(now, chain, opening=0.0)
        if answer.feasible:
            yield lean
        else:
            causes.append(answer.reason.rstrip('.'))


def _frame(goal: JointLeaf, now: Snapshot, link: Link, position: float) -> Pose:
    """Return the pose of the link that carries the handle, with the goal's joint at a position, m or rad."""
    states = now.mechanisms | {goal.full: JointState(position)}
    return goal.mechanism.placed(states)[goal.mechanism.full(link.name)]


def _off(lean: _Lean, goal: JointLeaf, now: Snapshot, link: Link) -> Pose:
    """Return the pose of the tool before it leans on the front: back along its approach, and off the front."""
    frame = _frame(goal, now, link, now.joint(goal.full).position)
    x, y, z = lean.spot
    return back(_Lean((3 * x, y, z), lean.hand).tool(frame), APPROACH / 2)


def _spots(goal: JointLeaf, link: Link, begin: float) -> list[Vector]:
    """Return places beside the handle, in the link's frame, whose x axis points into the piece: outside to close, inside to open."""
    front, bar = link.parts[0], next(part for part in link.parts if part.name == link.handle[0])
    closes = goal.target < begin
    x = -FINGERS if closes else front.pose.position[0] + front.size[0] / 2 + FINGERS
    _, y, z = bar.pose.position
    inward = float(np.sign(front.pose.position[1] - y)) or 1.0
    height = front.size[2] / 2 - 0.02
    spots = ((x, y + inward * aside, z + up) for aside, up in BESIDE)
    return [spot for spot in spots if abs(spot[2] - front.pose.position[2]) < height]


def _hands() -> list[Pose]:
    """Return orientations of the hand: its approach ahead, aside and down, its fingers beside or above each other."""
    found = []
    for pitch, yaw, roll in product(PITCHES, YAWS, (0.0, pi / 2)):
        ahead = np.array([cos(pitch) * cos(yaw), cos(pitch) * sin(yaw), -sin(pitch)])
        across = np.array([-sin(yaw), cos(yaw), 0.0])
        matrix = np.eye(4)
        matrix[:3, :3] = np.column_stack([np.cross(across, ahead), across, ahead])
        found.append(Pose.from_matrix(matrix) @ Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, roll)))
    return found

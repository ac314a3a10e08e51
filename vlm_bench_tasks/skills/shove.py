"""Push a front along its joint with closed fingers, where no grasp of its handle leads on.

The hand leans on the front beside the handle, outside to close and inside to open, and looks after each step how far the joint has come.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from math import ceil, cos, pi, radians, sin

import numpy as np

from vlm_bench_sim.core.algebra import dot
from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.geometry import Pose, Vector
from vlm_bench_sim.core.mechanisms import Link
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.mechanisms import JointLeaf
from vlm_bench_tasks.skills.grasping import APPROACH, SPEED, back
from vlm_bench_tasks.skills.skill import CommandFailed, Skill, SkillContext, SkillFailed
from vlm_bench_tasks.skills.strokes import Work, arrived
from vlm_bench_tasks.skills.trace import traced

STRIDE = 0.1  # share of the range that the front is pushed between two looks
STEPS = 30  # greatest number of looks
TRIES = 4  # greatest number of ways that are tried
FINGERS = 0.016  # m between the front and the middle of fingers that lean on it
MARGIN = 0.02  # m from the upper and lower edge of a front where no hand leans
AGAINST = -0.3  # least cosine between the hand's approach and the way that the front is pushed
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


@traced
def shove(goal: JointLeaf, work: Work, now: Snapshot, context: SkillContext) -> Skill:
    """Push the link with the handle until its joint stands where the goal wants it.

    Raises:
        SkillFailed: the arm can follow no such motion, or the front does not move as pushed.
    """
    if context.profile.gripper.suction:
        raise SkillFailed(f'Suction cups cannot push {goal.full}. Use a robot with fingers.')
    causes: list[str] = []
    for lean in islice(_ways(goal, work, now, context=context, causes=causes), TRIES):
        try:
            now = yield context.profile.gripper.close()
            now = yield ToolPose(_off(lean, work.frame(now)))
            now = yield from _push(lean, goal, work, now)
            if goal.distance(now, now) == 0.0:
                return now
            causes.append(f'{goal.full} stopped at {now.joint(goal.full).position:.3g}')
        except CommandFailed as failed:
            causes.append(str(failed).rstrip('.'))
        now = yield context.profile.gripper.open()
    raise SkillFailed(f'Cannot push {goal.full}: {"; ".join(causes[-2:]) or "the arm can lean on it nowhere"}.')


def _push(lean: _Lean, goal: JointLeaf, work: Work, now: Snapshot) -> Skill:
    """Lean on the front and push it step by step, by what is still missing after each look."""
    joint, sent = goal.joint, now.joint(goal.full).position
    most = STRIDE * (joint.upper - joint.lower)
    for _ in range(STEPS):
        at = now.joint(goal.full).position
        if arrived(joint, at, goal.target):
            break
        sent = min(joint.upper, max(joint.lower, sent + min(most, max(-most, goal.target - at))))
        now = yield ToolPose(lean.tool(work.frame(now, **{goal.link: sent})), straight=True, allowed=(work.held,), speed=SPEED)
    return now


def _ways(goal: JointLeaf, work: Work, now: Snapshot, *, context: SkillContext, causes: list[str]) -> Iterator[_Lean]:
    """Yield the ways to lean on the front that the arm can follow to the end."""
    begin = now.joint(goal.full).position
    steps = max(2, ceil(abs(goal.target - begin) / (2 * STRIDE * (goal.joint.upper - goal.joint.lower))))
    frames = [work.frame(now, **{goal.link: begin + (goal.target - begin) * k / steps}) for k in range(steps + 1)]
    closes = goal.target < begin
    for spot, hand in product(_spots(work.grip, closes=closes), _hands()):
        if any(_against(hand, frame, closes=closes) for frame in frames):
            continue
        lean = _Lean(spot, hand)
        chain = (ToolPose(_off(lean, frames[0])), *(ToolPose(lean.tool(f), straight=True, allowed=(work.held,)) for f in frames))
        answer = context.check(now, chain, opening=0.0)
        if answer.feasible:
            yield lean
        else:
            causes.append(answer.reason.rstrip('.'))


def _against(hand: Pose, frame: Pose, *, closes: bool) -> bool:
    """Return whether a hand would come from the side that the front is pushed to: the arm would be in its way."""
    push = frame.rotation[:, 0] if closes else -frame.rotation[:, 0]
    return dot(hand.rotation[:, 2], push) < AGAINST


def _off(lean: _Lean, frame: Pose) -> Pose:
    """Return the pose of the tool before it leans on the front: back along its approach, and off the front."""
    x, y, z = lean.spot
    return back(_Lean((3 * x, y, z), lean.hand).tool(frame), APPROACH / 2)


def _spots(link: Link, *, closes: bool) -> list[Vector]:
    """Return places beside the handle, in the link's frame, whose x axis points into the piece: outside to close, inside to open."""
    front, bar = link.parts[0], next(part for part in link.parts if part.name == link.handle[0])
    x = -FINGERS if closes else front.pose.position[0] + front.size[0] / 2 + FINGERS
    _, y, z = bar.pose.position
    inward = float(np.sign(front.pose.position[1] - y)) or 1.0
    height = front.size[2] / 2 - MARGIN
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

"""Strokes: the work on a piece of furniture as the motion of its joints, and the way of a tool that holds or follows its handle."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil, radians

import numpy as np

from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.constraint import MotionConstraint, Orientation, Position
from vlm_bench_sim.core.geometry import Pose, vector
from vlm_bench_sim.core.mechanisms import Joint, Link, Mechanism
from vlm_bench_sim.core.snapshot import JointState, Snapshot
from vlm_bench_tasks.skills.grasping import SPEED

STEP = 0.05  # m that the tool moves between two observations
TURN = radians(10.0)  # rad that it turns between two observations
CHORD = radians(2.0)  # rad between two poses of its path
THERE = 0.01  # share of a joint's range that counts as arrived


def arrived(joint: Joint, position: float, end: float) -> bool:
    """Return whether a joint at a position has come to the end of a stroke, both m or rad."""
    return abs(end - position) <= THERE * (joint.upper - joint.lower)


@dataclass(frozen=True)
class Work:
    """What is to be done with a piece of furniture.

    Attributes:
        piece: the piece.
        grip: its link with the handle.
        strokes: the joints to move one after the other, each by its link with the position to reach, m or rad.
    """

    piece: Mechanism
    grip: Link
    strokes: tuple[tuple[str, float], ...]

    @property
    def held(self) -> str:
        """Full name of the link with the handle."""
        return self.piece.full(self.grip.name)

    @property
    def touched(self) -> tuple[str, ...]:
        """Names of the links that the hand may touch: the one that it holds, and those that move with it."""
        return tuple(dict.fromkeys((self.held, *(self.piece.full(link) for link, _ in self.strokes))))

    def part(self, now: Snapshot, share: float) -> 'Work':
        """Return the work up to a share of the last stroke."""
        *before, (link, end) = self.strokes
        begin = now.joint(self.piece.full(link)).position
        return replace(self, strokes=(*before, (link, begin + share * (end - begin))))

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

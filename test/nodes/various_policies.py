"""Policies that a node plays in tests: every kind of command, and what goes wrong with somebody's code."""

import sys
import time
from dataclasses import replace
from math import inf
from pathlib import Path

import numpy as np

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.command import Both, Chunk, Joints, Point, Stop, ToolPose, Wait
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.core.timing import PERIOD_NS
from vlm_bench_tasks.policy import Policy

ARM = tuple(f'panda_joint{i}' for i in range(1, 8))


class Varied(Policy):
    """Gives each kind of command in turn; where it goes next depends on what it sees, and on what it was made with."""

    def __init__(self, higher='0.0'):
        self._higher = float(higher)

    def reset(self, context):
        self._turn, self._words = 0, context.instruction
        self._focal = sum(float(camera.intrinsics[0, 0]) for camera in context.cameras.values())

    def act(self, observation):
        self._turn += 1
        bright = float(np.mean([picture.color.mean() for picture in observation.pictures.values()] or [0.0])) / 255
        here = observation.arm(ARM)
        eyes = sum(pose.position[0] + pose.orientation[1] for pose in observation.camera_poses.values())
        high = 0.35 + 1e-5 * self._focal + self._higher
        high += 1e-3 * sum(int(picture.ids.max()) for picture in observation.pictures.values())  # 0 without the aid
        there = [tuple(here + 0.01 * step * (len(self._words) % 3 + 1)) for step in range(1, 4)]
        turns = (
            ToolPose(Pose((0.4 + 0.1 * round(bright, 3), 0.1 + 1e-2 * eyes, high), (1.0, 0.0, 0.0, 0.0))),
            Grip(0.02),
            Joints(tuple(here - 0.02)),
            Chunk(tuple(Point((i + 1) * 4 * PERIOD_NS, point) for i, point in enumerate(there))),
            Both(Joints(tuple(here + 0.03)), Grip(0.06)),
            Both(Joints(tuple(here + 0.5))),  # farther than a period lets it come
            Both(Joints(tuple(here + 0.02)), Grip(0.03)),
            Both(),
            Both(Chunk(tuple(Point((i + 1) * 3 * PERIOD_NS, point) for i, point in enumerate(there))), Grip(0.04)),
            Both(gripper=Grip(0.05)),  # while the trajectory goes on
            Both(Joints(tuple(here - 0.03))),  # which a set point replaces
            ToolPose(Pose((2.0, 0.0, 0.3), (1.0, 0.0, 0.0, 0.0))),  # out of reach: an outcome, and no end
            Wait(0.2 if not observation.outcome.done else 0.4),
        )
        return turns[self._turn - 1] if self._turn <= len(turns) else Stop()


class Guided(Policy):
    """Visits the tool poses of a file, always closes its hand and never stops; where exactly it goes depends on the instruction."""

    def __init__(self, poses):
        self._poses, self._turn, self._seconds = codec.loads(Path(poses).read_text()), -1, inf

    def reset(self, context):
        self._words = context.instruction

    def act(self, observation):
        self._turn = 0 if observation.seconds < self._seconds else self._turn + 1
        self._seconds = observation.seconds
        if self._turn >= 2 * len(self._poses):
            return Wait(0.1)
        if self._turn % 2:
            return Grip(0.0)
        target = self._poses[self._turn // 2]
        return replace(target, pose=target.pose.shifted((0.0, 0.0, 1e-3 * (len(self._words) % 7))))


class Streaming(Policy):
    """Goes above a thing, closes its hand again and again with each period while the arm is sent elsewhere, and lifts."""

    def __init__(self, poses):
        (self._above,) = codec.loads(Path(poses).read_text())

    def reset(self, context):
        self._turn = 0

    def act(self, observation):
        self._turn += 1
        here = observation.arm(ARM)
        if self._turn <= 2:
            return self._above if self._turn == 1 else Both(Joints(tuple(here + 0.01)), Grip(0.08))  # opening snaps nothing
        if self._turn == 3:
            return self._above
        return Both(Joints(tuple(here - 0.02)), Grip(0.0)) if self._turn < 30 else Stop()


class Fails(Policy):
    """Raises at its second turn."""

    def reset(self, context):
        self._turns = 0

    def act(self, observation):
        self._turns += 1
        if self._turns > 1:
            raise KeyError('weights')
        return Wait(0.1)


class Malformed(Policy):
    """Asks for what the robot can never do, and keeps what that came to; stops while the arm moves."""

    def reset(self, context):
        self._turn = 0

    def act(self, observation):
        self._turn += 1
        here = observation.arm(ARM)
        both = Both(gripper=Seal(on=True)), Both(Joints(tuple(here + 0.1)), Seal(on=True))
        wrong = (Chunk(()), Both(Chunk(())), Seal(on=True), *both)
        if 1 < self._turn <= len(wrong) + 1:
            assert not observation.outcome.done and observation.outcome.text
        turns = (*wrong, Wait(0.1), Both(Joints(tuple(here - 0.5)), Grip(0.02)))
        return turns[self._turn - 1] if self._turn <= len(turns) else Stop()


class Slow(Policy):
    """Thinks for longer than its episode lasts, and minds who comes in between."""

    def reset(self, context):
        self._alone()

    def act(self, observation):
        self._alone()
        print('thinking', flush=True)
        time.sleep(4.0)
        self._busy = False
        return Wait(0.1) if observation.seconds < 0.1 else Stop()

    def _alone(self):
        assert not getattr(self, '_busy', False), 'two at once'
        self._busy = sys._getframe(1).f_code.co_name == 'act'

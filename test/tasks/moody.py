"""Policies that the tests name by path: one plays badly in a way of its own in each episode, the other moves and stops."""

import json
import os
import sys
import time
from pathlib import Path

from vlm_bench_sim.core.command import Grip, Joints, Stop, ToolPose, Wait
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_tasks.policy import Policy


def _raise():
    raise ValueError('no idea')


def _hang():
    while True:
        time.sleep(0.05)


WRONG = {
    'raises': _raise,
    'exits': lambda: sys.exit(3),
    'hangs': _hang,
    'dies': lambda: os._exit(7),
    'nan': lambda: Joints((float('nan'),) * 7),
    'nan_pose': lambda: ToolPose(Pose((float('nan'), 0.0, 0.0))),
    'short': lambda: Joints((0.0,) * 3),
    'words': lambda: 'open the drawer',
    'typed': lambda: Grip('open'),
    'nothing': lambda: None,
    'stops': Stop,
}


class Moody(Policy):
    """Looks up, by the instruction, what it shall do wrong with its second answer."""

    def reset(self, instruction):
        self.mood = json.loads(Path(os.environ['MOODS']).read_text())[instruction]
        self.answers = 0

    def act(self, observation):
        self.answers += 1
        if self.answers == 1:
            return Wait(0.1)
        if self.mood == 'peeks':
            try:
                return Wait(float(observation.truth.seq))
            except Exception:  # noqa: BLE001 (it does as if nothing had happened)
                return Wait(0.1)
        return WRONG[self.mood]()


class Nods(Policy):
    """Moves the tool down and up again, then stops."""

    def reset(self, instruction):
        self.left = [-0.05, 0.05]

    def act(self, observation):
        return ToolPose(observation.tool.shifted((0.0, 0.0, self.left.pop()))) if self.left else Stop()


class Reaches(Policy):
    """Moves the tool far to one side and far to the other, to where a plan is made by chance, then stops."""

    def reset(self, instruction):
        self.left = [-0.3, 0.3]

    def act(self, observation):
        return ToolPose(Pose((0.45, self.left.pop(), 0.3), (1.0, 0.0, 0.0, 0.0))) if self.left else Stop()


class Fails(Policy):
    """Raises with its second answer."""

    def reset(self, instruction):
        self.asked = False

    def act(self, observation):
        if self.asked:
            _raise()
        self.asked = True
        return Wait(0.1)


class Unmade(Policy):
    """Cannot be made."""

    def __init__(self):
        raise OSError('no weights')

    def reset(self, instruction): ...

    def act(self, observation): ...

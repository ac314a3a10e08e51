"""An arm for tests of the window, which does at once what it is told."""

from concurrent.futures import Future

import numpy as np

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.timing import PERIOD_S

TOOL = Pose.from_rpy((0.4, 0.1, 0.3), (np.pi, 0.0, 0.5))


class Arm:
    """Keeps what it was sent."""

    def __init__(self, live):
        self.live, self.refusal, self.sent, self.told = live, '', [], []
        self.stamp, self.answer, self.hears = 0, '', True
        self.inertia, self.follows = 0.0, True  # share of its speed that it keeps in a period
        self.speed = np.zeros(3)
        self.live.tool_at(0, TOOL)

    def twist(self, linear, angular):
        self.sent.append((linear, angular))
        if not self.follows:
            return
        self.speed = self.inertia * self.speed + (1 - self.inertia) * np.asarray(linear)
        pose = self.live.tool[1]
        self.stamp += 1
        turned = Pose.from_rpy((0, 0, 0), np.multiply(angular, PERIOD_S)) @ Pose(orientation=pose.orientation)
        moved = np.add(pose.position, self.speed * PERIOD_S)
        self.live.tool_at(self.stamp, Pose.of(moved.tolist(), turned.orientation))

    def go(self, target):
        self.sent.append(target)
        return self._told()

    def grasp(self, *, closed):
        self.sent.append(closed)
        return self._told()

    def hold(self):
        self.sent.append('hold')

    def operated(self, by, *, token):
        self.told.append((by, token))

    def _told(self):
        future = Future()
        if self.answer is not None:
            future.set_result(self.answer)
        return future

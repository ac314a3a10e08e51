"""A policy that moves and grips at random: what it solves, luck solves."""

from math import pi
from typing import ClassVar

import numpy as np

from vlm_bench_sim.core.command import Command, Grip, Seal, Stop, ToolPose
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.robot import SuctionProfile
from vlm_bench_tasks.policy import Briefing, Observation

LOW, HIGH = (0.30, -0.35, 0.02), (0.65, 0.35, 0.35)
"""Corners of the box, m in the world, in which the tool goes about, over the part of the table where things are put."""
_TILT = 0.5  # rad
LASTS = 20.0  # simulated s, some twice what the expert needs
_GRIPS = 0.35  # share of commands that open or close the hand


class Random:
    """Moves the tool to random places above the table, pointing more or less down, and opens and closes the hand, for a while."""

    privileged: ClassVar[bool] = False

    def reset(self, briefing: Briefing) -> None:
        """Begin an episode."""
        self._chance = np.random.default_rng(briefing.seed)
        self._gripper = briefing.profile.gripper

    def act(self, observation: Observation) -> Command:
        """Return the next command."""
        if observation.seconds >= LASTS:
            return Stop()
        if self._chance.random() >= _GRIPS:
            roll, pitch = self._chance.uniform(-_TILT, _TILT, 2)
            return ToolPose(Pose.from_rpy(self._chance.uniform(LOW, HIGH).tolist(), (pi + roll, pitch, self._chance.uniform(-pi, pi))))
        on = bool(self._chance.random() < 0.5)
        if isinstance(self._gripper, SuctionProfile):
            return Seal(on=on)
        return Grip(0.0 if on else self._gripper.max_opening)

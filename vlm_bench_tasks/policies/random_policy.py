"""A baseline that moves and grips at random. It shows what luck can solve."""

import numpy as np

from vlm_bench_sim.core.command import Command, Stop, ToolPose
from vlm_bench_sim.core.geometry import Pose, vector
from vlm_bench_tasks.policy import EpisodeContext, Observation, Player

LOW, HIGH = (0.30, -0.35, 0.02), (0.65, 0.35, 0.35)
"""Corners of the box that the tool stays in, m in the world, above the part of the table where things stand."""
STEP, TURN = 0.05, 0.25
"""Greatest translation and rotation of one step, along and about each axis, m and rad."""
LASTS = 20.0  # simulated s, about twice what the expert needs
_GRIPS = 0.35  # share of commands that open or close the hand


class Random(Player):
    """Moves the tool by random steps, and opens and closes the hand. It samples actions, not goals."""

    def reset(self, context: EpisodeContext) -> None:
        """Begin an episode."""
        self._chance = np.random.default_rng(context.seed)
        self._gripper = context.profile.gripper

    def act(self, observation: Observation) -> Command:
        """Return the next command."""
        if observation.seconds >= LASTS:
            return Stop()
        if self._chance.random() >= _GRIPS:
            return ToolPose(self._near(observation.tool), straight=True)
        on = bool(self._chance.random() < 0.5)
        return self._gripper.close() if on else self._gripper.open()

    def _near(self, tool: Pose) -> Pose:
        """Return a random pose near the tool's pose."""
        spot = np.clip(tool.position + self._chance.uniform(-STEP, STEP, 3), LOW, HIGH)
        roll, pitch, yaw = self._chance.uniform(-TURN, TURN, 3).tolist()
        return Pose(vector(spot), (Pose.from_rpy((0.0, 0.0, 0.0), (roll, pitch, yaw)) @ tool).orientation)

"""A robot without physics that moves as commanded, as fast as its joints can: a stand-in for a real arm and its driver."""

from collections.abc import Sequence

import numpy as np

from vlm_bench_sim.core.actuated import Actuated
from vlm_bench_sim.core.control import ArmControl, CupControl, FingerControl
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.core.gripper import ParallelProfile
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import RobotStart, Scene
from vlm_bench_sim.core.snapshot import JointState, Snapshot, state_hash
from vlm_bench_sim.core.timing import PERIOD_S, PHYSICS_HZ, STEPS_PER_PERIOD
from vlm_bench_sim.motion.kinematics import Kinematics


class KinematicWorld(Actuated):
    """A World that simulates the robot only. It ignores the props of a scene, so nothing is ever touched or held.

    Within the joint limits of position and speed, the arm follows its set point exactly. Beyond them it lags behind, so that an infeasible
    trajectory violates its tolerances.

    Args:
        profile: the robot.
        speed: share of the profile's velocity limits that the joints reach, above 0; below 1 the arm lags.

    Raises:
        ConfigError: the speed is not above 0.
    """

    def __init__(self, profile: RobotProfile, speed: float = 1.0) -> None:
        if not speed > 0.0:
            raise ConfigError(f'The speed of an arm is a share of its velocity limits above 0; found {speed}. Give one such as 1.')
        super().__init__(profile)
        self._kinematics = Kinematics(profile)
        self._stride: Floats = speed * np.asarray(profile.velocity) / PHYSICS_HZ

    def load(self, scene: Scene) -> Snapshot:
        """Put the robot at the scene's start, at rest, and return the first snapshot (seq 0, step 0).

        Raises:
            SceneError: the number of joints in the scene differs from the robot's.
        """
        profile, start = self.profile, scene.robot
        self._at: Floats = np.array(start.arm(profile))
        self._arm = ArmControl(profile, self._at)
        self._gripper = _gripper(profile, start)
        self._opening = self._gripper.commanded if isinstance(self._gripper, FingerControl) else 0.0
        self._seq = self._step = 0
        self._snapshot = self._observe(np.zeros(len(self._at)), 0.0)
        return self._snapshot

    def step(self) -> Snapshot:
        """Advance one control period and return its snapshot."""
        self._loaded()
        before, opened = self._at, self._opening
        for _ in range(STEPS_PER_PERIOD):
            self._advance()
        self._seq, self._step = self._seq + 1, self._step + STEPS_PER_PERIOD
        self._snapshot = self._observe((self._at - before) / PERIOD_S, (self._opening - opened) / PERIOD_S)
        self._arm.judge(self._at)
        self._gripper.judge(self._opening)
        return self._snapshot

    def state_hash(self) -> str:
        """SHA-256 of every joint."""
        return state_hash(self._loaded())

    def close(self) -> None:
        """Forget the scene; calling it twice is allowed."""
        self._snapshot = None

    def _advance(self) -> None:
        self._gripper.advance()
        self._arm.advance()
        wanted = np.clip(self._arm.positions, self._kinematics.low, self._kinematics.high)
        way = wanted - self._at
        # Where no limit applies, the arm is exactly at its set point, without a rounding error.
        self._at = np.where(np.abs(way) <= self._stride, wanted, self._at + np.clip(way, -self._stride, self._stride))
        if isinstance(self._gripper, FingerControl):
            self._opening = self._gripper.commanded

    def _observe(self, velocities: Sequence[float] | Floats, opening_speed: float) -> Snapshot:
        gripper = self.profile.gripper
        joints = {n: JointState(float(q), float(v)) for n, q, v in zip(self.profile.joints, self._at, velocities, strict=True)}
        joints |= {name: JointState(gripper.travel(self._opening), gripper.travel(opening_speed)) for name in gripper.joints}
        return Snapshot(
            seq=self._seq, step=self._step, joints=joints, tool=self._kinematics.tool_pose(self._at), opening=self._opening,
            contacts=False,  # nothing here touches anything
        )  # fmt: skip


def _gripper(profile: RobotProfile, start: RobotStart) -> FingerControl | CupControl:
    hand = profile.gripper
    if not isinstance(hand, ParallelProfile):
        return CupControl()
    return FingerControl(hand, hand.max_opening if start.opening is None else start.opening)

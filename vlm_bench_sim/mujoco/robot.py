"""The robot's motors and fingers in MuJoCo."""

from vlm_bench_sim.core.control import ArmControl
from vlm_bench_sim.core.gripper import ParallelProfile
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.snapshot import JointState
from vlm_bench_sim.mujoco.engine import Engine
from vlm_bench_sim.mujoco.model import ARM, FINGER
from vlm_bench_sim.physics.fingers import Fingers


class Arm(ArmControl):
    """Drives the arm's servos along a chunk, and otherwise holds the position."""

    def __init__(self, engine: Engine, profile: RobotProfile, *, start: tuple[float, ...]) -> None:
        super().__init__(profile, start)
        self._engine, self._motors = engine, tuple(ARM + name for name in profile.joints)

    def drive(self) -> None:
        """Set the servos for one physics step: a command ahead of the position by as much as its damping lets it lag."""
        self.advance()
        model, motors = self._engine.model, self._engine.motor(self._motors)
        lag = model.actuator_biasprm[motors, 2] / model.actuator_biasprm[motors, 1]
        self._engine.data.ctrl[motors] = self.positions + lag * self.velocities


class ParallelGripper(Fingers):
    """Drives the finger servos."""

    def __init__(self, engine: Engine, profile: ParallelProfile, *, opening: float) -> None:
        super().__init__(profile, opening)
        self._engine, self._motors = engine, tuple(FINGER + name for name in profile.joints)

    def drive(self) -> None:
        """Set the finger servos for one physics step."""
        self.advance()
        motors, limit = self._engine.motor(self._motors), self.force / len(self._motors)
        self._engine.data.ctrl[motors] = self._profile.travel(self.commanded)
        self._engine.model.actuator_forcerange[motors] = (-limit, limit)


def joint_states(engine: Engine, profile: RobotProfile) -> dict[str, JointState]:
    """Return joint states of arm and fingers by name."""
    names = (*profile.joints, *profile.gripper.joints)
    motors = engine.motor((*(ARM + name for name in profile.joints), *(FINGER + name for name in profile.gripper.joints)))
    data = engine.data
    values = zip(data.qpos[engine.position(names)], data.qvel[engine.velocity(names)], data.actuator_force[motors], strict=True)
    return {name: JointState(float(q), float(v), float(f)) for name, (q, v, f) in zip(names, values, strict=True)}

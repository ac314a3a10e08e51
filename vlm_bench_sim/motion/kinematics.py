"""Forward and inverse kinematics of one robot, on pinocchio."""

from collections.abc import Mapping, Sequence

import eigenpy
import numpy as np
import pinocchio as pin

from vlm_bench_sim.core.algebra import dot, matmul, norm
from vlm_bench_sim.core.errors import PlanError
from vlm_bench_sim.core.geometry import Floats, Pose
from vlm_bench_sim.core.protocols import PlanCode
from vlm_bench_sim.core.robot import RobotProfile

POSITION_TOLERANCE = 1e-5
ANGLE_TOLERANCE = 1e-4
_ITERATIONS = 25
_DAMPING = 1e-4
_LONGEST_STEP = 0.8
_DISTINCT = 0.15


class Kinematics:
    """Forward and inverse kinematics of the links and the tool. Arm positions are in the profile's joint order, rad."""

    def __init__(self, profile: RobotProfile) -> None:
        """Build the model of the profile's URDF.

        Raises:
            PlanError: the URDF lacks the profile's tool link.
        """
        self.profile = profile
        self.model = pin.buildModelFromXML(profile.urdf)
        self.data = self.model.createData()
        if not self.model.existFrame(profile.tool_link):
            raise PlanError(
                f'The URDF of {profile.name} has no link {profile.tool_link!r}. Correct tool_link in its profile.', PlanCode.FAILED
            )
        link = self.model.frames[self.model.getFrameId(profile.tool_link)]
        placement = link.placement * se3(profile.tool)
        self.tool_joint: int = link.parentJoint
        self.tool_placement = placement
        self._tool = self.model.addFrame(pin.Frame('tool_centre_point', link.parentJoint, placement, pin.FrameType.OP_FRAME))
        self.data = self.model.createData()
        self._links = [(f.name, i) for i, f in enumerate(self.model.frames) if f.type == pin.FrameType.BODY and f.name != 'universe']
        self._index = {name: int(self.model.idx_qs[self.model.getJointId(name)]) for name in (*profile.joints, *profile.gripper.joints)}
        self.arm = np.array([self._index[name] for name in profile.joints])
        self._fingers = np.array([self._index[name] for name in profile.gripper.joints], dtype=int)
        self.low: Floats = np.asarray(self.model.lowerPositionLimit, dtype=float)[self.arm]
        self.high: Floats = np.asarray(self.model.upperPositionLimit, dtype=float)[self.arm]
        chain = [self.model.getJointId(name) for name in profile.joints]
        self._lengths = [norm(self.model.jointPlacements[joint].translation) for joint in chain]
        pin.forwardKinematics(self.model, self.data, pin.neutral(self.model))
        self._shoulder: Floats = self.data.oMi[chain[0]].translation.copy()
        self.levers = self._levers()

    def positions(self, arm: Floats, opening: float) -> Floats:
        """Return the model's full configuration: arm positions, and the fingers at `opening` (full width, m)."""
        q: Floats = np.asarray(pin.neutral(self.model), dtype=float)
        q[self.arm] = arm
        q[self._fingers] = self.profile.gripper.travel(opening)
        return q

    def tool_pose(self, arm: Sequence[float] | Floats) -> Pose:
        """Return the pose of the tool centre point in the world."""
        pin.forwardKinematics(self.model, self.data, self.positions(np.asarray(arm, dtype=float), 0.0))
        return pose(pin.updateFramePlacement(self.model, self.data, self._tool))

    def tool_motion(self, arm: Floats) -> tuple['pin.SE3', Floats]:
        """Return the tool's placement and its (6, dof) Jacobian: linear (m/s) above angular (rad/s), in world axes, per rad/s."""
        q = self.positions(arm, 0.0)
        pin.computeJointJacobians(self.model, self.data, q)
        placement = pin.updateFramePlacement(self.model, self.data, self._tool)
        jacobian: Floats = pin.getFrameJacobian(self.model, self.data, self._tool, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)[:, self.arm]
        return placement, jacobian

    def configuration(self, joints: Mapping[str, float]) -> Floats:
        """Return the model's full configuration. `joints` holds positions by name (arm rad, fingers m); missing ones are 0."""
        q: Floats = np.asarray(pin.neutral(self.model), dtype=float)
        for name, value in joints.items():
            if name in self._index:
                q[self._index[name]] = value
        return q

    def link_poses(self, joints: Mapping[str, float]) -> dict[str, Pose]:
        """Return the world pose of every link of the URDF. `joints` holds positions by name (arm rad, fingers m); missing ones are 0."""
        pin.framesForwardKinematics(self.model, self.data, self.configuration(joints))
        return {name: pose(self.data.oMf[i]) for name, i in self._links}

    def limit_margin(self, arm: Floats) -> float:
        """Return the distance to the nearest joint limit, rad; negative outside the limits."""
        return float(np.minimum(arm - self.low, self.high - arm).min())

    def travel(self, a: Floats, b: Floats) -> float:
        """Return the time that the slowest joint needs from `a` to `b` at its velocity limit, s."""
        return float((np.abs(a - b) / np.asarray(self.profile.velocity)).max())

    def solve(self, target: Pose, seed: Floats, longest_step: float = _LONGEST_STEP) -> Floats | None:
        """Return the arm positions that damped Newton steps from `seed` reach, or None if they miss the pose or the limits."""
        goal, q = se3(target), self.positions(seed, 0.0)
        for _ in range(_ITERATIONS):
            error, jacobian = self._error(goal, q)
            if _small(error):
                solution: Floats = q[self.arm]
                return solution
            step, arm = _step(jacobian, error), q[self.arm]
            stuck = ((arm >= self.high) & (step > 0)) | ((arm <= self.low) & (step < 0))
            if True in stuck.tolist():
                step = _step(np.where(stuck, 0.0, jacobian), error)  # the other joints must make the step
            step *= min(1.0, longest_step / (max(map(abs, step.tolist())) + 1e-12))
            q[self.arm] = np.minimum(np.maximum(arm + step, self.low), self.high)
        return None

    def inverse(self, target: Pose, near: Floats, rng: np.random.Generator, count: int = 4, tries: int = 30) -> tuple[Floats, ...]:
        """Return up to `count` distinct arm positions that bring the tool to `target`, best first; empty if none was found.

        Solutions near `near` (travel time, s) and away from the joint limits rank first. The same `rng` state gives the same result.
        """
        found: list[Floats] = []
        if self._beyond(target):
            return ()
        home = np.asarray(self.profile.home)
        for attempt in range(tries):
            # Nine of ten seeds around home converge, but only one of ten random ones. Widen the spread slowly.
            spread = 0.5 * (1 + attempt % 6)
            seed = near if attempt == 0 else np.clip(home + rng.uniform(-spread, spread, len(home)), self.low, self.high)
            q = self.solve(target, seed)
            if q is not None and all(np.abs(q - other).max() > _DISTINCT for other in found):
                found.append(q)
            if len(found) == count:
                break
        return tuple(sorted(found, key=lambda q: self.travel(q, near) + self._crowding(q)))

    def length(self, a: Floats, b: Floats) -> float:
        """Return the length of a joint-space line, each joint weighted with its lever, m: about the distance that the arm sweeps."""
        return norm((a - b) * self.levers)

    def between(self, a: Floats, b: Floats, step: float) -> Floats:
        """Return (n, dof) positions evenly spaced from after `a` up to and including `b`, at most `step` m apart (as `length` measures)."""
        count = max(1, int(np.ceil(self.length(a, b) / step)))
        shares = np.arange(1, count + 1)[:, None] / count
        points: Floats = a + shares * (b - a)
        points[-1] = b
        return points

    def _levers(self) -> Floats:
        # The greatest distance, m, from each joint's axis to the tool, but at least half a hand.
        tool = norm(self.tool_placement.translation)
        return np.array([max(0.1, sum(self._lengths[i + 1 :]) + tool) for i in range(len(self._lengths))])

    def _beyond(self, target: Pose) -> bool:
        """Return whether the tool joint would be farther from the first joint than all links between them are long."""
        wrist = (se3(target) * self.tool_placement.inverse()).translation
        return norm(wrist - self._shoulder) > sum(self._lengths[1:]) + POSITION_TOLERANCE

    def _error(self, goal: 'pin.SE3', q: Floats) -> tuple[Floats, Floats]:
        pin.computeJointJacobians(self.model, self.data, q)
        placement = pin.updateFramePlacement(self.model, self.data, self._tool)
        error: Floats = pin.log6(placement.actInv(goal)).vector
        jacobian: Floats = pin.getFrameJacobian(self.model, self.data, self._tool, pin.ReferenceFrame.LOCAL)[:, self.arm]
        return error, jacobian

    def _crowding(self, arm: Floats) -> float:
        # Penalty in seconds, growing over the last 0.3 rad before a limit: a straight line from there needs room.
        return 3.0 * max(0.0, 0.3 - self.limit_margin(arm)) / 0.3


def _small(error: Floats) -> bool:
    off, turned = POSITION_TOLERANCE, ANGLE_TOLERANCE
    x, y, z, a, b, c = error.tolist()
    near = -off < x < off and -off < y < off and -off < z < off  # False where one is NaN
    return bool(near and -turned < a < turned and -turned < b < turned and -turned < c < turned)


def _step(jacobian: Floats, error: Floats) -> Floats:
    # Damping fades with the error: robust far away and at singularities, quadratic convergence near the goal.
    return damped_step(jacobian, error, _DAMPING * min(1.0, 10 * dot(error, error)) + 1e-12)


def damped_step(jacobian: Floats, error: Floats, damping: float) -> Floats:
    """Return the smallest joint motion, (dof,), with J q = error, (n,); `damping` is added to the diagonal of J Jᵀ.

    Eigen solves it, so that the result does not depend on the processor.
    """
    damped = matmul(jacobian, jacobian.T)
    damped.flat[:: len(error) + 1] += damping
    solved = np.reshape(eigenpy.LDLT(damped).solve(error), len(error))  # for a single equation LDLT returns a matrix
    return matmul(jacobian.T, solved)


def se3(pose: Pose) -> 'pin.SE3':
    """Return a pose as a pinocchio SE3."""
    return pin.SE3(pose.rotation, np.asarray(pose.position))


def pose(placement: 'pin.SE3') -> Pose:
    """Return a pinocchio SE3 as a pose."""
    x, y, z, qx, qy, qz, qw = pin.SE3ToXYZQUAT(placement).tolist()
    return Pose((x, y, z), (qx, qy, qz, qw))

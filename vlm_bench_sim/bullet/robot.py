"""The robot's body in the simulator: the arm with its motors, the tool, and the gripper."""

from collections.abc import Mapping

from vlm_bench_sim.assets import cached_text
from vlm_bench_sim.bullet.arm import Arm
from vlm_bench_sim.bullet.bodies import RigidBody
from vlm_bench_sim.bullet.client import Client
from vlm_bench_sim.bullet.contacts import roughen
from vlm_bench_sim.bullet.gripper import ParallelGripper
from vlm_bench_sim.bullet.suction import SuctionGripper
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import SuctionProfile
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import RobotStart
from vlm_bench_sim.core.snapshot import JointState

Hand = ParallelGripper | SuctionGripper


class Robot:
    """One robot, its arm in the start configuration.

    Raises:
        SceneError: the number of joints in `start` differs from the robot's.

    Attributes:
        profile: the robot.
        number: its body number.
        arm: its motors.
        pads: numbers of the gripping links.
    """

    def __init__(self, client: Client, profile: RobotProfile, *, start: RobotStart) -> None:
        self.profile, self._client, self._start = profile, client, start
        # The renderer draws the robot: reading the visual meshes here would take four times as long as all the rest.
        flags = client.URDF_USE_INERTIA_FROM_FILE | client.URDF_IGNORE_VISUAL_SHAPES
        self.number = int(client.loadURDF(_urdf_file(profile.urdf), useFixedBase=True, flags=flags))
        infos = [client.getJointInfo(self.number, i) for i in range(client.getNumJoints(self.number))]
        joints = {info[1].decode(): info[0] for info in infos}
        efforts = {info[1].decode(): info[10] for info in infos}
        links = {info[12].decode(): info[0] for info in infos}
        arm = [joints[name] for name in profile.joints]
        self._fingers = [joints[name] for name in profile.gripper.joints]
        self._joints = dict(zip((*profile.joints, *profile.gripper.joints), arm + self._fingers, strict=True))
        self._head, self.pads = links[profile.tool_link], tuple(links[name] for name in profile.gripper.links)
        for number, position in zip(arm, start.arm(profile), strict=True):
            client.resetJointState(self.number, number, position)
        self.arm = Arm(client, self.number, joints=arm, efforts=[efforts[name] for name in profile.joints], profile=profile)

    def hand(self, bodies: Mapping[str, RigidBody]) -> Hand:
        """Return the robot's gripper, opened as in the start configuration, which can hold these bodies. Call it once."""
        client, profile, pads = self._client, self.profile.gripper, list(self.pads)
        if isinstance(profile, SuctionProfile):
            roughen(client, self.number, pads, anchored=True)
            head, tool = self._head, self.profile.tool
            return SuctionGripper(client, self.number, head=head, tool=tool, cups=pads, bodies=bodies, profile=profile)
        opening = profile.max_opening if self._start.opening is None else self._start.opening
        for number in self._fingers:
            client.resetJointState(self.number, number, profile.travel(opening))
        left, right = self._fingers
        gear = client.createConstraint(self.number, left, self.number, right, client.JOINT_GEAR, [1, 0, 0], [0, 0, 0], [0, 0, 0])
        client.changeConstraint(gear, gearRatio=-1, erp=0.1, maxForce=50)
        return ParallelGripper(client, self.number, joints=self._fingers, pads=pads, profile=profile, opening=opening)

    def joints(self) -> dict[str, JointState]:
        """Return joint states of arm and fingers by name."""
        states = self._client.getJointStates(self.number, list(self._joints.values()))
        return {name: JointState(s[0], s[1], s[3]) for name, s in zip(self._joints, states, strict=True)}

    def tool(self) -> Pose:
        """Return the pose of the tool centre point in the world."""
        link = self._client.getLinkState(self.number, self._head, computeForwardKinematics=1)
        return Pose(link[4], link[5]) @ self.profile.tool

    def opening(self) -> float:
        """Return the full width between the fingers, m."""
        return float(sum(state[0] for state in self._client.getJointStates(self.number, self._fingers))) if self._fingers else 0.0


def _urdf_file(urdf: str) -> str:
    # PyBullet reads URDF only from files, and mesh names without a scheme.
    return str(cached_text('robot', '.urdf', urdf.replace('file://', '')))

"""All objects of a scene in a MuJoCo simulation of its own."""

from collections.abc import Container, Mapping

import numpy as np

from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Pose, vector
from vlm_bench_sim.core.gripper import SuctionProfile
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Body, JointState, Snapshot
from vlm_bench_sim.mujoco.contacts import Contacts
from vlm_bench_sim.mujoco.engine import Engine
from vlm_bench_sim.mujoco.model import PROP, add_prop, spec_of
from vlm_bench_sim.mujoco.robot import Arm, ParallelGripper, joint_states
from vlm_bench_sim.mujoco.suction import SuctionGripper

_LATCH = 5000.0  # N or N m: what holds a latched joint


class MujocoStage:
    """A scene in MuJoCo, every part at its described pose; nothing has moved yet.

    Raises:
        SceneError: the scene holds beads or dirt, or another number of joints than the robot's.

    Attributes:
        arm: the arm's controller.
        gripper: the gripper's controller.
        contacts: contacts between bodies, and the grasp.
    """

    def __init__(self, profile: RobotProfile, scene: Scene) -> None:
        if matter := [*(group.name for group in scene.beads), *(patch.name for patch in scene.dirt)]:
            raise SceneError(f'MuJoCo worlds hold neither beads nor dirt; the scene has {", ".join(matter)}. Take the engine pybullet.')
        start = scene.robot.arm(profile)
        self._profile = profile
        self._props = {prop.name: prop for prop in scene.props}
        self._engine = engine = Engine(spec_of(profile, scene))
        engine.data.qpos[engine.position(profile.joints)] = start
        links = {name for mechanism in scene.mechanisms for name in mechanism.placed({})}
        self._joints = {name: joint for mechanism in scene.mechanisms for name, joint in mechanism.joints.items()}
        self._latches = [
            (one.full(latch.link), (one.full(latch.by), latch.threshold, latch.play)) for one in scene.mechanisms for latch in one.latches
        ]
        if self._joints:
            engine.data.qpos[engine.position(tuple(self._joints))] = [joint.start for joint in self._joints.values()]
        gripper = profile.gripper
        if isinstance(gripper, SuctionProfile):
            engine.refresh()
            self.gripper: SuctionGripper | ParallelGripper = SuctionGripper(
                engine, gripper, robot=profile, bodies=_Names(self._props, links)
            )
        else:
            opening = gripper.max_opening if scene.robot.opening is None else scene.robot.opening
            engine.data.qpos[engine.position(gripper.joints)] = gripper.travel(opening)
            self.gripper = ParallelGripper(engine, gripper, opening=opening)
        self.arm = Arm(engine, profile, start=start)
        self.contacts = Contacts(engine, profile, links=frozenset(links))
        engine.refresh()

    def advance(self) -> None:
        """Make one physics step."""
        self.gripper.drive()
        self.arm.drive()
        self._latch()
        self._engine.step(self.contacts.glimpse)
        self._engine.kinematics()
        self.contacts.update_grasp(self.gripper.holds(self.contacts.observe(), self.opening))

    def wipe(self) -> None:
        """Do nothing: there is no dirt."""

    def _latch(self) -> None:
        """Engage or release latches; one engaged latch is enough to hold a joint."""
        model, held = self._engine.model, {joint for joint, latch in self._latches if self._engaged(joint, *latch)}
        for joint in {joint for joint, _ in self._latches}:
            model.dof_frictionloss[self._engine.velocity((joint,))] = _LATCH if joint in held else self._joints[joint].friction

    def _engaged(self, joint: str, by: str, threshold: float, play: float) -> bool:
        turned, held = self._engine.data.qpos[self._engine.position((by, joint))]
        return bool(turned < threshold and held - self._joints[joint].lower < play)

    def bodies(self) -> dict[str, Body]:
        """Return pose and velocity of each prop by name."""
        return {name: self._body(prop) for name, prop in self._props.items()}

    def _body(self, prop: Prop) -> Body:
        pose = self._engine.pose(PROP + prop.name)
        if prop.fixed or prop.ghost:
            return Body(pose)
        first = int(self._engine.velocity((PROP + prop.name,))[0])
        speed = self._engine.data.qvel[first : first + 6]
        return Body(pose, vector(speed[:3]), vector(np.einsum('ij,j->i', pose.rotation, speed[3:])))

    def restless(self, *, linear: float, angular: float) -> list[str]:
        """Return the full names of the links of furniture faster than that, m/s or rad/s."""
        limits = {name: linear if joint.kind == 'prismatic' else angular for name, joint in self._joints.items()}
        return [name for name, joint in self._fittings().items() if abs(joint.velocity) > limits[name]]

    def _fittings(self) -> dict[str, JointState]:
        names, data = tuple(self._joints), self._engine.data
        if not names:
            return {}
        states = zip(data.qpos[self._engine.position(names)], data.qvel[self._engine.velocity(names)], strict=True)
        return {name: JointState(float(q), float(v)) for name, (q, v) in zip(names, states, strict=True)}

    def tool(self) -> Pose:
        """Return the pose of the tool centre point in the world."""
        return self._engine.pose(self._profile.tool_link) @ self._profile.tool

    def opening(self) -> float:
        """Return the full width between the fingers, m."""
        names = self._profile.gripper.joints
        return float(sum(self._engine.data.qpos[self._engine.position(names)].tolist())) if names else 0.0

    def present(self, prop: Prop, to: Body) -> None:
        """Before anything has moved: set pose and velocity of the prop that the gripper is to take."""
        self.place(prop.name, to)

    def set_gravity(self, gravity: float) -> None:
        """Set the acceleration of all that falls, towards the world's -z, m/s²."""
        self._engine.model.opt.gravity[2] = -gravity
        self._engine.wake()

    def place(self, name: str, to: Body) -> None:
        """Set a prop's pose and velocity."""
        engine, body = self._engine, PROP + name
        x, y, z, w = to.pose.orientation
        if (prop := self._props[name]).fixed or prop.ghost:
            number = engine.model.body(body).mocapid[0]
            engine.data.mocap_pos[number], engine.data.mocap_quat[number] = to.pose.position, (w, x, y, z)
        else:
            first, speed = int(engine.position((body,))[0]), int(engine.velocity((body,))[0])
            engine.data.qpos[first : first + 7] = (*to.pose.position, w, x, y, z)
            turn = np.einsum('ji,j->i', to.pose.rotation, np.asarray(to.angular))
            engine.data.qvel[speed : speed + 6] = (*to.linear, *turn)
        engine.wake()

    def add(self, prop: Prop) -> None:
        """Add a prop."""
        self._engine.change(lambda spec: add_prop(spec, prop))
        self._props[prop.name] = prop

    def remove(self, name: str) -> None:
        """Remove a prop; a gripper that held it then holds nothing."""
        self.gripper.lose(name)
        self.contacts.forget(name)
        self._engine.change(lambda spec: spec.delete(spec.body(PROP + name)))
        del self._props[name]

    def observe(self, *, seq: int, step: int) -> Snapshot:
        """Return the true state, `seq` control periods and `step` physics steps after the episode began."""
        contacts = self.contacts
        return Snapshot(
            seq=seq, step=step, joints=joint_states(self._engine, self._profile), tool=self.tool(), opening=self.opening(),
            held=contacts.held, bodies=self.bodies(), mechanisms=self._fittings(), touching=tuple(sorted(contacts.touching)),
            touched=tuple(sorted(contacts.touched)), grasped=tuple(contacts.grasped), released=tuple(contacts.released),
        )  # fmt: skip

    def close(self) -> None:
        """Do nothing: MuJoCo frees its memory by itself."""


class _Names:
    """The names of all that can be held: props as they come and go, and links of furniture."""

    def __init__(self, props: Mapping[str, Prop], links: Container[str]) -> None:
        self._props, self._links = props, links

    def __contains__(self, name: object) -> bool:
        """Return whether the gripper can hold what has that name."""
        return name in self._props or name in self._links

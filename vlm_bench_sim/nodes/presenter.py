"""Tells and shows how the world stands: states, frames and ticks in messages, and pictures."""

from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.geometry import Box, Pose
from vlm_bench_sim.core.protocols import MotionState
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.nodes.bench_node import BenchNode
from vlm_bench_sim.nodes.camera_publisher import CameraPublisher
from vlm_bench_sim.nodes.robot_box import RobotBox
from vlm_bench_sim.nodes.state_publisher import StatePublisher
from vlm_bench_sim.render.renderer import Renderer


class Presenter:
    """Publishes one world.

    Args:
        node: of the simulator.
        world: to publish.
        cameras: that look at it.
        every: control periods between two pictures.
    """

    def __init__(self, node: BenchNode, world: BulletWorld, *, cameras: tuple[Camera, ...], every: int) -> None:
        self._world, self._kinematics, self._box = world, Kinematics(world.profile), RobotBox(world.profile)
        self._renderer, self._states = Renderer(world.profile), StatePublisher(node, world.profile, cameras)
        self._cameras = CameraPublisher(node, self._renderer, cameras, every=every)
        self._changed: Scene | None = None
        self._links: dict[str, Pose] = {}

    @property
    def listeners(self) -> int:
        """Count of those who are shown the world state."""
        return self._states.listeners

    @property
    def robot(self) -> Box:
        """The box around the robot as it stands now."""
        return self._box.now(self._links)

    def load(self, scene: Scene, token: str) -> None:
        """Show another scene: in pictures from now on, in messages with the next period, for there is one snapshot a period."""
        self._cameras.load(scene, token)
        self._changed = scene

    def publish(self, *, ns: int, token: str) -> None:
        """Publish one control period and the tick that closes it."""
        if self._changed is not None:
            self._states.publish_scene(token, self._changed, self._renderer.renderer_string)
            self._changed = None
        snapshot = self._world.snapshot
        self._links = self._kinematics.link_poses({name: joint.position for name, joint in snapshot.joints.items()})
        self._states.publish(snapshot, self._links, ns=ns, token=token)
        self.show(ns=ns, pausing=False)
        arm, hand = (state is MotionState.RUNNING for state in (self._world.arm, self._world.gripper))
        self._states.publish_tick(snapshot, ns=ns, token=token, arm_busy=arm, gripper_busy=hand)

    def show(self, *, ns: int, pausing: bool) -> None:
        """Publish the pictures that are due; while the world pauses, one for each newcomer."""
        self._cameras.publish(self._world.snapshot, self._links, ns=ns, pausing=pausing)

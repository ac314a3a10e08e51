"""Publishes what a robot driver reports once per control period (clock, joints, frames, tool pose), and the truth for the bench."""

from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.protocols import MotionState, World
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.publishing.arrivals import Arrivals
from vlm_bench_sim.ros import driver, names
from vlm_bench_sim.ros.convert import message
from vlm_bench_sim.ros.fields import Fields

_ROWS = (
    names.CLOCK, names.JOINT_STATES, names.TF, names.TF_STATIC, names.TCP_POSE,
    names.WORLD_STATE, names.SCENE, names.TICK, names.ROBOT_DESCRIPTION,
)  # fmt: skip
_GREETED = (names.CLOCK, names.JOINT_STATES, names.TF, names.TCP_POSE, names.WORLD_STATE, names.TICK)


class StatePublisher:
    """Publishes snapshots.

    Args:
        node: the simulator's node.
        profile: the robot.
        cameras: whose frames are published.
        engine: name of the physics engine.
    """

    def __init__(self, node: BenchNode, profile: RobotProfile, *, cameras: tuple[Camera, ...], engine: str) -> None:
        self._publishers = {row: node.publisher(row) for row in _ROWS}
        self._arrivals = {row: Arrivals(self._publishers[row]) for row in _GREETED}
        self._robot, self._urdf, self._cameras, self._engine = profile.name, profile.urdf, cameras, engine
        self._frames = driver.Frames(profile.urdf, cameras)
        self._send(names.ROBOT_DESCRIPTION, {'data': profile.urdf})
        self._send(*self._frames.static(0))

    def place(self, cameras: tuple[Camera, ...]) -> None:
        """Publish the camera poses if a camera has moved."""
        if cameras != self._cameras:
            self._cameras, self._frames = cameras, driver.Frames(self._urdf, cameras)
            self._send(*self._frames.static(0))

    def publish(self, snapshot: Snapshot, links: dict[str, Pose], *, ns: int, token: str) -> None:
        """Publish one control period; `links` are link poses in the world. `publish_tick` publishes the tick."""
        self._told = dict(driver.state(snapshot, links, self._frames, ns=ns, token=token))
        self._audience = self._listening()  # later subscribers are greeted, and may receive it twice
        for row, fields in self._told.items():
            self._send(row, fields)

    def greet(self, *, truth: bool, again: bool) -> None:
        """Repeat the newest period on topics with new subscribers, or on all if `again`: in a pause nothing else would be published.

        The ground truth is repeated only if `truth`: a recorder that starts after an episode must not take it for one.
        """
        audience, before = self._listening(), self._audience
        self._audience = audience
        for row in _GREETED:
            if (again or audience[row] > before[row]) and (truth or not row.private):
                self._send(row, self._told[row])

    def publish_tick(self, world: World, *, ns: int, token: str) -> None:
        """Publish the tick that closes a period."""
        arm, hand = (state is MotionState.RUNNING for state in (world.arm, world.gripper))
        row, self._told[names.TICK] = driver.tick(
            world.snapshot, ns=ns, token=token, arm_busy=arm, gripper_busy=hand, assisting=world.assisting
        )
        self._send(row, self._told[row])

    def publish_scene(self, token: str, scene: Scene, renderer: str) -> None:
        """Publish the loaded scene, its renderer and its engine."""
        self._send(*driver.scene(scene, token=token, robot=self._robot, renderer=renderer, engine=self._engine))

    def _listening(self) -> dict[names.Name, int]:
        return {row: arrivals.count for row, arrivals in self._arrivals.items()}

    def _send(self, row: names.Name, fields: Fields) -> None:
        self._publishers[row].publish(message(row.type, fields))

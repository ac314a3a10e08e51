"""Publishes the state of the world: states, frames, ticks and pictures."""

from typing import Any

from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.codes import OK, OPERATION_FAILED
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.geometry import Box, Pose
from vlm_bench_sim.core.looks import Look
from vlm_bench_sim.core.protocols import World
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.unsteady import UnsteadyWorld
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.nodes.base.answers import answer
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.publishing.camera_publisher import CameraPublisher
from vlm_bench_sim.nodes.publishing.state_publisher import StatePublisher
from vlm_bench_sim.nodes.simulation.robot_box import RobotBox
from vlm_bench_sim.render.renderer import Renderer
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.looks import read_look


class SimPublisher:
    """Publishes one world.

    Args:
        node: the simulator's node.
        world: the world to publish.
        cameras: the cameras that look at it.
        rate: pictures per second of simulated time.
        engine: name of the physics engine.
        aids: the aids that policies are given.
    """

    def __init__(
        self, node: BenchNode, world: UnsteadyWorld, *, cameras: tuple[Camera, ...], rate: float, engine: str, aids: tuple[str, ...] = ()
    ) -> None:
        self._world, self._kinematics, self._box = world, Kinematics(world.profile), RobotBox(world.profile)
        self._renderer, self._states = Renderer(world.profile), StatePublisher(node, world.profile, cameras=cameras, engine=engine)
        self._cameras = CameraPublisher(node, self._renderer, cameras=cameras, rate=rate, aids=aids)
        self._changed: Scene | None = None
        self._links: dict[str, Pose] = {}
        self._scene, self._token, self._ns = Scene(()), '', 0
        self._looks: dict[str, Look] = {}
        node.service(names.SET_LOOK, self._set_look)
        node.service(names.DRAW_KEY_STEP, self._draw_key_step)

    @property
    def robot(self) -> Box:
        """The box around the robot in its present pose."""
        return self._box.now(self._links)

    def load(self, scene: Scene, token: str) -> None:
        """Show another scene: in pictures from now on, in messages from the next period, as there is one snapshot per period.

        Looks that were set stay with their props until the token changes.
        """
        if token != self._token:
            self._token, self._looks = token, {}
        there = {prop.name for prop in scene.props}
        dressed = scene.dressed({name: look for name, look in self._looks.items() if name in there})
        self._states.place(self._cameras.load(dressed, token, self._world.seeded_perturbation))
        self._changed = self._scene = scene

    def _set_look(self, request: Any, response: Any) -> Any:
        """Change the look of a prop from the next picture on; nothing else about it changes."""
        try:
            own = self._scene.prop(request.name).look
            look = read_look(request.look) if request.look else own
            self._renderer.dress({request.name: look})
        except VlmBenchError as error:
            return answer(response, OPERATION_FAILED, str(error))
        self._looks[request.name] = look
        return answer(response, OK)

    def _draw_key_step(self, _request: Any, response: Any) -> Any:
        """Publish the pictures of the newest control period as a key step."""
        self._cameras.publish_key_step(self._world.snapshot, self._links, ns=self._ns)
        response.success = True
        return response

    def publish(self, *, ns: int, token: str) -> None:
        """Publish one control period."""
        if self._changed is not None:
            self._states.publish_scene(token, self._changed, self._renderer.renderer_string)
            self._changed = None
        snapshot, self._ns = self._world.snapshot, ns
        self._links = self._kinematics.link_poses({name: joint.position for name, joint in snapshot.joints.items()})
        self._states.publish(snapshot, self._links, ns=ns, token=token)
        self._cameras.publish(snapshot, self._links, ns=ns, pausing=False)

    def tick(self, world: World, *, ns: int, token: str) -> None:
        """Publish the tick that closes a period; `world` is the one that takes the commands."""
        self._states.publish_tick(world, ns=ns, token=token)

    def greet(self, *, ns: int, truth: bool, pictures: bool, again: bool) -> None:
        """While the world pauses, publish its state to new subscribers: the ground truth if `truth`, pictures if `pictures`.

        `again`: publish to all subscribers.
        """
        if pictures:
            self._cameras.publish(self._world.snapshot, self._links, ns=ns, pausing=True)
        self._states.greet(truth=truth, again=again)

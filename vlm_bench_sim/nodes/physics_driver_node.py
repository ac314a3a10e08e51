"""A robot's driver with a physics engine where the robot would be: what a policy meets on a real arm, without the arm.

It serves what a robot's driver serves, by the system's clock: no lockstep, no truth, no reset. Besides, it stands in for what is around a
real arm: a person who lays the table (LoadScene), an object tracker that errs, and cameras whose calibration errs.
"""

import sys
import time

from vlm_bench_sim import engines, profiles
from vlm_bench_sim.core.engine import MUJOCO
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.perturbation import Perturbation, SeededPerturbation
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.sighting import Sight, Sighting, Sightings
from vlm_bench_sim.core.snapshot import Snapshot, state_hash
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.motion.observed import trackable
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.process import run
from vlm_bench_sim.nodes.base.tracking import TRACKER, accuracy
from vlm_bench_sim.nodes.driving.paced_driver import PacedDriver
from vlm_bench_sim.nodes.publishing.camera_publisher import CameraPublisher
from vlm_bench_sim.nodes.simulation.stage_server import StageServer
from vlm_bench_sim.render.renderer import Renderer
from vlm_bench_sim.ros import driver, fields, names
from vlm_bench_sim.ros.convert import message

PARAMETERS = TRACKER | {
    'robot': 'panda', 'engine': MUJOCO, 'cameras': 'none', 'width': 256, 'height': 256, 'camera_rate': 10.0, 'tracker_delay': 0.05,
    'tracker_drop_out': 0.0, 'camera_error': 0.0, 'camera_error_angle': 0.0, 'error_seed': 0, 'truth': False,
}  # fmt: skip
"""`tracker_accuracy`, `tracker_accuracy_angle`: how the tracker errs, standard deviations in m and rad; `tracker_delay`: s;
`tracker_drop_out`: share of the poses that it misses; `camera_error`, `camera_error_angle`: standard deviations of where the cameras
truly are from where the frames say, m and rad; `error_seed`: of all these; `truth`: publish the true state for who compares verdicts."""
SETTLED_S = 1.0
"""Time for which a laid table is left alone before it is said to be laid, s."""


class PhysicsDriverNode:
    """A driver of a robot in a physics engine."""

    def __init__(self) -> None:
        self._node = node = BenchNode('physics_driver_node', PARAMETERS)
        self._values, profile = node.values, profiles.robot(node.values['robot'])
        self._world, self._kinematics = engines.world(profile, self._values['engine']), Kinematics(profile)
        self._scene, self._token, self._laid_at = Scene(()), '', 0.0
        self._world.load(self._scene)
        self._sightings = Sightings(self._sight(), self._values['error_seed'])
        cameras = profiles.cameras(self._values['cameras'], self._values['width'], self._values['height'], robot=profile.name)
        self._renderer = Renderer(profile) if cameras else None
        self._cameras = CameraPublisher(
            node, self._renderer, cameras=cameras, rate=self._values['camera_rate'], truth=False
        ) if self._renderer else None  # fmt: skip
        self._publishers = {row: node.publisher(row) for row in (names.TRACKED, names.STAND_IN_STATE)}
        self._stage = StageServer(node, robot=profile.name, lay=self._lay)
        self._driver = PacedDriver(node, profile, world=self._world, links=self._links, frames=driver.Frames(profile.urdf, cameras))
        self._show()

    def spin_once(self) -> None:
        """Handle pending callbacks and run the control periods that are due."""
        if self._driver.turn():
            self._tell(self._world.snapshot)
        if self._stage.pending and time.monotonic() > self._laid_at:
            self._stage.laid(self._renderer.renderer_string if self._renderer else 'none')

    def close(self) -> None:
        """Abort running goals."""
        self._driver.close()

    def _sight(self) -> Sight:
        return Sight(accuracy(self._values), self._values['tracker_delay'], self._values['tracker_drop_out'])

    def _lay(self, scene: Scene, token: str) -> None:
        """Lay the table as a person would: everything at its place, and the robot moved to where it starts."""
        self._driver.abort('The table is being laid.')
        self._world.load(scene)
        self._scene, self._token = scene, token
        self._show()
        self._driver.restart()
        self._laid_at = time.monotonic() + SETTLED_S + self._values['tracker_delay']

    def _show(self) -> None:
        """Take the scene before the cameras, which are not quite where their frames say."""
        if self._cameras:
            error = Perturbation(camera_position=self._values['camera_error'], camera_angle=self._values['camera_error_angle'])
            self._cameras.load(self._scene, self._token, SeededPerturbation(error, self._values['error_seed']))

    def _links(self, now: Snapshot) -> dict[str, Pose]:
        return self._kinematics.link_poses({name: joint.position for name, joint in now.joints.items()})

    def _tell(self, now: Snapshot) -> None:
        """Publish what tracker and cameras see, and the truth if it is wanted."""
        ns = time.time_ns()
        seen = self._sightings.look(trackable(self._scene, now), ns)
        if seen:
            self._send(names.TRACKED, fields.tf_message([_told(one) for one in seen]))
        if self._cameras:
            self._cameras.publish(now, self._links(now), ns=ns, pausing=False)
        if self._values['truth']:
            self._send(names.STAND_IN_STATE, fields.world_state(now, ns=ns, token=self._token, state_hash=state_hash(now)))

    def _send(self, row: names.Name, content: fields.Fields) -> None:
        self._publishers[row].publish(message(row.type, content))


def _told(one: Sighting) -> fields.Fields:
    return fields.transform('world', one.name, one.pose, one.ns)


def main() -> None:
    """Run the node."""
    sys.exit(run(PhysicsDriverNode))


if __name__ == '__main__':
    main()

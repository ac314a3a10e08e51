"""A robot's driver without a robot: the interface of a real driver, with bare kinematics and the system's clock."""

import sys
import time

from vlm_bench_sim import profiles
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.timing import PERIOD_S
from vlm_bench_sim.motion.kinematic_world import KinematicWorld
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.process import run
from vlm_bench_sim.nodes.driving.driver import Driver
from vlm_bench_sim.ros import driver, names
from vlm_bench_sim.ros.convert import message
from vlm_bench_sim.ros.fields import Fields

PARAMETERS = {'robot': 'panda', 'speed': 1.0}
"""`speed`: the fraction of the velocity limits that the joints reach; below 1 the arm lags behind its trajectories."""
SLICE_S, BREATH_S = 0.005, 0.001
MOST_LATE_S = 1.0
_ROWS = (names.JOINT_STATES, names.TF, names.TF_STATIC, names.TCP_POSE, names.ROBOT_DESCRIPTION)


class FakeDriverNode:
    """Serves joint states, frames, trajectories and gripper commands. It accepts commands at any time, as a driver knows no episodes."""

    def __init__(self) -> None:
        self._node = BenchNode('fake_driver_node', PARAMETERS)
        values = self._node.values
        profile = profiles.robot(values['robot'])
        self._world, self._kinematics = KinematicWorld(profile, values['speed']), Kinematics(profile)
        self._world.load(Scene(()))
        self._frames = driver.Frames(profile.urdf, ())
        self._publishers = {row: self._node.publisher(row) for row in _ROWS}
        self._send(names.ROBOT_DESCRIPTION, {'data': profile.urdf})
        self._send(*self._frames.static(time.time_ns()))
        self._driver = Driver(self._node, profile, world=self._world, gate=lambda _: True, clock_ns=time.time_ns)
        self._due = time.monotonic()

    def spin_once(self) -> None:
        """Handle pending callbacks and run the control periods that are due."""
        # Always the same timeout: with another one rclpy starts over, and a goal that awaits its end would block all incoming messages.
        self._node.spin_once(SLICE_S)
        self._driver.serve_cancels()
        if self._driver.busy:
            time.sleep(BREATH_S)  # while a goal awaits its end, rclpy does not wait
        late = time.monotonic() - self._due
        if late > MOST_LATE_S:  # the process was stopped: do not catch up on the time in which nobody drove the robot
            self._node.log.warning(f'The driver process was stopped for {late:.1f} s. It does not catch up.')
            self._due = time.monotonic()
        if late >= 0.0:
            self._due += PERIOD_S
            self._world.step()
            self._publish()
            self._driver.update()

    def close(self) -> None:
        """Abort running goals."""
        self._node.spin_last(lambda: self._driver.abort('The driver shuts down.'))
        self._node.close()
        self._world.close()

    def _publish(self) -> None:
        snapshot = self._world.snapshot
        links = self._kinematics.link_poses({name: joint.position for name, joint in snapshot.joints.items()})
        for row, fields in driver.robot(snapshot, links, self._frames, time.time_ns()):
            self._send(row, fields)

    def _send(self, row: names.Name, fields: Fields) -> None:
        self._publishers[row].publish(message(row.type, fields))


def main() -> None:
    """Run the node."""
    sys.exit(run(FakeDriverNode))


if __name__ == '__main__':
    main()

"""The interface of a real robot's driver around a world that stands in for one: the system's clock, no lockstep, no reset."""

import time
from collections.abc import Callable
from dataclasses import replace

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.protocols import World
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import PERIOD_S
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.driving.driver import Driver
from vlm_bench_sim.ros import driver, names
from vlm_bench_sim.ros.convert import message
from vlm_bench_sim.ros.fields import Fields

SLICE_S, BREATH_S = 0.005, 0.001
MOST_LATE_S = 1.0
_ROWS = (names.JOINT_STATES, names.TF, names.TF_STATIC, names.TCP_POSE, names.ROBOT_DESCRIPTION)


class PacedDriver:
    """Serves joint states, frames, trajectories and gripper commands. It accepts commands at any time, as a driver knows no episodes.

    Args:
        node: the node that serves them.
        profile: the robot.
        world: the world whose robot moves; it must have been loaded.
        links: returns the poses of the robot's links in the world, for a snapshot.
        frames: of the robot, and of cameras if it has any.
    """

    def __init__(
        self, node: BenchNode, profile: RobotProfile, *, world: World, links: Callable[[Snapshot], dict[str, Pose]], frames: driver.Frames
    ) -> None:
        self._node, self._world, self._links, self._frames = node, world, links, frames
        self._gripper = profile.gripper
        self._publishers = {row: node.publisher(row) for row in _ROWS}
        self._send(names.ROBOT_DESCRIPTION, {'data': profile.urdf})
        self._send(*frames.static(time.time_ns()))
        self._driver = Driver(node, profile, world=world, gate=lambda _: True, clock_ns=time.time_ns)
        self._due = time.monotonic()

    def turn(self) -> bool:
        """Handle pending callbacks; run and publish the control period if one is due, and return whether it was."""
        # Always the same timeout: with another one rclpy starts over, and a goal that awaits its end would block all incoming messages.
        self._node.spin_once(SLICE_S)
        self._driver.serve_cancels()
        if self._driver.busy:
            time.sleep(BREATH_S)  # while a goal awaits its end, rclpy does not wait
        late = time.monotonic() - self._due
        if late > MOST_LATE_S:  # the process was stopped: do not catch up on the time in which nobody drove the robot
            self._node.log.warning(f'The driver process was stopped for {late:.1f} s. It does not catch up.')
            self._due = time.monotonic()
        if late < 0.0:
            return False
        self._due += PERIOD_S
        self._world.step()
        self._publish()
        self._driver.update()
        return True

    def restart(self) -> None:
        """Begin the next period now."""
        self._due = time.monotonic()

    def abort(self, reason: str) -> None:
        """Abort running goals; the robot holds its position."""
        self._driver.abort(reason)

    def close(self) -> None:
        """Abort running goals, and free the node and the world."""
        self._node.spin_last(lambda: self._driver.abort('The driver shuts down.'))
        self._node.close()
        self._world.close()

    def _publish(self) -> None:
        now = self._world.snapshot
        snapshot = replace(now, joints=now.joints | self._gripper.sensed(now.held)) if now.contacts else now
        for row, fields in driver.robot(snapshot, self._links(now), self._frames, time.time_ns()):
            self._send(row, fields)

    def _send(self, row: names.Name, fields: Fields) -> None:
        self._publishers[row].publish(message(row.type, fields))

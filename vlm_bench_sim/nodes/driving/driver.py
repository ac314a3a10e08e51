"""The interface of a robot's driver: trajectories for the arm, commands for the gripper. Works with physics and with bare kinematics."""

from collections.abc import Callable

from vlm_bench_sim.core.protocols import MotionState, World
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.driving.goal_server import Port
from vlm_bench_sim.nodes.driving.gripper_server import GripperServer
from vlm_bench_sim.nodes.driving.trajectory_server import TrajectoryServer


class Driver:
    """The action servers and topics that move a robot.

    Args:
        node: the node that serves them.
        profile: the robot.
        world: the world whose robot moves.
        gate: returns whether the robot accepts a command now, given its description.
        clock_ns: returns the present time, ns.
    """

    def __init__(
        self, node: BenchNode, profile: RobotProfile, *, world: World, gate: Callable[[str], bool], clock_ns: Callable[[], int]
    ) -> None:
        self._world = world
        self._arm = TrajectoryServer(node, profile, port=Port(world.apply, world.hold_arm, gate, clock_ns))
        self._hand = GripperServer(node, profile, world=world, port=Port(world.apply, world.hold_gripper, gate, clock_ns))

    @property
    def busy(self) -> bool:
        """True while the arm or the gripper executes a command."""
        return MotionState.RUNNING in (self._world.arm, self._world.gripper)

    def serve_cancels(self) -> None:
        """Answer requests to cancel running goals."""
        self._arm.goals.serve_cancel()
        self._hand.serve_cancel()

    def update(self) -> None:
        """Send feedback, and answer the goals that the last period has decided."""
        self._arm.update(self._world)
        self._hand.update()

    def abort(self, reason: str) -> None:
        """Abort running goals; the robot holds its position."""
        self._arm.goals.abort(reason)
        self._hand.abort(reason)

"""GripperCommand and ParallelGripperCommand: a grasp or a seal is a stall and succeeds; out-of-range goals are aborted.

Both actions control one gripper: a goal on either aborts the running goal of the other.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.gripper import Seal, SuctionProfile
from vlm_bench_sim.core.protocols import MotionState, World
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.driving.goal_server import Answer, GoalServer, Port
from vlm_bench_sim.ros import fields, gripper
from vlm_bench_sim.ros.convert import interface
from vlm_bench_sim.ros.fields import Fields
from vlm_bench_sim.ros.gripper import Wish
from vlm_bench_sim.ros.names import Name, arm_names, parallel_gripper


class GripperServer:
    """Turns gripper goals, in the unit of the robot's driver or of its joints, into openings or suction.

    If the release of control_msgs lacks ParallelGripperCommand, that action is not served, and the log says so.

    Args:
        node: the node that serves.
        profile: the robot.
        world: the world whose gripper moves.
        port: the interface to the simulator.
    """

    def __init__(self, node: BenchNode, profile: RobotProfile, *, world: World, port: Port) -> None:
        self._log, self._gripper, self._world, self._port = node.log, profile.gripper, world, port
        self._on = False
        self._actions = [self._serve(node, arm_names(profile)[2], read=self._read, told=self._told)]
        twin = parallel_gripper(profile)
        try:
            interface(twin.type)
        except ConfigError as error:
            node.log.warning(f'{twin.name} is not served: {error}')
            return
        self._actions.append(self._serve(node, twin, read=self._read_joints, told=self._told_joints))

    def update(self) -> None:
        """Send feedback, and answer the goal if the last period has decided it."""
        for action in self._actions:
            action.update(self._world.gripper)

    def serve_cancel(self) -> None:
        """Answer a request to cancel the running goal; the gripper holds its position."""
        for action in self._actions:
            action.goals.serve_cancel()

    def abort(self, reason: str) -> None:
        """Abort a running goal; the gripper holds its position."""
        for action in self._actions:
            action.goals.abort(reason)

    def _serve(self, node: BenchNode, row: Name, *, read: Callable[[Any], Wish], told: Callable[[], Fields]) -> '_Action':
        return _Action(node, row, port=replace(self._port, begin=partial(self._begin, row)), read=read, told=told)

    def _begin(self, row: Name, wish: Wish) -> None:
        for action in self._actions:
            if action.row != row:
                action.goals.preempt('Preempted: a newer goal on the other action of the gripper took its place.')
        command = gripper.command(self._gripper, wish)
        self._port.begin(command)
        self._on = isinstance(command, Seal) and command.on

    def _read(self, request: Any) -> Wish:
        return gripper.read(self._gripper, request.command.position, request.command.max_effort)

    def _read_joints(self, request: Any) -> Wish:
        wish = gripper.read_joints(self._gripper, request.command)
        unused = [name for name, given in (('velocity', request.command.velocity), ('effort', request.command.effort)) if len(given)]
        if not isinstance(self._gripper, SuctionProfile):
            unused = [name for name in unused if name != 'effort']
        if unused:
            self._log.warning(f'The gripper does not support {" or ".join(unused)} in a goal: that part is ignored.')
        return wish

    @property
    def _sucks(self) -> bool:
        return self._on and self._world.gripper is not MotionState.IDLE  # IDLE after a reset, which releases

    def _told(self) -> Fields:
        return {'position': gripper.position(self._gripper, self._world.snapshot.opening, on=self._sucks), 'effort': 0.0}

    def _told_joints(self) -> Fields:
        joints = gripper.joints(self._gripper, self._world.snapshot, on=self._sucks)
        return {'state': fields.joint_state(joints, self._port.clock_ns())}


class _Action:
    """One of the two actions, and how it reports the state of the gripper."""

    def __init__(self, node: BenchNode, row: Name, *, port: Port, read: Callable[[Any], Wish], told: Callable[[], Fields]) -> None:
        self.row, self._log, self._told = row, node.log, told
        self.goals = GoalServer(node, row, port=port, read=read, ended=self._ended)

    def update(self, gripper_state: MotionState) -> None:
        if gripper_state in (MotionState.SUCCEEDED, MotionState.STALLED):
            stalled = gripper_state is MotionState.STALLED
            self.goals.finish(Answer('succeed', self._told() | {'stalled': stalled, 'reached_goal': not stalled}))
        elif self.goals.busy:
            self.goals.feedback(self._told())

    def _ended(self, outcome: str, reason: str) -> Answer:
        self._log.warning(f'{self.row.name}: goal ended: {reason}')
        return Answer(outcome, self._told())

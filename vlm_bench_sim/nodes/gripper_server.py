"""GripperCommand: a grasp or a seal is a stall and succeeds; an opening out of range is aborted."""

from dataclasses import replace
from typing import Any

from vlm_bench_sim.core.command import Command, Grip, Seal
from vlm_bench_sim.core.protocols import MotionState, World
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.nodes.bench_node import BenchNode
from vlm_bench_sim.nodes.goal_server import Answer, GoalServer, Port
from vlm_bench_sim.ros import gripper
from vlm_bench_sim.ros.names import arm_names


class GripperServer:
    """Turns gripper goals, in the profile's own unit, into openings, or into suction."""

    def __init__(self, node: BenchNode, profile: RobotProfile, *, port: Port) -> None:
        self._log, self._gripper = node.log, profile.gripper
        self._position, self._on = 0.0, False
        self._port = port
        port = replace(port, begin=self._begin)
        self.goals = GoalServer(node, arm_names(profile)[2], port=port, read=self._read, ended=self._ended)

    def update(self, world: World) -> None:
        """Send feedback, and answer the goal if the period that ended has decided it."""
        self._position = gripper.position(self._gripper, world.snapshot.opening, on=self._on)
        if world.gripper in (MotionState.SUCCEEDED, MotionState.STALLED):
            self.goals.finish(Answer('succeed', self._result(stalled=world.gripper is MotionState.STALLED)))
        elif self.goals.busy:
            self.goals.feedback(self._result(stalled=False) | {'reached_goal': False})

    def _read(self, request: Any) -> Grip | Seal:
        return gripper.read(self._gripper, request.command.position, request.command.max_effort)

    def _begin(self, command: Command) -> None:
        self._port.begin(command)
        self._on = isinstance(command, Seal) and command.on

    def _result(self, *, stalled: bool) -> dict[str, Any]:
        return {'position': self._position, 'effort': 0.0, 'stalled': stalled, 'reached_goal': not stalled}

    def _ended(self, outcome: str, reason: str) -> Answer:
        self._log.warning(f'Gripper goal ended: {reason}')
        return Answer(outcome, self._result(stalled=False) | {'reached_goal': False})

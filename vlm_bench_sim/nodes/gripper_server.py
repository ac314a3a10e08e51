"""GripperCommand: a grasp is a stall and succeeds; an opening out of range is aborted."""

from math import isfinite
from typing import Any

from vlm_bench_sim.core.command import Grip
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.protocols import MotionState, World
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.nodes.bench_node import BenchNode
from vlm_bench_sim.nodes.goal_server import Answer, GoalServer, Port
from vlm_bench_sim.ros.names import arm_names


class GripperServer:
    """Turns gripper goals, in the profile's own unit, into openings."""

    def __init__(self, node: BenchNode, profile: RobotProfile, *, port: Port) -> None:
        self._log, self._gripper = node.log, profile.gripper
        self._position = 0.0
        self.goals = GoalServer(node, arm_names(profile)[2], port=port, read=self._read, ended=self._ended)

    def update(self, world: World) -> None:
        """Send feedback, and answer the goal if the period that ended has decided it."""
        self._position = world.snapshot.opening * self._gripper.ros_scale
        if world.gripper in (MotionState.SUCCEEDED, MotionState.STALLED):
            self.goals.finish(Answer('succeed', self._result(stalled=world.gripper is MotionState.STALLED)))
        elif self.goals.busy:
            self.goals.feedback(self._result(stalled=False) | {'reached_goal': False})

    def _read(self, request: Any) -> Grip:
        position, effort = request.command.position, request.command.max_effort
        if not (isfinite(position) and isfinite(effort)):
            raise CommandError(f'The gripper was sent position {position} and max_effort {effort}. Send finite numbers.')
        force = min(effort, self._gripper.max_force) if effort > 0 else 0.0
        return Grip(position / self._gripper.ros_scale, force)

    def _result(self, *, stalled: bool) -> dict[str, Any]:
        return {'position': self._position, 'effort': 0.0, 'stalled': stalled, 'reached_goal': not stalled}

    def _ended(self, outcome: str, reason: str) -> Answer:
        self._log.warning(f'Gripper goal ended: {reason}')
        return Answer(outcome, self._result(stalled=False) | {'reached_goal': False})

"""Sends trajectories to any server of FollowJointTrajectory: our simulator or a real robot's driver."""

from dataclasses import dataclass
from typing import Any

from vlm_bench_sim.core.command import Chunk
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.handshake import Handshake
from vlm_bench_sim.ros import fields
from vlm_bench_sim.ros.convert import fill, interface
from vlm_bench_sim.ros.names import arm_names

SUCCEEDED = 4  # of action_msgs/GoalStatus


@dataclass(frozen=True)
class Followed:
    """How the controller ended a trajectory: whether it succeeded, and its message."""

    succeeded: bool
    text: str


class Follower:
    """Sends one trajectory at a time; a newer one preempts the previous one, as in the controller."""

    def __init__(self, node: BenchNode, profile: RobotProfile) -> None:
        self._joints = profile.joints
        row = arm_names(profile)[0]
        self._type = interface(row.type)
        self._handshake = Handshake(node, row)
        self._motion: Any = None

    def ready(self) -> bool:
        """Return whether there is a controller whose answers arrive. Call it regularly."""
        return self._handshake.made()

    async def begin(self, path: Chunk) -> Any:
        """Send a trajectory; return a handle for `end`, or None if the controller rejected it."""
        goal = fill(self._type.Goal(), {'trajectory': fields.trajectory(path, self._joints)})
        motion = await self._handshake.client.send_goal_async(goal)
        if not motion.accepted:
            return None
        self._motion = motion
        return motion

    async def end(self, motion: Any) -> Followed:
        """Wait until the controller has ended a trajectory."""
        ended = await motion.get_result_async()
        if self._motion is motion:
            self._motion = None
        return Followed(ended.status == SUCCEEDED, f'{ended.result.error_code}: {ended.result.error_string}')

    def cancel(self) -> None:
        """Cancel the running trajectory; the arm holds its position."""
        if self._motion is not None:
            self._motion.cancel_goal_async()

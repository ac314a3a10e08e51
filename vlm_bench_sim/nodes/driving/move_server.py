"""MoveTcp: plans a path and has the controller execute it. One goal at a time; a newer one preempts the previous one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse

from vlm_bench_sim.core.codes import OK, OPERATION_FAILED
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.motion.planner import MotionPlanner
from vlm_bench_sim.nodes.base.answers import answer
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.driving.arm_requests import ArmState, code, plan_request, read_target
from vlm_bench_sim.nodes.driving.follower import Follower
from vlm_bench_sim.nodes.driving.moveit_planner import MoveItPlanner
from vlm_bench_sim.nodes.driving.path_watch import PathWatch
from vlm_bench_sim.nodes.lockstep.catch_up import CatchUp
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.convert import fill, interface

EXECUTION_FAILED, NOT_RUNNING, PREEMPTED, CONSTRAINT_BROKEN = 106, 107, 108, 109


@dataclass(frozen=True)
class Ended:
    """How a goal ended: 'succeed', 'abort' or 'canceled', with the code and message of its result."""

    outcome: str
    code: int
    text: str = ''


class MoveServer:
    """Serves MoveTcp.

    Args:
        node: the arm node.
        state: what the node knows.
        follower: has paths executed.
        catch_up: makes a goal wait for the ground truth that it is based on.
        planner: plans paths.
        hear: handles the joint states that have arrived.
    """

    def __init__(
        self,
        node: BenchNode,
        state: ArmState,
        *,
        follower: Follower,
        catch_up: CatchUp,
        planner: MotionPlanner | MoveItPlanner,
        hear: Callable[[], None],
    ) -> None:
        self._state, self._follower, self._catch_up, self._planner, self._hear = state, follower, catch_up, planner, hear
        self._watch: PathWatch | None = None
        self._type = interface(names.MOVE_TCP.type)
        self._current: Any = None
        self._server = ActionServer(
            node.public, self._type, names.MOVE_TCP.name, self._execute,
            goal_callback=lambda _: GoalResponse.ACCEPT, cancel_callback=self._cancel,
        )  # fmt: skip

    def seen(self) -> None:
        """Check the running motion after a new joint state."""
        if self._watch is not None and self._watch.see(self._state.arm):
            self._follower.cancel()

    def stop(self) -> None:
        """Stop a running motion; the arm holds its position."""
        self._follower.cancel()

    async def _execute(self, handle: Any) -> Any:
        self._follower.cancel()
        self._watch = None
        self._current = handle
        try:
            ended = await self._move(handle)
        except VlmBenchError as error:
            ended = Ended('abort', code(error), str(error))
        getattr(handle, ended.outcome)()
        result = self._type.Result()
        if self._state.knows_arm:
            fill(result.reached, fields.pose_stamped(self._planner.collision.kinematics.tool_pose(self._state.arm), 0))
        return answer(result, ended.code, ended.text)

    async def _move(self, handle: Any) -> Ended:
        target = read_target(handle.request)
        await self._catch_up.wait(handle.request)
        if self._current is not handle:
            return _PREEMPTED
        self._hear()
        handle.publish_feedback(self._type.Feedback(stage=self._type.Feedback.PLANNING))
        path = self._planner.plan(plan_request(self._state, handle.request, target))
        self._watch = watch = PathWatch(self._planner.collision.kinematics, target.constraint) if target.constraint is not None else None
        motion = await self._follower.begin(path)
        if motion is None:
            why = EXECUTION_FAILED if self._state.running else NOT_RUNNING
            return Ended('abort', why, 'The arm controller rejected the path; its log says why. Is an episode running?')
        if handle.is_cancel_requested:
            self._follower.cancel()
        handle.publish_feedback(self._type.Feedback(stage=self._type.Feedback.EXECUTING))
        followed = await self._follower.end(motion)
        self._hear()
        if handle.is_cancel_requested:
            return Ended('canceled', OPERATION_FAILED, 'Canceled; the arm holds where it is.')
        if self._current is not handle:
            return _PREEMPTED
        self._watch = None
        if watch is not None and watch.broken:
            return Ended('abort', CONSTRAINT_BROKEN, watch.words())
        if followed.succeeded:
            return Ended('succeed', OK)
        return Ended('abort', EXECUTION_FAILED, f'The arm controller aborted the path: {followed.text}')

    def _cancel(self, handle: Any) -> CancelResponse:
        if handle is self._current:
            self._follower.cancel()
        return CancelResponse.ACCEPT


_PREEMPTED = Ended('abort', PREEMPTED, 'Preempted: a newer goal took its place.')

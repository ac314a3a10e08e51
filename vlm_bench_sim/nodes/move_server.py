"""MoveTcp: plans a path and has it followed. One goal at a time; a newer one preempts the one before."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse

from vlm_bench_sim.core.command import Chunk
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.protocols import PlanRequest
from vlm_bench_sim.nodes.answers import OK, OPERATION_FAILED, answer
from vlm_bench_sim.nodes.arm_requests import ArmState, code, plan_request, read_target
from vlm_bench_sim.nodes.bench_node import BenchNode
from vlm_bench_sim.nodes.catch_up import CatchUp
from vlm_bench_sim.nodes.follower import Follower
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.convert import fill, interface

EXECUTION_FAILED, NOT_RUNNING, PREEMPTED = 106, 107, 108


@dataclass(frozen=True)
class Ended:
    """How a goal ended: 'succeed', 'abort' or 'canceled', with the code and the sentence of its result."""

    outcome: str
    code: int
    text: str = ''


class MoveServer:
    """Serves MoveTcp.

    Args:
        node: of the arm.
        state: what it knows.
        follower: has paths followed.
        catch_up: lets a goal wait for the truth that it is based on.
        plan: makes a path, or raises a PlanError.
    """

    def __init__(
        self, node: BenchNode, state: ArmState, *, follower: Follower, catch_up: CatchUp, plan: Callable[[PlanRequest], Chunk]
    ) -> None:
        self._state, self._follower, self._catch_up, self._plan = state, follower, catch_up, plan
        self._type = interface(names.MOVE_TCP.type)
        self._current: Any = None
        self._server = ActionServer(
            node.public, self._type, names.MOVE_TCP.name, self._execute,
            goal_callback=lambda _: GoalResponse.ACCEPT, cancel_callback=self._cancel,
        )  # fmt: skip

    async def _execute(self, handle: Any) -> Any:
        self._follower.cancel()
        self._current = handle
        try:
            ended = await self._move(handle)
        except VlmBenchError as error:
            ended = Ended('abort', code(error), str(error))
        getattr(handle, ended.outcome)()
        result = self._type.Result()
        if self._state.snapshot is not None:
            fill(result.reached, fields.pose_stamped(self._state.snapshot.tool, 0))
        return answer(result, ended.code, ended.text)

    async def _move(self, handle: Any) -> Ended:
        target = read_target(handle.request)
        await self._catch_up.wait(handle.request)
        if self._current is not handle:
            return _PREEMPTED
        handle.publish_feedback(self._type.Feedback(stage=self._type.Feedback.PLANNING))
        motion = await self._follower.begin(self._plan(plan_request(self._state, handle.request, target)))
        if motion is None:
            why = EXECUTION_FAILED if self._state.running else NOT_RUNNING
            return Ended('abort', why, 'The arm controller rejected the path; its log says why. Is an episode running?')
        if handle.is_cancel_requested:
            self._follower.cancel()
        handle.publish_feedback(self._type.Feedback(stage=self._type.Feedback.EXECUTING))
        followed = await self._follower.end(motion)
        if handle.is_cancel_requested:
            return Ended('canceled', OPERATION_FAILED, 'Canceled; the arm holds where it is.')
        if self._current is not handle:
            return _PREEMPTED
        if followed.succeeded:
            return Ended('succeed', OK)
        return Ended('abort', EXECUTION_FAILED, f'The arm controller gave up with {followed.text}')

    def _cancel(self, handle: Any) -> CancelResponse:
        if handle is self._current:
            self._follower.cancel()
        return CancelResponse.ACCEPT


_PREEMPTED = Ended('abort', PREEMPTED, 'Preempted: a newer goal took its place.')

"""Serves StepSimulation and SimulateSteps: control periods that run while the simulation is paused."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.task import Future as Awaitable

from vlm_bench_sim.core.codes import OK, OPERATION_FAILED
from vlm_bench_sim.nodes.base.answers import answer
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.lockstep.stepping import Outcome, Run, Stepping
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.convert import interface

MOST = 12_000
"""Maximum steps of one StepSimulation: ten minutes of simulated time. SimulateSteps, which can be canceled, has no limit."""


class StepServer:
    """Passes step requests to the spinning thread, and awaits their end in the thread of the private node.

    Args:
        node: the simulator's node.
        stepping: makes the steps.
        confess: called in the spinning thread before steps are made.
    """

    def __init__(self, node: BenchNode, stepping: Stepping, *, confess: Callable[[], None]) -> None:
        self._node, self._stepping, self._confess = node, stepping, confess
        self._runs: dict[bytes, Run] = {}
        # A callback that awaits the end of a run must not block the callbacks that end it.
        group = ReentrantCallbackGroup()
        service, action = names.STEP_SIMULATION, names.SIMULATE_STEPS
        self._type = interface(action.type)
        self._service = node.private.create_service(interface(service.type), service.name, self._step, callback_group=group)
        self._action = ActionServer(
            node.private, self._type, action.name, self._execute, cancel_callback=self._cancel, callback_group=group
        )  # fmt: skip

    async def _step(self, request: Any, response: Any) -> Any:
        if request.steps > MOST:
            return answer(
                response, OPERATION_FAILED, f'{request.steps} steps are more than {MOST}. Use SimulateSteps, which can be canceled.'
            )
        return answer(response, *await self._made(Run(request.steps)))

    async def _execute(self, handle: Any) -> Any:
        run, key = Run(handle.request.steps, told=lambda done: self._tell(handle, done)), bytes(handle.goal_id.uuid)
        self._runs[key] = run
        if handle.is_cancel_requested:
            run.end(OPERATION_FAILED, 'Canceled before the first step.')
        else:
            await self._made(run)
        code, text = run.outcome.result()
        del self._runs[key]
        if handle.is_cancel_requested:
            handle.canceled()
        elif code == OK:
            handle.succeed()
        else:
            handle.abort()
        return answer(self._type.Result(), code, text)

    def _cancel(self, handle: Any) -> CancelResponse:
        run = self._runs.get(bytes(handle.goal_id.uuid))
        if run is not None:
            self._node.on_spin(lambda: self._stepping.cancel('Canceled.', run))
        return CancelResponse.ACCEPT

    async def _made(self, run: Run) -> Outcome:
        """Wait, in any thread, for the end of a run, which the spinning thread sets."""
        ended: Awaitable = Awaitable()

        def wake(outcome: 'Future[Outcome]') -> None:
            ended.set_result(outcome.result())
            self._node.private.executor.wake()

        run.outcome.add_done_callback(wake)
        self._node.on_spin(lambda: self._begin(run))
        outcome: Outcome = await ended
        return outcome

    def _begin(self, run: Run) -> None:
        self._stepping.begin(run)
        if self._stepping.due:
            self._confess()

    def _tell(self, handle: Any, done: int) -> None:
        steps = handle.request.steps
        handle.publish_feedback(self._type.Feedback(completed_steps=done, remaining_steps=steps - done))

"""Turns tool poses into collision-free trajectories and sends them to whatever serves FollowJointTrajectory."""

import sys
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.task import Future

from vlm_bench_sim import profiles
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.errors import CommandError, PlanError, VlmBenchError
from vlm_bench_sim.core.protocols import PlanCode
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.motion.planner import MotionPlanner
from vlm_bench_sim.nodes.answers import OK, OPERATION_FAILED, EpisodeState, EventKind, Events, answer
from vlm_bench_sim.nodes.arm_requests import ArmState, chain, plan_request, read_target
from vlm_bench_sim.nodes.bench_node import BenchNode
from vlm_bench_sim.nodes.follower import Follower
from vlm_bench_sim.nodes.participant import Participant
from vlm_bench_sim.nodes.process import run
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.convert import fill, interface, message

EXECUTION_FAILED, NOT_RUNNING, PREEMPTED = 106, 107, 108
TRUTH = 2


class ArmNode:
    """Serves MoveTcp, Plan and Grasps."""

    def __init__(self) -> None:
        self._node = BenchNode('arm_node', {'robot': 'panda'})
        self._profile = profiles.robot(self._node.values['robot'])
        self._planner = MotionPlanner(self._profile)
        self._state = ArmState(self._profile)
        self._type = interface(names.MOVE_TCP.type)
        self._follower = Follower(self._node, self._profile)
        self._server = ActionServer(
            self._node.public, self._type, names.MOVE_TCP.name, self._execute,
            goal_callback=lambda _: GoalResponse.ACCEPT, cancel_callback=self._cancel,
        )  # fmt: skip
        self._events = Events(self._node, 'arm_node')
        self._participant = Participant(self._node, 'arm_node', bench=True, ready=self._follower.ready)
        self._current: Any = None
        self._waiting: list[tuple[int, Future]] = []
        self._episode_state, self._confessed = 0, ''
        self._node.service(names.PLAN, self._plan)
        self._node.service(names.GRASPS, self._grasps)
        self._node.subscribe(names.JOINT_STATES, lambda m: self._state.joints.update(fields.read_joints(m)))
        self._node.subscribe(names.WORLD_STATE, self._on_world_state)
        self._node.subscribe(names.SCENE, self._on_scene)
        self._node.subscribe(names.STATUS, self._on_status)

    def spin_once(self) -> None:
        """Serve what has come in."""
        self._node.spin_once(0.1)
        self._participant.keep_joined()

    def close(self) -> None:
        """Free the node."""
        self._node.close()

    def _on_world_state(self, state: Any) -> None:
        self._state.snapshot, self._state.token = fields.read_snapshot(state), state.token
        self._participant.ack(state.token, state.seq)
        due = [future for seq, future in self._waiting if seq <= state.seq]
        self._waiting = [(seq, future) for seq, future in self._waiting if seq > state.seq]
        for future in due:
            future.set_result(None)

    def _on_scene(self, scene: Any) -> None:
        self._state.scene = codec.loads(scene.scene)

    def _on_status(self, status: Any) -> None:
        self._episode_state = status.state

    async def _caught_up(self, request: Any) -> None:
        """Wait for the world state that the request is based on."""
        snapshot: Snapshot | None = self._state.snapshot
        if request.collision_scene == TRUTH and request.seq and (snapshot is None or snapshot.seq < request.seq):
            future = Future()
            self._waiting.append((request.seq, future))
            await future
        if request.collision_scene == TRUTH and self._confessed != self._state.token:
            self._confessed = self._state.token
            self._events.tell(EventKind.ASSISTANCE, 'truth', token=self._state.token, seq=request.seq)

    async def _plan(self, request: Any, response: Any) -> Any:
        await self._caught_up(request)
        try:
            targets = chain(request)
            found = self._planner.check(plan_request(self._state, request, targets[0]), targets)
        except (CommandError, PlanError) as error:
            return answer(response, getattr(error, 'code', PlanCode.INVALID_POSE), str(error))
        response.feasible, response.cost = found.feasible, found.cost
        return answer(response, OK, found.reason)

    def _grasps(self, request: Any, response: Any) -> Any:
        try:
            grasps = self._planner.grasps(codec.loads(request.prop))
        except (VlmBenchError, AttributeError) as error:
            return answer(response, OPERATION_FAILED, f'Grasps need the JSON of a Prop: {error}')
        response.tools = [message('geometry_msgs/msg/Pose', fields.pose(g.tool)) for g in grasps]
        response.openings, response.qualities = [g.opening for g in grasps], [g.quality for g in grasps]
        return answer(response, OK)

    async def _execute(self, handle: Any) -> Any:
        self._follower.cancel()
        self._current = handle
        outcome, code, text = await self._move(handle)
        getattr(handle, outcome)()
        result = self._type.Result()
        if self._state.snapshot is not None:
            fill(result.reached, fields.pose_stamped(self._state.snapshot.tool, 0))
        return answer(result, code, text)

    async def _move(self, handle: Any) -> tuple[str, int, str]:
        request = handle.request
        await self._caught_up(request)
        handle.publish_feedback(self._type.Feedback(stage=self._type.Feedback.PLANNING))
        try:
            path = self._planner.plan(plan_request(self._state, request, read_target(request)))
        except (CommandError, PlanError) as error:
            return 'abort', int(getattr(error, 'code', PlanCode.INVALID_POSE)), str(error)
        motion = await self._follower.begin(path)
        if motion is None:
            code = EXECUTION_FAILED if self._episode_state == EpisodeState.RUNNING else NOT_RUNNING
            return 'abort', code, 'The arm controller rejected the path; its log says why. Is an episode running?'
        if handle.is_cancel_requested:
            self._follower.cancel()
        handle.publish_feedback(self._type.Feedback(stage=self._type.Feedback.EXECUTING))
        followed = await self._follower.end(motion)
        if handle.is_cancel_requested:
            return 'canceled', OPERATION_FAILED, 'Canceled; the arm holds where it is.'
        if self._current is not handle:
            return 'abort', PREEMPTED, 'Preempted: a newer goal took its place.'
        return (
            ('succeed', OK, '') if followed.succeeded else ('abort', EXECUTION_FAILED, f'The arm controller gave up with {followed.text}')
        )

    def _cancel(self, handle: Any) -> CancelResponse:
        if handle is self._current:
            self._follower.cancel()
        return CancelResponse.ACCEPT


def main() -> None:
    """Run the node."""
    sys.exit(run(ArmNode))


if __name__ == '__main__':
    main()

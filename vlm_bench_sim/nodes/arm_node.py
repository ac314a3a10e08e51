"""Turns tool poses into collision-free trajectories and sends them to any server of FollowJointTrajectory."""

import sys
from typing import Any

from vlm_bench_sim import profiles
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.codes import OK, OPERATION_FAILED, EpisodeState
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.motion.believed import Beliefs
from vlm_bench_sim.motion.servo import Servo
from vlm_bench_sim.nodes.base.answers import answer
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.process import run
from vlm_bench_sim.nodes.base.tracking import TRACKER, accuracy
from vlm_bench_sim.nodes.driving.arm_requests import ArmState, chain, code, plan_request, read_prop
from vlm_bench_sim.nodes.driving.follower import Follower
from vlm_bench_sim.nodes.driving.move_server import MoveServer
from vlm_bench_sim.nodes.driving.moveit_planner import planner_of
from vlm_bench_sim.nodes.driving.servo_server import ServoServer
from vlm_bench_sim.nodes.lockstep.catch_up import CatchUp
from vlm_bench_sim.nodes.lockstep.pacing import LOCKSTEP
from vlm_bench_sim.nodes.lockstep.participant import Participant
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.convert import message


class ArmNode:
    """Serves MoveTcp, Plan and Grasps, and follows twists and pose targets."""

    def __init__(self) -> None:
        self._node = BenchNode('arm_node', {'robot': 'panda', 'mode': LOCKSTEP, 'planner': 'auto'} | TRACKER)
        profile = profiles.robot(self._node.values['robot'])
        self._planner, self._state = planner_of(self._node.values['planner'], profile), ArmState(profile)
        self._beliefs = Beliefs(self._planner.collision.kinematics, accuracy(self._node.values))
        self._scene_token, self._told_ns, self._heard_ns, self._owes = '', 0, 0, False
        lockstep = self._node.values['mode'] == LOCKSTEP
        follower, self._catch_up = Follower(self._node, profile), CatchUp(self._node, self._state, lockstep=lockstep)
        self._servo = ServoServer(self._node, self._state, servo=Servo(self._planner.collision), lockstep=lockstep)
        self._heard = self._node.subscribe(names.JOINT_STATES, self._on_joints)
        self._moves = MoveServer(
            self._node, self._state, follower=follower, catch_up=self._catch_up, planner=self._planner,
            hear=lambda: self._node.serve_now(self._heard),
        )  # fmt: skip
        self._participant = Participant(self._node, 'arm_node', bench=True, ready=follower.ready)
        self._node.service(names.PLAN, self._plan)
        self._node.service(names.GRASPS, self._grasps)
        self._node.subscribe(names.WORLD_STATE, self._on_world_state)
        self._node.subscribe(names.SCENE, self._on_scene)
        self._node.subscribe(names.STATUS, self._on_status)

    def spin_once(self) -> None:
        """Handle pending callbacks."""
        self._node.spin_once(0.1)
        self._participant.keep_joined()
        self._catch_up.look()

    def close(self) -> None:
        """Stop a running motion, and free the node."""
        self._node.spin_last(self._moves.stop)
        self._node.close()

    def _on_joints(self, state: Any) -> None:
        try:
            self._state.joints.update(fields.read_joints(state))
            self._state.joints_ns = fields.read_stamp(state.header.stamp)
            self._heard_ns = max(self._heard_ns, self._state.joints_ns)  # an older stamp from another publisher changes nothing
        except ValueError:
            self._node.log.error(
                f'Ignored a joint state: it has {len(state.name)} names and another number of values. Send one value per name.'
            )
            return
        self._moves.seen()
        self._servo.seen()
        self._acknowledge()

    def _on_world_state(self, state: Any) -> None:
        self._state.snapshot, self._state.token = self._beliefs.of(fields.read_snapshot(state)), state.token
        self._told_ns, self._owes = fields.read_stamp(state.header.stamp), True
        self._acknowledge()
        self._catch_up.look()

    def _on_scene(self, scene: Any) -> None:
        self._state.scene, self._scene_token, self._owes = codec.loads(scene.scene), scene.token, True
        self._beliefs.lay_out(self._state.scene)
        self._acknowledge()

    def _acknowledge(self) -> None:
        """Acknowledge a world state once its scene and joint states are known: later requests are then answered for exactly this state."""
        if self._owes and self._state.token == self._scene_token and self._heard_ns >= self._told_ns:
            self._owes = False
            self._participant.ack(self._state.token, self._state.seq)

    def _on_status(self, status: Any) -> None:
        self._state.running = status.state == EpisodeState.RUNNING

    async def _plan(self, request: Any, response: Any) -> Any:
        try:
            await self._catch_up.wait(request)
            targets = chain(request)
            found = self._planner.check(plan_request(self._state, request, targets[0]), targets)
        except VlmBenchError as error:
            return answer(response, code(error), str(error))
        response.feasible, response.cost, response.reached = found.feasible, found.cost, found.reached
        response.positions = [position for arm in found.arms for position in arm]
        return answer(response, OK, found.reason)

    def _grasps(self, request: Any, response: Any) -> Any:
        try:
            grasps = self._planner.grasps(read_prop(request.prop))
        except VlmBenchError as error:
            return answer(response, OPERATION_FAILED, str(error))
        response.tools = [message('geometry_msgs/msg/Pose', fields.pose(g.tool)) for g in grasps]
        response.openings, response.qualities = [g.opening for g in grasps], [g.quality for g in grasps]
        return answer(response, OK)


def main() -> None:
    """Run the node."""
    sys.exit(run(ArmNode))


if __name__ == '__main__':
    main()

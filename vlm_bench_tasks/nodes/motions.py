"""Commands over ROS: each becomes one action goal or service call, and says when it runs and what it came to."""

from collections.abc import Callable
from typing import Any

from rclpy.action import ActionClient

from vlm_bench_sim.core.command import Grip, Seal, ToolPose
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.nodes.answers import EventKind, Events
from vlm_bench_sim.nodes.bench_node import BenchNode
from vlm_bench_sim.ros import fields, gripper, names
from vlm_bench_sim.ros.constraints import constraint
from vlm_bench_sim.ros.convert import fill, interface
from vlm_bench_tasks.policy import Outcome

SUCCEEDED = 4  # of action_msgs/GoalStatus
TRUTH, EXECUTING = 2, 1


def move_fields(target: ToolPose, *, seq: int, seed: int) -> fields.Fields:
    """Return the MoveTcp goal of a tool pose."""
    return {
        'target': fields.pose_stamped(target.pose, 0), 'straight': target.straight, 'speed': target.speed,
        'allowed_contacts': list(target.allowed), 'collision_scene': TRUTH, 'seq': seq, 'planner_seed': seed,
        'constraint': [] if target.constraint is None else [constraint(target.constraint)],
    }  # fmt: skip


class Motions:
    """Sends one command at a time.

    Args:
        node: that sends.
        profile: of the robot.
        running: called when the robot has begun the command.
        ended: called with what the command came to.
    """

    def __init__(self, node: BenchNode, profile: RobotProfile, *, running: Callable[[], None], ended: Callable[[Outcome], None]) -> None:
        self._node, self._profile, self._running, self._ended = node, profile, running, ended
        hand = names.arm_names(profile)[2]
        self._move = ActionClient(node.public, interface(names.MOVE_TCP.type), names.MOVE_TCP.name)
        self._grip = ActionClient(node.public, interface(hand.type), hand.name)
        self._stop = node.client(names.STOP_EPISODE)
        self._events = Events(node, 'oracle_node')
        self._number = 0

    @property
    def ready(self) -> bool:
        """True once all that commands are sent to has been discovered."""
        return bool(self._move.server_is_ready() and self._grip.server_is_ready() and self._stop.service_is_ready())

    def forget(self) -> None:
        """Listen no longer to what was sent."""
        self._number += 1

    def announce(self, waypoint: str, *, token: str, seq: int) -> None:
        """Tell of the waypoint, in JSON, that the next command leads to; nothing of none."""
        if waypoint:
            self._events.tell(EventKind.WAYPOINT, waypoint, token=token, seq=seq)

    def move(self, target: ToolPose, *, seq: int, seed: int) -> None:
        """Send a tool pose; the path is planned around every prop as it stands at control period `seq`."""
        goal = fill(interface(names.MOVE_TCP.type).Goal(), move_fields(target, seq=seq, seed=seed))
        number = self._next()

        def on_feedback(message: Any) -> None:
            if message.feedback.stage == EXECUTING and number == self._number:
                self._running()

        accepted = self._move.send_goal_async(goal, feedback_callback=on_feedback)
        accepted.add_done_callback(lambda future: self._follow(future.result(), number, lambda result: result.result.error_message))

    def grip(self, command: Grip | Seal) -> None:
        """Send a gripper command."""
        position, effort = gripper.write(self._profile.gripper, command)
        content = {'command': {'position': position, 'max_effort': effort}}
        number = self._next()

        def on_accepted(future: Any) -> None:
            if future.result().accepted and number == self._number:
                self._running()
            self._follow(future.result(), number, lambda _: 'the gripper gave up')

        self._grip.send_goal_async(fill(self._grip._action_type.Goal(), content)).add_done_callback(on_accepted)

    def stop(self, seq: int, done: Callable[[], None]) -> None:
        """Say that the policy is done."""
        self._node.call(self._stop, {'seq': seq}).add_done_callback(lambda _: done())

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _follow(self, handle: Any, number: int, reason: Callable[[Any], str]) -> None:
        if not handle.accepted:
            self._end(number, Outcome(done=False, text='The goal was rejected; the log of its server says why.'))
            return

        def on_result(future: Any) -> None:
            answer = future.result()
            done = answer.status == SUCCEEDED
            self._end(number, Outcome(done=done, text='' if done else reason(answer.result)))

        handle.get_result_async().add_done_callback(on_result)

    def _end(self, number: int, outcome: Outcome) -> None:
        if number == self._number:
            self._ended(outcome)

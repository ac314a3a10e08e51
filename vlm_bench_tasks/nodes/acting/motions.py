"""Send commands over ROS. Each becomes an action goal or a service call; callbacks report its start and its outcome."""

from collections.abc import Callable
from typing import Any

from vlm_bench_sim.core.codes import Note
from vlm_bench_sim.core.command import Chunk, ToolPose
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.nodes.base.answers import Events
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.handshake import Handshake
from vlm_bench_sim.ros import fields, gripper, names
from vlm_bench_sim.ros.constraints import constraint
from vlm_bench_sim.ros.convert import fill, interface
from vlm_bench_tasks.policy import Outcome

_REJECTED = Outcome(done=False, text='The goal was rejected; the log of its server says why.')
SUCCEEDED = 4  # of action_msgs/GoalStatus
STATIC, TRUTH, EXECUTING = 0, 2, 1


def move_fields(target: ToolPose, *, seq: int, seed: int, truth: bool = True) -> fields.Fields:
    """Return the MoveTcp goal for a tool pose. With `truth` the path avoids every prop, otherwise only robot and table."""
    return {
        'target': fields.pose_stamped(target.pose, 0), 'straight': target.straight, 'speed': target.speed,
        'allowed_contacts': list(target.allowed), 'collision_scene': TRUTH if truth else STATIC, 'seq': seq, 'planner_seed': seed,
        'constraint': [] if target.constraint is None else [constraint(target.constraint)],
    }  # fmt: skip


class Motions:
    """Sends one command at a time.

    Args:
        node: sends the commands.
        profile: robot profile.
        name: name of the node in published messages.
        running: called when the robot has started the command.
        ended: called with the outcome of the command.

    Attributes:
        begun: whether a part of the last `both` has started.
    """

    def __init__(
        self, node: BenchNode, profile: RobotProfile, *, name: str, running: Callable[[], None], ended: Callable[[Outcome], None]
    ) -> None:
        self._node, self._profile, self._running, self._ended = node, profile, running, ended
        arm, _, hand = names.arm_names(profile)
        self._handshakes = tuple(Handshake(node, row) for row in (names.MOVE_TCP, arm, hand))
        self._move, self._follow_path, self._grip = (handshake.client for handshake in self._handshakes)
        self._stop = node.client(names.STOP_EPISODE)
        self._events = Events(node, name)
        self._number, self.begun = 0, False
        self._handles: dict[Any, Any] = {}  # by the action client of the moving part

    @property
    def ready(self) -> bool:
        """Whether all action and service servers are connected."""
        return all([handshake.made() for handshake in self._handshakes]) and bool(self._stop.service_is_ready())

    def forget(self) -> None:
        """Ignore further answers to the commands sent."""
        self._number += 1
        self._handles.clear()

    def cancel(self) -> None:
        """Cancel the commands sent, and ignore further answers."""
        for handle in self._handles.values():
            handle.cancel_goal_async()
        self.forget()

    def announce(self, notes: tuple[Note, ...], *, token: str, seq: int) -> None:
        """Publish the events that go with the next command."""
        for kind, text in notes:
            self._events.tell(kind, text, token=token, seq=seq)

    def move(self, target: ToolPose, *, seq: int, seed: int, truth: bool) -> None:
        """Send a tool pose; with `truth` the path avoids every prop as it is at control period `seq`."""
        goal = fill(interface(names.MOVE_TCP.type).Goal(), move_fields(target, seq=seq, seed=seed, truth=truth))
        number = self._next()

        def on_feedback(message: Any) -> None:
            if message.feedback.stage == EXECUTING and number == self._number:
                self._running()

        accepted = self._move.send_goal_async(goal, feedback_callback=on_feedback)
        accepted.add_done_callback(lambda future: self._follow(self._move, future.result(), number, _moved))

    def follow(self, chunk: Chunk) -> None:
        """Send a joint trajectory."""
        self._send(self._follow_path, self._path(chunk), _followed)

    def _path(self, chunk: Chunk) -> fields.Fields:
        return {
            'trajectory': fields.trajectory(chunk, self._profile.joints),
            'path_tolerance': _tolerances(self._profile.joints, chunk.path_tolerance),
            'goal_tolerance': _tolerances(self._profile.joints, chunk.goal_tolerance),
            'goal_time_tolerance': fields.stamp(chunk.goal_time_ns),
        }  # fmt: skip

    def grip(self, command: Grip | Seal) -> None:
        """Send a gripper command."""
        self._send(self._grip, self._wish(command), _gripped)

    def _wish(self, command: Grip | Seal) -> fields.Fields:
        position, effort = gripper.write(self._profile.gripper, command)
        return {'command': {'position': position, 'max_effort': effort}}

    def both(self, chunk: Chunk | None, command: Grip | Seal | None) -> None:
        """Send a trajectory, a gripper command or both. `running` is called once all have started; the outcome is not reported."""
        contents = [] if chunk is None else [(self._follow_path, self._path(chunk))]
        contents += [] if command is None else [(self._grip, self._wish(command))]
        number, self.begun = self._next(), False

        def send_next() -> None:
            if not contents:
                self._running()
                return
            client, content = contents.pop(0)
            sent = client.send_goal_async(fill(client._action_type.Goal(), content))
            sent.add_done_callback(lambda future: on_accepted(future.result(), client))

        def on_accepted(handle: Any, client: Any) -> None:
            if number != self._number:
                if handle.accepted:
                    handle.cancel_goal_async()
            elif not handle.accepted:
                self._end(number, _REJECTED)
            else:
                self._handles[client], self.begun = handle, True
                send_next()

        send_next()

    def _send(self, client: Any, content: fields.Fields, read: Callable[[Any], Outcome]) -> None:
        number = self._next()

        def on_accepted(future: Any) -> None:
            if future.result().accepted and number == self._number:
                self._running()
            self._follow(client, future.result(), number, read)

        client.send_goal_async(fill(client._action_type.Goal(), content)).add_done_callback(on_accepted)

    def stop(self, seq: int, done: Callable[[], None], *, fault: str = '') -> None:
        """Stop a moving arm, and report that the policy is done or, with a fault, that it failed."""

        def say(_: Any = None) -> None:
            self._node.call(self._stop, {'seq': seq, 'fault': fault}).add_done_callback(lambda _: done())

        if (running := self._handles.get(self._follow_path)) is not None:
            running.cancel_goal_async().add_done_callback(say)
        else:
            say()

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _follow(self, client: Any, handle: Any, number: int, read: Callable[[Any], Outcome]) -> None:
        if not handle.accepted:
            self._end(number, _REJECTED)
            return
        if number != self._number:  # cancelled before it was accepted
            handle.cancel_goal_async()
            return
        self._handles[client] = handle

        def on_result(future: Any) -> None:
            if self._handles.get(client) is handle:
                del self._handles[client]
            self._end(number, read(future.result()))

        handle.get_result_async().add_done_callback(on_result)

    def _end(self, number: int, outcome: Outcome) -> None:
        if number == self._number:
            self._ended(outcome)


def _moved(answer: Any) -> Outcome:
    done = answer.status == SUCCEEDED
    return Outcome(done=done, text='' if done else answer.result.result.error_message)


def _tolerances(joints: tuple[str, ...], given: tuple[float, ...]) -> list[fields.Fields]:
    return [{'name': name, 'position': tolerance} for name, tolerance in zip(joints, given, strict=False)]


def _followed(answer: Any) -> Outcome:
    done = answer.status == SUCCEEDED
    return Outcome(done=done, text='' if done else answer.result.error_string or 'The trajectory was aborted.')


def _gripped(answer: Any) -> Outcome:
    done = answer.status == SUCCEEDED
    return Outcome(done=done, text='' if done else 'The gripper goal was aborted.', stalled=done and answer.result.stalled)

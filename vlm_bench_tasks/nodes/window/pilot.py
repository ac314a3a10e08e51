"""Moves the arm for the window: twists, planned motions and the hand, through what every policy has."""

import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from vlm_bench_sim import profiles
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.codes import EventKind
from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.geometry import Pose, Vector
from vlm_bench_sim.core.gripper import Grip, ParallelProfile, Seal
from vlm_bench_sim.core.operator import Operator
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.nodes.base.answers import Events
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.handshake import Handshake
from vlm_bench_sim.ros import fields, gripper, names
from vlm_bench_sim.ros.convert import fill, message
from vlm_bench_tasks.dashboard.live import Live
from vlm_bench_tasks.nodes.acting.motions import SUCCEEDED, move_fields

AID = 'truth_view'
"""In the list of aids of an episode whose driver sees the free view and what is true of the goal."""

PACE = 0.3
"""Share of the robot's limits at which it goes to a place."""

MOVE, HAND = 'move', 'hand'
READY_S = 20.0
"""Timeout for a server of the robot to answer, wall-clock s: after the start of a bench it may take seconds."""


class Pilot:
    """Sends what a person wants, from any thread; everything is sent in the node's.

    Args:
        node: sends it.
        live: what the bench says.
    """

    def __init__(self, node: BenchNode, live: Live) -> None:
        self._node, self._live, self._signed = node, live, False
        self._twist, self._events = node.publisher(names.DELTA_TWIST), Events(node, 'dash_node')
        self._profile: RobotProfile | None = None
        self._servers: dict[str, Handshake] = {}
        self._waiting: list[Callable[[], None]] = []
        self._moving: Any = None
        self._holds, self._aided = 0, ''
        node.subscribe(names.TCP_POSE, lambda told: live.tool_at(fields.read_stamp(told.header.stamp), fields.checked_pose(told.pose)))
        node.subscribe(names.JOINT_STATES, self._on_joints)
        node.subscribe(names.SERVO_STATUS, lambda told: live.followed(told.data))

    @property
    def refusal(self) -> str:
        """Why nobody may drive; '' if one may."""
        if self._signed and not self._node.signed:
            return 'This window has no key of the bench, so bags could not name who drives. Start both: vlm-bench up --dash.'
        return ''

    def heard(self, signature: bytes) -> None:
        """A message of the bench had this signature."""
        self._signed = any(signature)

    @property
    def hears(self) -> bool:
        """Whether the arm hears twists, and no recorder alone."""
        return names.SERVO_STATUS.server in self._node.listeners(names.DELTA_TWIST)

    @property
    def signs(self) -> bool:
        """Whether the bench signs what it says, as far as is known."""
        return self._signed

    def turn(self) -> None:
        """Come to know the robot; call it regularly."""
        if self._live.robot and (self._profile is None or self._profile.name != self._live.robot):
            self._profile = profiles.robot(self._live.robot)
            self._live.hand_at(1.0)  # until it says something else
            rows = {MOVE: names.MOVE_TCP, HAND: names.arm_names(self._profile)[2]}
            for server in self._servers.values():
                server.close()
            self._servers = {name: Handshake(self._node, row) for name, row in rows.items()}
        for server in self._servers.values():
            server.made()
        waiting, self._waiting = self._waiting, []
        for send in waiting:
            send()

    def twist(self, linear: Vector, angular: Vector) -> None:
        """Move the tool for one control period, m/s and rad/s along and about the axes of the world."""
        stamp = 0 if self._live.tool is None else self._live.tool[0]
        twist = {'linear': fields.vector(linear), 'angular': fields.vector(angular)}
        said = message(names.DELTA_TWIST.type, {'header': fields.header(stamp, 'world'), 'twist': twist})
        self._node.on_spin(lambda: self._twist.publish(said))

    def go(self, target: Pose) -> 'Future[str]':
        """Move the tool to a pose in the world on a planned path; around things too where all of them are known."""
        goal = move_fields(ToolPose(target, speed=PACE), seq=self._live.seq, seed=0, truth=self._live.whole)
        return self._sent(MOVE, goal, _moved)

    def grasp(self, *, closed: bool) -> 'Future[str]':
        """Close or open the hand."""
        if self._profile is None:
            return _done('No robot is known yet. Begin an episode.')
        hand = self._profile.gripper
        command = Seal(on=closed) if hand.suction else Grip(0.0 if closed else hand.max_opening)
        position, effort = gripper.write(hand, command)
        return self._sent(HAND, {'command': {'position': position, 'max_effort': effort}}, _gripped)

    def hold(self) -> None:
        """Stop a planned motion."""

        def stop() -> None:
            self._holds += 1  # a goal that is not accepted yet is canceled then
            if self._moving is not None:
                self._moving.cancel_goal_async()

        self._node.on_spin(stop)

    def operated(self, by: Operator, *, token: str) -> None:
        """Tell a bench that shows its truth who is there; once something was moved, that is an aid."""
        seq = self._live.seq

        def tell() -> None:
            self._events.tell(EventKind.OPERATED, codec.dumps(by), token=token, seq=seq)
            if by.devices and token != self._aided:
                self._aided = token
                self._events.tell(EventKind.ASSISTANCE, AID, token=token, seq=seq)

        self._node.on_spin(tell)

    def _on_joints(self, told: Any) -> None:
        if self._profile is None:
            return
        hand, joints = self._profile.gripper, fields.read_joints(told)
        if not isinstance(hand, ParallelProfile):
            if (sealed := hand.sealed(joints)) is not None:
                self._live.hand_at(0.0 if sealed else 1.0)
        elif any(name in joints for name in hand.joints):
            self._live.hand_at(sum(joints[name].position for name in hand.joints if name in joints) / hand.max_opening)

    def _sent(self, arm: str, goal: fields.Fields, read: Any) -> 'Future[str]':
        """Send a goal to a server, by its name among `_servers`, as soon as it answers."""
        told: Future[str] = Future()
        until, holds = time.monotonic() + READY_S, self._holds

        def tell(text: str) -> None:
            if told.set_running_or_notify_cancel():
                told.set_result(text)

        def send() -> None:
            server = self._servers.get(arm)
            if holds != self._holds:
                tell('It was stopped.')
            elif server is not None and server.made():
                sent = server.client.send_goal_async(fill(server.client._action_type.Goal(), goal))
                sent.add_done_callback(_safe(tell, lambda handle: self._accepted(handle, tell, read, canceled=holds != self._holds)))
            elif time.monotonic() < until:
                self._waiting.append(send)
            else:
                tell(f'The robot was not ready for {READY_S:g} s. Do its nodes run?')

        self._node.on_spin(send)
        return told

    def _accepted(self, handle: Any, tell: Callable[[str], None], read: Any, *, canceled: bool) -> None:
        if not handle.accepted:
            tell('The robot refuses; the log of its node says why.')
            return
        if read is _moved:
            self._moving = handle
            if canceled:
                handle.cancel_goal_async()
        handle.get_result_async().add_done_callback(_safe(tell, lambda answer: tell(read(answer))))


def _safe(tell: Callable[[str], None], take: Callable[[Any], None]) -> Callable[[Any], None]:
    """Return a callback that takes a future's result; whatever goes wrong is told, so that nobody waits for ever."""

    def called(future: Any) -> None:
        try:
            take(future.result())
        except Exception as error:  # a server that ends, or another version of it
            tell(f'The robot has not answered: {error!r:.200}')

    return called


def _done(text: str) -> 'Future[str]':
    told: Future[str] = Future()
    told.set_result(text)
    return told


def _moved(answer: Any) -> str:
    return '' if answer.status == SUCCEEDED else str(answer.result.result.error_message or 'The arm was stopped.')


def _gripped(answer: Any) -> str:
    return '' if answer.status == SUCCEEDED else 'The hand did not do it: another command came, or the episode has ended.'

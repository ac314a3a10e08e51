"""Listens to a robot's driver, and sends it goals, to find what the bench relies on and does not meet."""

import time
from collections.abc import Callable
from math import nan
from typing import Any

from rclpy.qos import DurabilityPolicy, ReliabilityPolicy

from vlm_bench_sim.core.driver_contract import Heard, Joints, Topic
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.handshake import Handshake
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.convert import fill
from vlm_bench_sim.ros.fields import Fields

TOPICS = (names.JOINT_STATES, names.ROBOT_DESCRIPTION, names.TF, names.TF_STATIC, names.TCP_POSE)
TURN_S = 0.02
SUCCEEDED, CANCELED = 4, 5
"""Of action_msgs/GoalStatus."""


class DriverProbe:
    """One conversation with a driver.

    Args:
        node: a node of ours.
        profile: the robot that the driver should drive.

    Attributes:
        profile: that robot.
        joints: all messages of joint states so far; a driver may send arm and gripper in messages of their own.
        at: the newest position of each joint, by name.
    """

    def __init__(self, node: BenchNode, profile: RobotProfile) -> None:
        self._node, self.profile = node, profile
        self.joints: list[Joints] = []
        self.at: dict[str, float] = {}
        self._heard = Heard(0.0)
        self._clock_ns = 0
        takes = (self._on_joints, self._on_description, self._on_frames, self._on_frames, self._on_tool)
        for row, take in zip(TOPICS, takes, strict=True):
            node.subscribe(row, take)
        node.subscribe(names.CLOCK, self._on_clock)

    def wait(self, done: Callable[[], bool], seconds: float) -> bool:
        """Handle callbacks until `done` returns true, for at most some seconds; return whether it did."""
        until = time.monotonic() + seconds
        while not done():
            if time.monotonic() > until:
                return False
            self._node.spin_once(TURN_S)
        return True

    def rest(self, seconds: float) -> None:
        """Handle callbacks for some seconds."""
        self.wait(lambda: False, seconds)

    def listen(self, seconds: float) -> Heard:
        """Return what the driver tells in some seconds, once it has told anything, and what it told before where that is latched."""
        self.wait(lambda: bool(self.joints), 10.0)
        began, before = time.monotonic(), len(self.joints)
        self.rest(seconds)
        self._heard.seconds, self._heard.joints = time.monotonic() - began, self.joints[before:]
        self._heard.topics = {row.name: self._topic(row) for row in TOPICS}
        return self._heard

    def client(self, row: names.Name, seconds: float = 10.0) -> 'Client | None':
        """Return a client of an action; None if its server is missing or does not answer for some seconds."""
        handshake = Handshake(self._node, row)
        return Client(self, handshake) if self.wait(handshake.made, seconds) else None

    def _topic(self, row: names.Name) -> Topic:
        ends = self._node.public.get_publishers_info_by_topic(row.name)
        return Topic(
            tuple(sorted({end.topic_type for end in ends})),
            reliable=not any(end.qos_profile.reliability is ReliabilityPolicy.BEST_EFFORT for end in ends),
            latched=all(end.qos_profile.durability is DurabilityPolicy.TRANSIENT_LOCAL for end in ends),
        )

    def _on_joints(self, state: Any) -> None:
        at = dict(zip(state.name, map(float, state.position), strict=False))
        speeds = dict(zip(state.name, map(float, state.velocity), strict=False))
        stamp = fields.read_stamp(state.header.stamp)
        self.at |= at
        known = {name: speeds.get(name, nan) for name in at}
        self.joints.append(Joints(self._clock_ns or time.time_ns(), stamp, positions=at, velocities=known))

    def _on_description(self, text: Any) -> None:
        self._heard.description = text.data

    def _on_frames(self, told: Any) -> None:
        self._heard.transforms |= fields.read_transforms(told)

    def _on_tool(self, pose: Any) -> None:
        self._heard.tool = (pose.header.frame_id, fields.read_pose(pose.pose))

    def _on_clock(self, told: Any) -> None:
        self._clock_ns = fields.read_stamp(told.clock)


class Client:
    """Sends goals to one action.

    Args:
        probe: handles the callbacks.
        handshake: with the action's server.
    """

    def __init__(self, probe: DriverProbe, handshake: Handshake) -> None:
        self._probe, self._client = probe, handshake.client

    def send(self, goal: Fields) -> 'Goal | None':
        """Send a goal; return it, or None if it is rejected or not answered within five seconds."""
        future = self._client.send_goal_async(fill(self._client._action_type.Goal(), goal))
        if not self._probe.wait(future.done, 5.0) or not future.result().accepted:
            return None
        return Goal(self._probe, future.result())


class Goal:
    """One accepted goal."""

    def __init__(self, probe: DriverProbe, handle: Any) -> None:
        self._probe, self._handle = probe, handle
        self._end = handle.get_result_async()

    def ended(self, seconds: float) -> bool:
        """Return whether the goal ends within some seconds."""
        return self._probe.wait(self._end.done, seconds)

    def cancel(self) -> None:
        """Ask to cancel the goal."""
        self._handle.cancel_goal_async()

    @property
    def status(self) -> int:
        """How it ended, as in action_msgs/GoalStatus; 0 while it has not."""
        return int(self._end.result().status) if self._end.done() else 0

    @property
    def result(self) -> Any:
        """Its result, once it has ended."""
        return self._end.result().result

"""Twists and pose targets, by MoveIt Servo's rules: each becomes a trajectory on the arm controller's topic, for any driver."""

import time
from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np

from vlm_bench_sim.core.algebra import matmul
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.geometry import Pose, vector
from vlm_bench_sim.core.timing import PERIOD_NS
from vlm_bench_sim.motion.servo import Servo, ServoPath, State, Twist
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.driving.arm_requests import ArmState
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.convert import message

WORLD = 'world'
STALE_NS = 100_000_000
"""Maximum age of a command by the clock of the joint states, as in MoveIt Servo."""

ASTRAY = 0.05  # rad between measured and commanded position; beyond it the next course starts from the measured one
AGAIN_S = 1.0
_BEYOND = 1e300  # after conversion to another frame the numbers could overflow

Aim = Twist | Pose


class ServoServer:
    """Sends the arm on courses, one per message.

    In lockstep a message moves the arm for one control period, and the world advances by the same period. Elsewhere it is valid for two
    periods, the maximum age of a message. Then the arm stops by itself, without a watchdog, and even if this node is gone.

    Args:
        node: the arm node.
        state: what the node knows.
        servo: makes courses.
        lockstep: True where simulated time waits for commands.
    """

    def __init__(self, node: BenchNode, state: ArmState, *, servo: Servo, lockstep: bool) -> None:
        self._state, self._servo, self._lockstep, self._log = state, servo, lockstep, node.log
        self._row = names.arm_names(state.profile)[1]
        self._arm, self._status = node.publisher(self._row), node.publisher(names.SERVO_STATUS)
        self._sent: tuple[int, ServoPath] | None = None
        self._early: list[tuple[int, Callable[[], Aim]]] = []
        self._said, self._said_at = '', 0.0
        node.subscribe(names.DELTA_TWIST, lambda sent: self._take(sent.header, lambda: self._twist(sent)))
        node.subscribe(names.POSE_TARGET, lambda sent: self._take(sent.header, lambda: self._target(sent)))

    def seen(self) -> None:
        """Serve a message whose period was not known before; a joint state has arrived."""
        due = [read for stamp, read in self._early if stamp <= self._state.joints_ns]
        self._early = [(stamp, read) for stamp, read in self._early if stamp > self._state.joints_ns]
        for read in due:
            self._follow(read)

    def _take(self, header: Any, read: Callable[[], Aim]) -> None:
        stamp, now = fields.read_stamp(header.stamp), self._state.joints_ns
        if not self._state.knows_arm:
            self._say('No joint state has been seen, so a command was dropped. Is the driver running?')
        elif stamp > now + (PERIOD_NS if self._lockstep else STALE_NS):
            self._say(
                'A command was dropped: its stamp is later than the joint states. Use their clock (with a simulator, set use_sim_time).'
            )
        elif stamp == 0 or now - stamp > STALE_NS:
            found = 'is more than 0.1 s older than the joint states' if stamp else 'has no stamp'
            self._say(f'A command {found}: the arm halts. Give each command a new stamp.')
            self._send(self._servo.halt(self._start()))
        elif stamp > now and self._lockstep:
            self._early.append((stamp, read))
        else:
            self._follow(read)

    def _follow(self, read: Callable[[], Aim]) -> None:
        try:
            aim = read()
        except CommandError as error:
            self._say(f'A command was dropped: {error}')
            return
        self._servo.stand_at(self._state.scene.table.top)
        course = self._servo.course(self._start(), aim, opening=self._state.opening, periods=1 if self._lockstep else 2)
        if course.status:
            self._say(f'{course.status.name}: the arm is slower than requested, or halts.')
        self._status.publish(message(names.SERVO_STATUS.type, {'data': int(course.status)}))
        self._send(course.first() if self._lockstep else course)

    def _send(self, course: ServoPath) -> None:
        if course.states:
            self._sent = self._state.joints_ns, course
            # Where time does not wait, the driver is already ahead of the joint states; the stamp tells it how far.
            began = 0 if self._lockstep else self._state.joints_ns
            self._arm.publish(message(self._row.type, fields.trajectory(course.chunk(), self._state.profile.joints, began)))

    def _start(self) -> State:
        """Return the commanded state of the arm now, or the measured one if the command is too old or something else moved the arm."""
        positions, velocities = (np.asarray(values) for values in (self._state.arm, self._state.speeds))
        if self._sent is not None:
            began, course = self._sent
            passed = self._state.joints_ns - began
            commanded = course.at(passed)
            if passed <= course.end_ns + STALE_NS and np.abs(commanded.positions - positions).max() < ASTRAY:
                return commanded
        limits = np.asarray(self._state.profile.velocity)
        return State(positions, np.clip(velocities, -limits, limits))

    def _twist(self, sent: Any) -> Twist:
        linear, angular = (fields.read_vector(part) for part in (sent.twist.linear, sent.twist.angular))
        if not all(isfinite(v) and abs(v) < _BEYOND for v in (*linear, *angular)):
            raise CommandError(f'A twist needs six finite numbers; found {linear} and {angular}. Check the sender for NaN.')
        turn = self._frame(sent.header.frame_id).rotation
        return Twist(vector(matmul(turn, linear)), vector(matmul(turn, angular)))

    def _target(self, sent: Any) -> Pose:
        pose = fields.checked_pose(sent.pose)
        if not all(abs(v) < _BEYOND for v in pose.position):
            raise CommandError(f'The position of a pose target is out of range; found {pose.position}. Check the sender.')
        return self._frame(sent.header.frame_id) @ pose

    def _frame(self, name: str) -> Pose:
        """Return the pose of a frame in the world.

        Raises:
            CommandError: the frame is neither the world nor a link of the robot.
        """
        joints = {joint: state.position for joint, state in self._state.joints.items()}
        frames = {WORLD: Pose()} | self._servo.kinematics.link_poses(joints)
        if name not in frames:
            raise CommandError(
                f'The frame {name!r} does not exist. Set frame_id to {WORLD}, {self._state.profile.tool_link} or another link.'
            )
        return frames[name]

    def _say(self, text: str) -> None:
        # A policy sends twenty messages a second: one log line a second is enough.
        if text != self._said or time.monotonic() - self._said_at > AGAIN_S:
            self._said, self._said_at = text, time.monotonic()
            self._log.warning(text)

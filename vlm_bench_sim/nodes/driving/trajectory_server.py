"""FollowJointTrajectory and the JointTrajectory topic, served like joint_trajectory_controller of ros2_controllers."""

from dataclasses import replace
from math import isfinite
from typing import Any

from vlm_bench_sim.core.command import Chunk, check_limits, check_points
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.protocols import MotionState, World
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.trajectory import begun
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.driving.goal_server import Answer, GoalServer, Port
from vlm_bench_sim.ros import fields
from vlm_bench_sim.ros.names import arm_names

INVALID_GOAL, PATH_TOLERANCE_VIOLATED, GOAL_TOLERANCE_VIOLATED = -1, -4, -5
NO_TOLERANCE = 1e9  # rad, larger than any deviation
NO_LIMIT_NS = -1_000_000_000
ENDLESS_NS = 10**18  # longer than any episode

_ANSWERS = {
    MotionState.SUCCEEDED: Answer('succeed', {'error_code': 0, 'error_string': ''}),
    MotionState.PATH_TOLERANCE: Answer(
        'abort', {'error_code': PATH_TOLERANCE_VIOLATED, 'error_string': 'The arm left the path by more than its tolerance, and holds.'}
    ),
    MotionState.GOAL_TOLERANCE: Answer(
        'abort', {'error_code': GOAL_TOLERANCE_VIOLATED, 'error_string': 'The arm did not reach the goal tolerance in time, and holds.'}
    ),
}


class TrajectoryServer:
    """Turns trajectories into chunks, and answers when the world has executed them."""

    def __init__(self, node: BenchNode, profile: RobotProfile, *, port: Port) -> None:
        self._log, self._profile, self._port = node.log, profile, port
        action, topic, _ = arm_names(profile)
        self.goals = GoalServer(node, action, port=port, read=self._read, ended=_ended)
        node.subscribe(topic, self._on_topic)

    def update(self, world: World) -> None:
        """Send feedback, and answer the goal if the last period has decided it."""
        answer = _ANSWERS.get(world.arm)
        if answer is not None:
            self.goals.finish(answer)
        elif self.goals.busy:
            actual, desired = world.snapshot.arm(self._profile.joints), world.commanded
            error = [d - a for d, a in zip(desired, actual, strict=True)]
            self.goals.feedback({
                'joint_names': list(self._profile.joints), 'desired': {'positions': list(desired)},
                'actual': {'positions': list(actual)}, 'error': {'positions': error},
            })  # fmt: skip

    def _on_topic(self, message: Any) -> None:
        try:
            chunk = self._chunk(message)
        except CommandError as error:
            self._log.error(f'Trajectory on the topic ignored: {error}')
            return
        if self._port.gate('a trajectory on the topic'):
            self.goals.preempt('Preempted: a trajectory came on the topic.')
            # Nobody waits for the arm to arrive, so a chunk needs no time to settle.
            self._port.begin(replace(chunk, goal_tolerance=(NO_TOLERANCE,) * len(self._profile.joints)))

    def _read(self, request: Any) -> Chunk:
        return replace(
            self._chunk(request.trajectory),
            path_tolerance=self._tolerances(request.path_tolerance, NO_TOLERANCE),
            goal_tolerance=self._tolerances(request.goal_tolerance, self._profile.goal_tolerance),
            goal_time_ns=self._goal_time(fields.read_stamp(request.goal_time_tolerance)),
        )

    def _chunk(self, message: Any) -> Chunk:
        chunk = fields.read_trajectory(message, self._profile.joints)
        check_points(chunk.points, len(self._profile.joints))
        check_limits(chunk.points, self._profile)
        stamp, now = fields.read_stamp(message.header.stamp), self._port.clock_ns()
        if stamp == 0:
            return chunk
        if stamp + chunk.points[-1].time_ns < now:
            raise CommandError(f'The trajectory was to begin at {stamp} ns and would be over by now ({now} ns). Send stamp 0 to start now.')
        return replace(chunk, points=begun(chunk.points, stamp - now))

    def _goal_time(self, ns: int) -> int:
        """Return the settling time of the arm, ns: 0 means the default, -1 s no end, another negative number the default and a log line."""
        if ns == NO_LIMIT_NS:
            return ENDLESS_NS
        if ns < 0:
            self._log.error(f'The goal time tolerance {ns * 1e-9:g} s is negative and not -1 (none): the default is used.')
        return max(0, ns)

    def _tolerances(self, given: Any, default: float) -> tuple[float, ...]:
        """Return one tolerance per joint, rad: 0 means the default, -1 none, another negative number the default and a log line."""
        by_joint = dict.fromkeys(self._profile.joints, default)
        for tolerance in given:
            numbers = (tolerance.position, tolerance.velocity, tolerance.acceleration)
            if tolerance.name not in by_joint or not all(map(isfinite, numbers)):
                raise CommandError(
                    f'A tolerance gives {numbers} (rad, rad/s, rad/s²) for {tolerance.name!r}. '
                    f'Give finite numbers for one of {list(by_joint)}.'
                )
            if tolerance.position > 0:
                by_joint[tolerance.name] = tolerance.position
            elif tolerance.position == -1:
                by_joint[tolerance.name] = NO_TOLERANCE
            elif tolerance.position < 0:
                self._log.error(
                    f'The tolerance {tolerance.position} of {tolerance.name} is negative and not -1 (none): the default is used.'
                )
        return tuple(by_joint.values())


def _ended(outcome: str, reason: str) -> Answer:
    return Answer(outcome, {'error_code': INVALID_GOAL if outcome == 'abort' else 0, 'error_string': reason})

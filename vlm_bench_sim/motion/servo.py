"""Servoing: follow twists and pose targets period by period, with damped differential inverse kinematics. Independent of ROS.

The requested motion is scaled as a whole to keep its direction: within velocity and acceleration limits, near joint limits and
singularities, and before a collision. Every course ends at rest. A course is returned only if all of it is free of collision.
"""

from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

import eigenpy
import numpy as np
import pinocchio as pin

from vlm_bench_sim.core.algebra import matmul
from vlm_bench_sim.core.command import Chunk, Point
from vlm_bench_sim.core.geometry import Floats, Pose, Vector
from vlm_bench_sim.core.snapshot import Pair
from vlm_bench_sim.core.timing import PERIOD_NS, PERIOD_S
from vlm_bench_sim.motion.collision import Checker, CollisionModel, CollisionScene
from vlm_bench_sim.motion.kinematics import damped_step, se3
from vlm_bench_sim.motion.planning import EDGE_STEP
from vlm_bench_sim.motion.search import CLEARANCE

SLOW, HALT = 40.0, 100.0
"""Condition numbers of the Jacobian (m and rad mixed): above the first, motion towards a singularity slows down; at the second it stops."""

MARGIN = 0.02
"""Distance kept from the joint limits, rad."""

_DAMPED_BELOW = 0.02  # least singular value
_NUDGE = 0.01  # rad
_SHARES = (1.0, 0.5, 0.25, 0.1)
_MOST = 10.0  # m/s and rad/s, or m and rad per period: faster than any robot, and far from overflow
_RESTING = 1e-6  # rad/s
_NOTHING = 1e-9  # rad/s


class Status(IntEnum):
    """Outcome of a course, numbered as MoveIt Servo's status."""

    NO_WARNING = 0
    DECELERATE_FOR_APPROACHING_SINGULARITY = 1
    HALT_FOR_SINGULARITY = 2
    DECELERATE_FOR_COLLISION = 4
    HALT_FOR_COLLISION = 5
    JOINT_BOUND = 6


_HALTED = {
    Status.DECELERATE_FOR_APPROACHING_SINGULARITY: Status.HALT_FOR_SINGULARITY,
    Status.DECELERATE_FOR_COLLISION: Status.HALT_FOR_COLLISION,
}


@dataclass(frozen=True)
class Twist:
    """Velocity of the tool centre point in world axes: `linear` m/s, `angular` rad/s."""

    linear: Vector
    angular: Vector


@dataclass(frozen=True)
class State:
    """Commanded state of the arm: positions (rad) and velocities (rad/s)."""

    positions: Floats
    velocities: Floats

    @property
    def rests(self) -> bool:
        """Whether no joint moves."""
        return float(np.abs(self.velocities).max()) < _RESTING

    def after(self, velocities: Floats, seconds: float = PERIOD_S) -> 'State':
        """Return the state after `seconds`, in which the velocities change evenly to the given ones."""
        return State(self.positions + (self.velocities + velocities) / 2 * seconds, velocities)


@dataclass(frozen=True)
class ServoPath:
    """The arm's next motion: from `start` through `states`, one at the end of each control period."""

    start: State
    states: tuple[State, ...]
    status: Status = Status.NO_WARNING

    @property
    def end_ns(self) -> int:
        """Duration, ns."""
        return PERIOD_NS * len(self.states)

    def first(self) -> 'ServoPath':
        """Return the first period of the path."""
        return ServoPath(self.start, self.states[:1], self.status)

    def at(self, time_ns: int) -> State:
        """Return the state at a time since the start; after the end the arm holds still."""
        passed, rest = divmod(max(0, time_ns), PERIOD_NS)
        if passed >= len(self.states):
            last = (self.start, *self.states)[-1]
            return last if time_ns == self.end_ns else State(last.positions, np.zeros_like(last.velocities))
        a, b = (self.start, *self.states)[passed : passed + 2]
        return a.after(a.velocities + rest / PERIOD_NS * (b.velocities - a.velocities), rest * 1e-9)

    def chunk(self) -> Chunk:
        """Return the path as a trajectory. If it ends in motion it has positions only, as trajectories with velocities must end at rest."""
        whole = self.states[-1].rests
        return Chunk(tuple(
            Point((i + 1) * PERIOD_NS, tuple(s.positions.tolist()), tuple(s.velocities.tolist()) if whole else ())
            for i, s in enumerate(self.states)
        ))  # fmt: skip


class Servo:
    """Computes courses for one robot, clear of itself and of the table. Its only memory is which pairs were already near each other."""

    def __init__(self, collision: CollisionModel) -> None:
        self._collision, self.kinematics = collision, collision.kinematics
        profile = self.kinematics.profile
        self._velocity, self._acceleration = np.asarray(profile.velocity), np.asarray(profile.acceleration)
        self._low, self._high = self.kinematics.low + MARGIN, self.kinematics.high - MARGIN
        self._scenes: dict[int, CollisionScene] = {}
        self._floor = 0.0
        self._near: dict[Pair, float] = {}

    def course(self, start: State, aim: Twist | Pose, *, opening: float, periods: int = 1) -> ServoPath:
        """Return a course that follows `aim` for some periods and then comes to rest.

        Args:
            start: commanded state now.
            aim: a twist, or a tool pose to reach as soon as the limits allow.
            opening: full width between the fingers, m.
            periods: number of periods to follow `aim`.
        """
        checker = self._checker(start.positions, opening)
        worst = Status.NO_WARNING
        for share in _SHARES:
            moving, status = self._followed(start, aim, share, periods)
            states = (*moving, *self._braked(moving[-1]))
            against = self._against(start, states, checker)
            if against is Status.NO_WARNING:
                return ServoPath(start, states, max(status, worst))
            worst = against
        # An arm already at rest stays at rest for one period.
        states = tuple(self._braked(start)) or (start.after(np.zeros_like(start.velocities)),)
        return ServoPath(start, states, _HALTED.get(worst, worst))

    def stand_at(self, floor: float) -> None:
        """Set the height `floor` of the table's top, m, to keep clear of from now on."""
        if floor != self._floor:
            self._floor, self._scenes, self._near = floor, {}, {}

    def halt(self, start: State) -> ServoPath:
        """Return the course to rest, within the acceleration limits; empty if the arm is at rest."""
        return ServoPath(start, tuple(self._braked(start)))

    def _followed(self, start: State, aim: Twist | Pose, share: float, periods: int) -> tuple[list[State], Status]:
        states, worst = [start], Status.NO_WARNING
        for _ in range(periods):
            now = states[-1]
            rate, status = self._rate(now, aim, share)
            if isinstance(aim, Twist):  # the Jacobian at the middle of the period follows the twist; the one at its beginning drifts off
                rate, status = self._rate(State(now.positions + rate * (PERIOD_S / 2), now.velocities), aim, share)
            change = rate - now.velocities
            change *= _least(1.0, self._acceleration * PERIOD_S, change)
            states.append(now.after(now.velocities + change))
            worst = max(worst, status)
        return states[1:], worst

    def _rate(self, now: State, aim: Twist | Pose, share: float) -> tuple[Floats, Status]:
        """Return joint velocities, rad/s, that follow a share of `aim` within all limits except acceleration."""
        arm = now.positions
        placement, jacobian = self.kinematics.tool_motion(arm)
        if isinstance(aim, Pose):
            goal = se3(aim)
            off = np.concatenate([goal.translation - placement.translation, pin.log3(matmul(goal.rotation, placement.rotation.T))])
            # Subtract what the arm still moves before its speed has changed.
            way = _inverse(jacobian, _bounded(off)) - now.velocities * (PERIOD_S / 2)
            rate = way / PERIOD_S
            rate *= _least(share, self._stoppable(np.abs(way)), rate)
        else:
            rate = share * _inverse(jacobian, _bounded(np.array([*aim.linear, *aim.angular])))
        rate *= _least(1.0, self._velocity, rate)
        rate, status = self._slowed(arm, jacobian, rate)
        gap = np.where(rate > 0, self._high - arm, arm - self._low)
        bound = _least(1.0, self._stoppable(np.maximum(gap, 0.0)), rate)
        return rate * bound, Status.JOINT_BOUND if bound < 1.0 else status

    def _slowed(self, arm: Floats, jacobian: Floats, rate: Floats) -> tuple[Floats, Status]:
        condition, fastest = _condition(jacobian), float(np.abs(rate).max())
        if condition < SLOW or fastest < _RESTING:
            return rate, Status.NO_WARNING
        if _condition(self.kinematics.tool_motion(arm + rate * (_NUDGE / fastest))[1]) <= condition:
            return rate, Status.NO_WARNING
        share = max(0.0, (HALT - condition) / (HALT - SLOW))
        return rate * share, Status.DECELERATE_FOR_APPROACHING_SINGULARITY if share else Status.HALT_FOR_SINGULARITY

    def _stoppable(self, gap: Floats) -> Floats:
        """Return the velocities, rad/s, from which each joint can stop within its gap, rad, if braking begins one period later."""
        limit = self._acceleration
        speeds: Floats = 2 * gap / (np.sqrt(PERIOD_S**2 + 2 * gap / limit) + PERIOD_S)
        return speeds

    def _braked(self, state: State) -> list[State]:
        """Return the states until rest, with all joints braking together."""
        if state.rests:
            return []
        count = int(np.ceil(np.abs(state.velocities / (self._acceleration * PERIOD_S)).max()))
        states = [state]
        for i in range(count):
            states.append(states[-1].after(state.velocities * (1 - (i + 1) / count)))
        return states[1:]

    def _against(self, start: State, states: tuple[State, ...], checker: Checker) -> Status:
        """Return the status that rules out these states after `start`, or NO_WARNING."""
        if any(self.kinematics.limit_margin(state.positions) < 0 for state in states):
            return Status.JOINT_BOUND
        begin, *after = (_condition(self.kinematics.tool_motion(state.positions)[1]) for state in (start, *states))
        if max(after, default=0.0) > max(begin, HALT):
            return Status.DECELERATE_FOR_APPROACHING_SINGULARITY
        ways = (self.kinematics.between(a.positions, b.positions, EDGE_STEP) for a, b in pairwise((start, *states)))
        return Status.NO_WARNING if all(checker.all_free(way) for way in ways) else Status.DECELERATE_FOR_COLLISION

    def _checker(self, arm: Floats, opening: float) -> Checker:
        width = round(1000 * max(0.0, opening))
        if width not in self._scenes:
            self._scenes = {width: self._collision.scene(opening=width / 1000, floor=self._floor)}
        scene = self._scenes[width]
        # Pairs that are near already may stay as near as they first were, but must not creep closer from message to message.
        self._near = {pair: self._near.get(pair, distance) for pair, distance in scene.contacts(arm, CLEARANCE).items()}
        return scene.checker(CLEARANCE, (self._near,))


def _inverse(jacobian: Floats, motion: Floats) -> Floats:
    """Return the smallest joint motion for a tool motion; it is damped near a singularity."""
    least = float(_singular(jacobian)[-1])
    return damped_step(jacobian, motion, max(0.0, _DAMPED_BELOW**2 - least**2))


def _condition(jacobian: Floats) -> float:
    values = _singular(jacobian)
    return float(values[0] / max(values[-1], 1e-12))


def _singular(jacobian: Floats) -> Floats:
    """Return the singular values, greatest first. Eigen computes them, so that the result does not depend on the processor."""
    found: Floats = eigenpy.ColPivHhJacobiSVD(jacobian).singularValues()
    return found


def _bounded(motion: Floats) -> Floats:
    return motion * min(1.0, _MOST / max(float(np.abs(motion).max()), 1e-12))


def _least(share: float, limits: Floats, values: Floats) -> float:
    """Return the share, reduced if necessary so that no value exceeds its limit."""
    sizes = np.abs(values)
    counts = sizes > _NOTHING
    return min(share, float((limits[counts] / sizes[counts]).min(initial=share)))

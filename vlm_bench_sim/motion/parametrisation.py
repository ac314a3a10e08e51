"""Time a joint-space path: from knots to a trajectory within the robot's limits, sampled once per control period.

The timing gives the progress along the path. Its speed changes evenly within each period, and its acceleration jumps only between periods:
the controller's cubics through the samples can also jump only there. Jumps elsewhere make the cubics exceed the limits by half.
"""

from dataclasses import dataclass

import numpy as np
import toppra
from toppra import algorithm, constraint

from vlm_bench_sim.core.command import Chunk, Point
from vlm_bench_sim.core.errors import ConfigError, PlanError
from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.core.protocols import PlanCode
from vlm_bench_sim.core.timing import PERIOD_NS, PERIOD_S

BULGE = 1.05
"""Greatest value of the controller's cubics between two samples, as a share of the limits."""

_GRID = (100, 240)
"""Gridpoints at which the limits are imposed: 20 per segment, at least and at most these, but never fewer than 3 per knot."""

_VELOCITY_SHARE = 0.99
_VELOCITY_BULGE = 1.01
_ROUNDS = 60
_SHARES = np.array([0.25, 0.5, 0.75])[:, None, None]
_FINE = 20
_MOMENTS = 400


@dataclass(frozen=True)
class _Limits:
    """Joint limits, (dof,) each: velocity in rad/s, acceleration in rad/s², jerk in rad/s³ or None."""

    velocity: Floats
    acceleration: Floats
    jerk: Floats | None


def round_corners(path: Floats) -> Floats:
    """Return knots of the uniform cubic B-spline over (n, dof) control points.

    The spline stays in the hull of four neighbouring control points. Straight parts stay straight, corners are cut by at most a third of
    the spacing, and joint limits still hold. The natural cubic spline through these knots is the same B-spline.
    """
    knots: Floats = path.copy()
    knots[1:-1] = (path[:-2] + 4 * path[1:-1] + path[2:]) / 6
    return knots


def curve(knots: Floats, length: float | None = None) -> 'toppra.SplineInterpolator':
    """Return the natural cubic spline through (n, dof) knots; its parameter runs evenly from 0 to `length` (None: n - 1)."""
    return toppra.SplineInterpolator(np.linspace(0.0, len(knots) - 1.0 if length is None else length, len(knots)), knots, bc_type='natural')


def parametrise(knots: Floats, velocity: Floats, acceleration: Floats, jerk: Floats | None = None) -> Chunk:
    """Return the fastest trajectory along the curve through `knots`, (n, dof) rad, from rest to rest.

    Args:
        knots: at least two; the trajectory meets the first and the last as `Point` rounds them.
        velocity: limits, (dof,) rad/s.
        acceleration: limits, (dof,) rad/s².
        jerk: limits, (dof,) rad/s³; with them, the limits on the progress are constant along the path, and the trajectory is slower.

    Raises:
        PlanError: there is no such trajectory along the path.
        ConfigError: jerk is limited, and ruckig is not installed.
    """
    if np.abs(knots - knots[0]).max() < 1e-9:
        return _chunk(knots[[0, -1]], np.zeros_like(knots[[0, -1]]))
    # Scale the parameter to about 1 per rad: with other scales toppra's solver sometimes fails.
    path = curve(knots, float(np.linalg.norm(np.diff(knots, axis=0), axis=1).sum()))
    limits = _Limits(velocity, acceleration, jerk)
    progress: _Fastest | _Smooth = (
        _Fastest(path, len(knots), limits=limits) if jerk is None else _Smooth(path, len(knots), limits=limits, jerk=jerk)
    )
    periods = max(1, int(np.ceil(progress.duration / PERIOD_S - 1e-9)))
    for _ in range(_ROUNDS):
        slower = progress.duration / (periods * PERIOD_S)
        along, speeds = progress.at(np.linspace(0.0, progress.duration, periods + 1))
        positions, velocities = path(along), path(along, 1) * (speeds * slower)[:, None]
        positions[[0, -1]], velocities[[0, -1]] = knots[[0, -1]], 0.0
        excess = _excess(positions, velocities, limits)
        if excess <= 1.0:
            break
        periods = max(periods + 1, int(periods * (1.0 + (excess - 1.0) / 2)))
    return _chunk(positions, velocities)


class _Fastest:
    """The fastest progress along a path; its speed changes evenly within each period."""

    def __init__(self, path: 'toppra.SplineInterpolator', knots: int, *, limits: _Limits) -> None:
        self._length = float(path.path_interval[1])
        top = limits.velocity * _VELOCITY_SHARE
        within = [
            constraint.JointVelocityConstraint(np.column_stack([-top, top])),
            constraint.JointAccelerationConstraint(np.column_stack([-limits.acceleration, limits.acceleration])),
        ]
        steps = max(3 * knots, int(np.clip(20 * (knots - 1), *_GRID)))
        grid = np.linspace(0.0, self._length, steps + 1)
        problem = algorithm.TOPPRA(within, path, gridpoints=grid, solver_wrapper='seidel')
        _, speeds, _ = problem.compute_parameterization(0.0, 0.0)
        if speeds is None or np.isnan(speeds).any():
            raise PlanError(
                f'No trajectory along a path of {knots} knots keeps the limits. Ask for a path with fewer turns.', PlanCode.FAILED
            )
        self._speeds: Floats = speeds
        self._times: Floats = np.concatenate([[0.0], np.cumsum(2 * np.diff(grid) / (speeds[:-1] + speeds[1:]))])
        self.duration = float(self._times[-1])

    def at(self, times: Floats) -> tuple[Floats, Floats]:
        """Return progress and speed along the path at evenly spaced times from 0 to the duration, s."""
        speeds = np.interp(times, self._times, self._speeds)
        speeds[[0, -1]] = 0.0
        if len(times) == 2:
            return np.array([0.0, self._length]), speeds
        along = np.concatenate([[0.0], np.cumsum((speeds[:-1] + speeds[1:]) / 2 * np.diff(times))])
        scale = self._length / along[-1]  # makes up for the path length lost when sampling cuts off peaks of the speed
        return along * scale, speeds * scale


class _Smooth:
    """The fastest progress along a path under constant limits of speed, acceleration and jerk that keep all joint limits."""

    def __init__(self, path: 'toppra.SplineInterpolator', knots: int, *, limits: _Limits, jerk: Floats) -> None:
        try:
            from ruckig import InputParameter, Result, Ruckig, Trajectory  # only needed for a robot with jerk limits
        except ImportError as error:
            raise ConfigError(
                'The profile limits jerk, which needs ruckig; it is not installed. Run `pip install ruckig`, or remove jerk from it.'
            ) from error
        asked, self._profile = InputParameter(1), Trajectory(1)
        asked.current_position, asked.target_position = [0.0], [float(path.path_interval[1])]
        asked.max_velocity, asked.max_acceleration, asked.max_jerk = ([v] for v in _constant(path, knots, limits, jerk))
        # State to state, without intermediate positions: for those ruckig would query a server.
        if Ruckig(1).calculate(asked, self._profile) != Result.Working:
            raise PlanError(f'No smooth trajectory was found within {asked}. Check the limits of the profile.', PlanCode.FAILED)
        self._slower = self._room(path, limits, jerk)
        self.duration = float(self._profile.duration) * self._slower

    def at(self, times: Floats) -> tuple[Floats, Floats]:
        """Return progress and speed along the path at times from 0 to the duration, s."""
        along, speeds, _ = self._states(times / self._slower)
        return along, speeds / self._slower

    def _states(self, times: Floats) -> Floats:
        states: Floats = np.array([self._profile.at_time(float(time)) for time in times], dtype=float).reshape(-1, 3).T
        return states

    def _room(self, path: 'toppra.SplineInterpolator', limits: _Limits, jerk: Floats) -> float:
        """Return the least time, as a share of the profile's, in which the joints keep their limits; the constants are conservative."""
        times, step = np.linspace(0.0, self._profile.duration, _MOMENTS, retstep=True)
        along, speed, acceleration = self._states(times)
        rates = path(along, 1) * speed[:, None]
        changes = path(along, 1) * acceleration[:, None] + path(along, 2) * speed[:, None] ** 2
        jerks = np.diff(changes, axis=0) / step
        used = (np.abs(rates / limits.velocity).max() / _VELOCITY_SHARE, np.sqrt(np.abs(changes / limits.acceleration).max()))
        return float(max(*used, _cube_root(np.abs(jerks / jerk).max())))


def _constant(path: 'toppra.SplineInterpolator', knots: int, limits: _Limits, jerk: Floats) -> tuple[float, float, float]:
    """Return the greatest speed, acceleration and jerk of the progress with which no joint exceeds its limits anywhere on the path.

    By the chain rule, with progress s: q̈ = q's̈ + q''ṡ² and q⃛ = q's⃛ + 3q''ṡs̈ + q‴ṡ³. Half of a joint's acceleration and two thirds of
    its jerk are reserved for the path's curvature.
    """
    along = np.linspace(0.0, float(path.path_interval[1]), _FINE * knots)
    first, second = np.abs(path(along, 1)) + 1e-9, np.abs(path(along, 2)) + 1e-9
    third = np.abs(np.diff(path(along, 2), axis=0)) / along[1] + 1e-9
    speed = min(
        float((limits.velocity / first).min()),
        float(np.sqrt(limits.acceleration / 2 / second).min()),
        _cube_root((jerk / 3 / third).min()),
    )
    acceleration = min(float((limits.acceleration / 2 / first).min()), float((jerk / 3 / (3 * second * speed)).min()))
    return speed, acceleration, float((jerk / 3 / first).min())


def _excess(positions: Floats, velocities: Floats, limits: _Limits) -> float:
    """Return the factor by which the controller's cubics must slow down to keep the limits between the samples, allowed bulges aside."""
    change, (u, w) = np.diff(positions, axis=0) / PERIOD_S, (velocities[:-1], velocities[1:])
    between = 6 * _SHARES * (1 - _SHARES) * change + (1 - _SHARES) * (1 - 3 * _SHARES) * u + _SHARES * (3 * _SHARES - 2) * w
    ends = np.stack([6 * change - 4 * u - 2 * w, 2 * u + 4 * w - 6 * change]) / PERIOD_S
    needed = [
        float(np.abs(between / limits.velocity).max()) / _VELOCITY_BULGE,
        float(np.sqrt(np.abs(ends / limits.acceleration).max() / BULGE)),
    ]
    if limits.jerk is not None:
        needed.append(_cube_root(np.abs((ends[1] - ends[0]) / PERIOD_S / limits.jerk).max() / BULGE))
    return max(needed)


def _cube_root(value: float) -> float:
    # Not numpy's cube root: its last bit depends on the processor.
    root: float = float(value) ** (1 / 3)
    return root


def _chunk(positions: Floats, velocities: Floats) -> Chunk:
    rows = zip(positions.tolist(), velocities.tolist(), strict=True)
    return Chunk(tuple(Point(i * PERIOD_NS, tuple(q), tuple(v)) for i, (q, v) in enumerate(rows)))

"""From a path in joint space to a trajectory within the robot's limits, sampled once a control period."""

import numpy as np
import toppra
from toppra import algorithm, constraint

from vlm_bench_sim.core.command import Chunk, Point
from vlm_bench_sim.core.errors import PlanError
from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.core.protocols import PlanCode
from vlm_bench_sim.core.timing import PERIOD_NS, PERIOD_S

_GRID = (100, 240)
"""Fewest and, where that is 3 a knot, most points at which the limits are imposed; 20 a knot between the two keep them in between, too."""

_VELOCITY_SHARE = 0.99
"""The controller's cubics between two samples may bulge; this much of the velocity limit is used."""


def round_corners(path: Floats) -> Floats:
    """Return knots of the uniform cubic B-spline over (n, dof) control points.

    The spline never leaves the hull of four neighbouring control points: straight stays straight, a corner is cut by at most a third of
    the spacing, and joint limits still hold. The natural cubic spline through these knots is that very B-spline.
    """
    knots: Floats = path.copy()
    knots[1:-1] = (path[:-2] + 4 * path[1:-1] + path[2:]) / 6
    return knots


def curve(knots: Floats) -> 'toppra.SplineInterpolator':
    """Return the natural cubic spline through (n, dof) knots, parameter 0…n - 1."""
    return toppra.SplineInterpolator(np.arange(len(knots), dtype=float), knots, bc_type='natural')


def parametrise(knots: Floats, velocity: Floats, acceleration: Floats) -> Chunk:
    """Return the fastest trajectory along the curve through `knots`, (n, dof) rad, from rest to rest.

    Args:
        knots: at least two; the first and the last are met exactly.
        velocity: limits, (dof,) rad/s.
        acceleration: limits, (dof,) rad/s².

    Raises:
        PlanError: the path has no such trajectory.
    """
    if np.abs(knots - knots[0]).max() < 1e-9:
        return _chunk(knots[[0, -1]], np.zeros_like(knots[[0, -1]]))
    path, top = curve(knots), velocity * _VELOCITY_SHARE
    limits = [
        constraint.JointVelocityConstraint(np.column_stack([-top, top])),
        constraint.JointAccelerationConstraint(np.column_stack([-acceleration, acceleration])),
    ]
    steps = max(3 * len(knots), int(np.clip(20 * (len(knots) - 1), *_GRID)))
    grid = np.linspace(0.0, len(knots) - 1.0, steps + 1)
    problem = algorithm.TOPPRA(limits, path, gridpoints=grid, solver_wrapper='seidel', parametrizer='ParametrizeConstAccel')
    timed = problem.compute_trajectory()
    if timed is None:
        raise PlanError(
            f'No trajectory within the limits along a path of {len(knots)} knots. Ask for a path with fewer turns.', PlanCode.FAILED
        )
    return _sampled(timed, knots)


def _sampled(timed: 'toppra.parametrizer.ParametrizeConstAccel', knots: Floats) -> Chunk:
    periods = max(1, int(np.ceil(timed.duration / PERIOD_S - 1e-9)))
    slower = timed.duration / (periods * PERIOD_S)
    times = np.arange(periods + 1) * PERIOD_S * slower
    times[-1] = timed.duration
    positions, velocities = timed(times), timed(times, 1) * slower
    positions[[0, -1]], velocities[[0, -1]] = knots[[0, -1]], 0.0
    return _chunk(positions, velocities)


def _chunk(positions: Floats, velocities: Floats) -> Chunk:
    rows = zip(positions.tolist(), velocities.tolist(), strict=True)
    return Chunk(tuple(Point(i * PERIOD_NS, tuple(q), tuple(v)) for i, (q, v) in enumerate(rows)))

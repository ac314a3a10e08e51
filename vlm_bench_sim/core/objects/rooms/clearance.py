"""What stays free of solid things: the volume that tasks sweep, and how far the arms reach.

Props stand in x 0.25 … 0.75, |y| ≤ 0.50, and held ones rise to 0.65 m; elbows of all arms come out to |y| = 0.55. Chests and cabinets, up
to 0.50 m wide and 0.45 m deep, stand with the middle of their front 0.62 … 0.86 m from the robot's axis, at a bearing of up to 15° and
turned by up to 45°; their doors and drawers open towards the robot. The corners of all of these are in the boxes below.
"""

from vlm_bench_sim.core.geometry import Box, Vector


def _between(low: Vector, high: Vector) -> Box:
    (a, b, c), (d, e, f) = low, high
    return Box(((a + d) / 2, (b + e) / 2, (c + f) / 2), (d - a, e - b, f - c))


SWEPT = (_between((-0.35, -0.62, 0.0), (0.95, 0.62, 1.10)), _between((0.45, -0.73, 0.0), (1.38, 0.73, 1.10)))
"""Where arms, props and furniture with joints move: the robot with its props, and the furniture before it."""

SHOULDER: Vector = (0.0, 0.0, 0.25)
REACH = 1.20
"""No arm comes farther than this from the point SHOULDER, m; what is farther away collides with nothing."""

NEAREST: Vector = (0.0, 0.0, 0.33)
TOUCHED = 0.80
"""Each arm reaches this far from the point NEAREST, m, and each room has a solid thing within."""

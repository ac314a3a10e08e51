"""What lies in a vessel that the robot holds at the start comes along."""

from math import pi

import numpy as np
from stage import prop

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.matter import Beads, fill, packed
from vlm_bench_sim.core.scene import RobotStart, Scene
from vlm_bench_sim.core.shapes import usual_size


def test_what_is_in_a_vessel_comes_along(world):
    """The mug is taken from above across its outside, away from where the scene lays it, and keeps its water."""
    x, y, z = (0.6 * extent for extent in usual_size('mug1'))
    mug = prop('mug', 'mug1', 0.55, 0.25, size=(x, y, z), mass=0.1, friction=1.0)
    water = Beads('water', packed(mug, 12, np.random.default_rng(0)))
    grasp = Pose.from_rpy((0.0, mug.solid.cavity.centre[1], z / 2 - 0.02), (pi, 0.0, pi / 2))
    first = world.load(Scene((mug,), robot=RobotStart(held='mug', grasp=grasp), beads=(water,)))
    assert first.held == 'mug' and first.pose('mug').distance(mug.pose) > 0.1
    assert fill(mug.at(first.pose('mug')), first.beads['water']) == 1.0

"""A balance tips to the heavier side and comes to rest there, and stays level between equal masses."""

from dataclasses import replace
from math import degrees

import pytest
from stage import steps

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.objects.balance import ARM, BEAM, DROP, PIVOT, balance
from vlm_bench_sim.core.objects.stock import COLORS, block
from vlm_bench_sim.core.scene import Scene

SCALE = balance('scale', Pose((0.55, 0.0, 0.0)))
SIDE = 0.08  # nearly as wide as the plate


def weighed(world, left: float, right: float, periods: int = 80) -> tuple[float, float]:
    """Where the beam comes to, degrees, and how fast it still turns, degrees a second, under blocks of so many kg."""
    masses = {'left': (left, ARM), 'right': (right, -ARM)}
    laid = [replace(block(n, COLORS['red'], side=SIDE), mass=m, pose=Pose((0.3, y, SIDE / 2))) for n, (m, y) in masses.items() if m]
    world.load(Scene(tuple(laid), mechanisms=(SCALE,)))
    for one in laid:
        world.place(one.name, Pose((0.55, masses[one.name][1], PIVOT - DROP + SIDE / 2 + 5e-4)))
    beam = steps(world, periods)[-1].mechanisms[SCALE.full(BEAM)]
    return degrees(beam.position), degrees(beam.velocity)


@pytest.mark.parametrize(('left', 'right'), [(0.0, 0.0), (0.1, 0.1)])
def test_equal_masses_are_in_balance(world, left, right):
    angle, speed = weighed(world, left, right)
    assert abs(angle) < 0.5 and abs(speed) < 1.0


@pytest.mark.parametrize(('left', 'right', 'side'), [(0.1, 0.2, 1), (0.11, 0.1, -1), (0.0, 0.05, 1)])
def test_it_tips_to_the_heavier_side_up_to_its_stop_and_rests(world, left, right, side):
    angle, speed = weighed(world, left, right)
    assert side * angle == pytest.approx(20.0, abs=0.6)
    assert abs(speed) < 1.0

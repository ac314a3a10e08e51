"""A balance tips to the heavier side and comes to rest there, and stays level between equal masses."""

from dataclasses import replace
from math import degrees

import pytest
from stage import steps

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.objects.balance import ARM, BEAM, DROP, LEFT, PIVOT, RIGHT, balance
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


@pytest.mark.parametrize(('left', 'right', 'side'), [(0.1, 0.2, 1), (0.14, 0.1, -1), (0.0, 0.05, 1)])
def test_it_tips_to_the_heavier_side_up_to_its_stop_and_rests(world, left, right, side):
    angle, speed = weighed(world, left, right)
    assert side * angle == pytest.approx(20.0, abs=0.6)
    assert abs(speed) < 1.0


@pytest.mark.parametrize('units', [2, 5])
def test_equal_masses_that_are_laid_on_one_after_the_other_come_into_balance_and_stay_where_they_lie(world, units):
    height = 0.015 * units
    laid = {link: replace(block(link, COLORS['red'], side=SIDE), mass=0.0288 * units) for link in (LEFT, RIGHT)}
    laid = {link: replace(one, size=(SIDE, SIDE, height), pose=Pose((0.3, y, height / 2))) for y, (link, one) in enumerate(laid.items())}
    laid[RIGHT] = laid[RIGHT].at(Pose((0.3, 0.3, height / 2)))
    world.load(Scene(tuple(laid.values()), mechanisms=(SCALE,)))
    angles = []
    for link, one in laid.items():
        x, y, z = SCALE.placed(world.snapshot.mechanisms)[SCALE.full(link)].apply([(0.0, 0.0, -DROP)])[0].tolist()
        world.place(one.name, Pose((x, y, z + height / 2 + 1e-3)))
        now = steps(world, 120)[-1]
        angles.append(degrees(now.mechanisms[SCALE.full(BEAM)].position))
    assert angles[0] == pytest.approx(-20.0, abs=0.6)
    assert abs(angles[1]) < 5.0
    assert all(abs(joint.velocity) < 5e-3 for joint in now.mechanisms.values())
    for link in laid:
        (x, y, z) = SCALE.placed(now.mechanisms)[SCALE.full(link)].inverse().apply([now.pose(link).position])[0]
        assert (x, y, z) == pytest.approx((0.0, 0.0, height / 2 - DROP), abs=3e-3)

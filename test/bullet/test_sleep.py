"""What lies still is asleep, and wakes for whatever a prop that lies awake would notice."""

import numpy as np
import pytest
from stage import DOWN, PROFILE, finish, prop, reach, steps

from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.protocols import PlanRequest
from vlm_bench_sim.core.scene import RobotStart, Scene

BELOW, ABOVE = prop('below', z=0.021), prop('above', z=0.063)
ASIDE = Pose((0.5, 0.3, 0.021))
STILL = 60  # control periods: three seconds


@pytest.fixture
def asleep(world):
    """A cube on another, which have long been still."""
    world.load(Scene((BELOW, ABOVE)))
    steps(world, STILL)
    return world


def height(world, name='above'):
    return world.snapshot.pose(name).position[2]


def test_what_sleeps_does_not_move_at_all_and_still_touches_what_it_lies_on(asleep):
    poses = {tuple(now.pose(name).position) for now in steps(asleep, STILL) for name in ('below', 'above')}
    assert len(poses) == 2
    assert not any(np.any(asleep.snapshot.body(name).linear) for name in ('below', 'above'))
    assert asleep.snapshot.touches('above', 'below') and asleep.snapshot.touches('below', 'table')


def test_what_has_not_changed_by_a_bit_is_not_made_anew_and_what_is_put_elsewhere_is(asleep):
    first, second = steps(asleep, 2)
    assert all(second.body(name) is first.body(name) for name in ('below', 'above'))
    asleep.place('above', Pose((0.5, -0.2, 0.021)))
    moved = steps(asleep, 1)[0]
    assert moved.pose('above').distance(Pose((0.5, -0.2, 0.021))) < 1e-3


def test_its_ground_is_put_elsewhere_and_it_falls(asleep):
    asleep.place('below', ASIDE)
    steps(asleep, 20)
    assert height(asleep) == pytest.approx(0.021, abs=1e-3)


def test_its_ground_is_taken_away_and_it_falls(asleep):
    asleep.remove('below')
    steps(asleep, 20)
    assert height(asleep) == pytest.approx(0.021, abs=1e-3)


def test_it_falls_from_where_it_is_put(asleep):
    asleep.place('above', Pose((0.5, -0.2, 0.2)))
    steps(asleep, 20)
    assert height(asleep) == pytest.approx(0.021, abs=1e-3)


def test_it_moves_off_with_the_speed_that_it_is_given(asleep):
    asleep.place('below', ASIDE, linear=(0.5, 0.0, 0.0))
    steps(asleep, 2)
    assert asleep.snapshot.pose('below').distance(ASIDE) > 0.01


def test_what_falls_on_it_jolts_it(asleep):
    asleep.add(prop('stone', x=0.515, z=0.4, mass=0.5))
    film = steps(asleep, 40)
    assert max(np.linalg.norm(now.body('above').angular) for now in film) > 0.1


def test_what_slides_against_it_pushes_it(asleep):
    before = asleep.snapshot.pose('below')
    asleep.add(prop('stone', x=0.44, z=0.021, mass=0.5))
    asleep.place('stone', Pose((0.44, 0.0, 0.021)), linear=(1.0, 0.0, 0.0))
    steps(asleep, 20)
    assert asleep.snapshot.pose('below').distance(before) > 5e-3


def test_the_arm_pushes_it(world, planner):
    beside = Pose((0.47, 0.0, 0.03), DOWN)
    world.load(Scene((prop('a', x=0.55),), robot=RobotStart(reach(planner, beside), 0.0)))
    steps(world, STILL)
    before = world.snapshot.pose('a')
    start = world.snapshot.arm(PROFILE.joints)
    finish(world, planner.plan(PlanRequest(start, ToolPose(beside.shifted((0.1, 0.0, 0.0)), straight=True))))
    assert world.snapshot.pose('a').position[0] > before.position[0] + 0.01

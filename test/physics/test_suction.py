"""Suction holds what its cups can, and no more: it seals only on contact, over a whole rim, with a limited force."""

import numpy as np
import pytest
from stage import finish, prop, reach, steps

from vlm_bench_sim import engines
from vlm_bench_sim.core.command import Joints, ToolPose
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.core.protocols import MotionState, PlanRequest
from vlm_bench_sim.core.scene import RobotStart, Scene
from vlm_bench_sim.motion.planner import MotionPlanner
from vlm_bench_sim.profiles import robot

DOWN = Pose.from_rpy((0.0, 0.0, 0.0), (np.pi, 0.0, 0.0)).orientation
SIDE = 0.1


@pytest.fixture(scope='module', params=['panda_vacuum', 'ur5e'])
def planner(request) -> MotionPlanner:
    return MotionPlanner(robot(request.param))


@pytest.fixture
def lay(planner, engine):
    """Lay a prop on the table, the cups `gap` m over its top, `dx` m beside its middle."""
    made = []

    def laid(mass: float = 0.1, *, gap: float = -0.001, dx: float = 0.0, size=(SIDE, SIDE, 0.05)):
        what = prop('a', size=size, mass=mass, x=0.45, z=size[2] / 2)
        above = Pose((0.45 + dx, 0.0, size[2] + 0.05), DOWN)
        start = reach(planner, above, planner.profile.home)
        world = engines.world(planner.profile, engine)
        made.append(world)
        world.load(Scene((what,), robot=RobotStart(start)))
        move(planner, world, Pose((0.45 + dx, 0.0, size[2] + gap), DOWN))
        return world

    yield laid
    for world in made:
        world.close()


def move(planner, world, pose: Pose):
    chunk = planner.plan(PlanRequest(world.commanded, ToolPose(pose, straight=True, speed=0.3)))
    return finish(world, chunk)


def lift(planner, world):
    return move(planner, world, world.snapshot.tool.shifted((0.0, 0.0, 0.1)))


def test_nothing_is_held_before_the_cups_suck(planner, lay):
    world = lay()
    assert world.snapshot.touches('a', 'robot') and world.snapshot.held == ''
    lift(planner, world)
    assert world.snapshot.pose('a').position[2] < 0.03


def test_cups_that_suck_seal_on_contact_lift_and_let_go(planner, lay):
    world = lay()
    film = finish(world, Seal(True))
    assert world.gripper is MotionState.STALLED and film[-1].held == 'a'
    lift(planner, world)
    assert world.snapshot.pose('a').position[2] > 0.1 and not world.snapshot.touches('a', 'table')
    film = finish(world, Seal(False)) + steps(world, 10)
    assert [name for s in film for name in s.released] == ['a']
    assert film[-1].held == '' and film[-1].pose('a').position[2] < 0.05


def test_cups_that_suck_air_hold_nothing(planner, lay):
    world = lay(gap=0.004)
    finish(world, Seal(True))
    assert world.gripper is MotionState.SUCCEEDED and world.snapshot.held == ''
    lift(planner, world)
    assert world.snapshot.pose('a').position[2] < 0.03


@pytest.mark.parametrize(('share', 'held'), [(0.7, True), (1.3, False)])
def test_they_hold_up_to_their_force_and_not_beyond(planner, lay, share, held):
    gripper = planner.profile.gripper
    force = min(gripper.force, gripper.cup_force * len(gripper.links))
    world = lay(mass=share * force / 9.81)
    finish(world, Seal(True))
    lift(planner, world)
    assert (world.snapshot.pose('a').position[2] > 0.1) is held
    assert (world.snapshot.held == 'a') is held


def test_a_cup_half_over_the_edge_does_not_seal(planner, lay):
    gripper = planner.profile.gripper
    reach_of_cups = 0.018 if len(gripper.links) > 1 else 0.0
    world = lay(dx=SIDE / 2 + reach_of_cups - 0.2 * gripper.radius)
    assert world.snapshot.touches('a', 'robot')
    finish(world, Seal(True))
    assert world.snapshot.held == ''


def test_what_hangs_far_off_the_middle_peels_off(planner, lay):
    """The cups reach 25 mm from their middle; 3 kg hang 10 cm beside it."""
    world = lay(mass=3.0, dx=0.1, size=(0.3, SIDE, 0.03))
    finish(world, Seal(True))
    assert world.snapshot.held == 'a'
    film = lift(planner, world) + steps(world, 10)
    assert film[-1].held == '' and [name for s in film for name in s.released][:1] == ['a']


def test_a_command_to_fingers_is_refused(lay):
    with pytest.raises(CommandError, match='Seal'):
        lay().apply(Grip(0.0))


def test_a_stopped_arm_keeps_what_is_sealed(planner, lay):
    world = lay()
    finish(world, Seal(True))
    world.apply(Joints(planner.profile.home))
    steps(world, 3)
    world.hold_arm()
    world.hold_gripper()
    assert {s.held for s in steps(world, 20)} == {'a'}


def test_the_same_pick_gives_the_same_bits_and_a_saved_one_comes_back(planner, lay):
    hashes, world = [], None
    for _ in range(2):
        world = lay(mass=0.5)
        finish(world, Seal(True))
        lift(planner, world)
        hashes.append(world.state_hash())
    world.restore(world.save())
    assert hashes[0] == hashes[1] == world.state_hash()


@pytest.mark.parametrize('mass', [0.01, 0.05])
def test_what_is_light_comes_along_and_is_not_flung(planner, lay, mass):
    """LoHoRavens' blocks weigh 10 g and the cups pull with 50 N and more."""
    side = 0.04
    world = lay(mass=mass, size=(side, side, side))
    film = finish(world, Seal(True)) + steps(world, 10)
    here = world.snapshot.tool.inverse() @ world.snapshot.pose('a')
    assert film[-1].held == 'a' and np.linalg.norm(film[-1].pose('a').position[:2] - np.array([0.45, 0.0])) < 0.001
    film = lift(planner, world)
    for corner in ((0.45, 0.2), (0.35, -0.2)):
        film += finish(world, planner.plan(PlanRequest(world.commanded, ToolPose(Pose((*corner, 0.2), DOWN)))))
    assert {snapshot.held for snapshot in film} == {'a'}
    there = world.snapshot.tool.inverse() @ world.snapshot.pose('a')
    assert there.distance(here) < 0.003
    finish(world, Seal(False))
    down = steps(world, 2)[-1]
    assert np.linalg.norm(down.body('a').linear[:2]) < 0.02  # it falls, and is not thrown

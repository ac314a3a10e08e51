"""A robot can begin with a prop in its hand; the hand takes it by force and friction, or the scene is refused."""

from math import pi

import pytest
from stage import PROFILE, prop, reach, steps

from vlm_bench_sim import engines
from vlm_bench_sim.core.codec import dumps, loads
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.scene import RobotStart, Scene
from vlm_bench_sim.core.snapshot import state_hash
from vlm_bench_sim.profiles import robot

DOWN = Pose.from_rpy((0.0, 0.0, 0.0), (pi, 0.0, 0.0))
ON_TOP = Pose((0.0, 0.0, 0.021), DOWN.orientation)


@pytest.fixture(scope='module')
def held_scene() -> Scene:
    return Scene((prop('a'), prop('b', 'cylinder', y=0.2)), robot=RobotStart(held='a', grasp=DOWN))


def test_it_holds_the_prop_where_the_grasp_says_and_the_rest_stands_on_the_table(world, held_scene):
    first = world.load(held_scene)
    assert (first.held, first.seq, first.grasped, first.released) == ('a', 0, (), ())
    at = first.tool.inverse() @ first.pose('a')
    assert at.distance(DOWN.inverse()) < 3e-3 and at.angle(DOWN.inverse()) < 0.03
    assert first.opening == pytest.approx(0.042, abs=1e-3)
    assert not first.touches('a', 'table') and first.touches('b', 'table')


def test_it_keeps_the_prop_and_does_the_same_again(world, held_scene):
    first = world.load(held_scene)
    last = steps(world, 60)[-1]
    assert last.held == 'a'
    assert (first.tool.inverse() @ first.pose('a')).distance(last.tool.inverse() @ last.pose('a')) < 1e-3
    assert state_hash(world.load(loads(dumps(held_scene)))) == state_hash(first)


def test_cups_hold_too(engine):
    world = engines.world(robot('panda_vacuum'), engine)
    first = world.load(Scene((prop('a', size=(0.08, 0.08, 0.042)),), robot=RobotStart(held='a', grasp=ON_TOP)))
    assert first.held == 'a'
    assert steps(world, 40)[-1].held == 'a'
    world.close()


@pytest.mark.parametrize(
    'grasp', [Pose((0.0, 0.0, 0.1), DOWN.orientation), Pose((0.0, 0.06, 0.0), DOWN.orientation)], ids=['above', 'beside']
)
def test_a_grasp_that_misses_is_refused(world, grasp):
    with pytest.raises(SceneError, match=r"hold 'a' at the start|did not come to rest"):
        world.load(Scene((prop('a'),), robot=RobotStart(held='a', grasp=grasp)))


def test_what_is_not_there_or_cannot_be_moved_cannot_be_held():
    with pytest.raises(SceneError, match="no prop called 'b'"):
        Scene((prop('a'),), robot=RobotStart(held='b'))
    for change in ({'fixed': True}, {'ghost': True}):
        with pytest.raises(SceneError, match='which is fixed or a ghost'):
            Scene((prop('a', **change),), robot=RobotStart(held='a'))


def test_a_pose_of_choice(world, planner):
    joints = reach(planner, Pose((0.45, 0.1, 0.2), DOWN.orientation), PROFILE.home)
    first = world.load(Scene((prop('a'),), robot=RobotStart(joints, held='a', grasp=DOWN)))
    assert first.held == 'a'
    assert first.pose('a').distance(Pose((0.45, 0.1, 0.2))) < 3e-3

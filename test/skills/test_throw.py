"""Throwing, by physics: what hits, and the endings that are no throw."""

from dataclasses import replace
from math import cos, pi, radians, sin

import numpy as np
import pytest

from test.plays import Film, Scripted, bench, episode
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.command import ToolPose, Wait
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Seal
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import RobotStart
from vlm_bench_sim.core.snapshot import TABLE
from vlm_bench_sim.core.timing import PERIOD_S
from vlm_bench_tasks.authoring import Flying, Grasped, Never, Not, Once, Toppled, Touching, all_of, then
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.skills.throw import Swing

RED, BLUE = Color('red', (1.0, 0.0, 0.0)), Color('blue', (0.0, 0.0, 1.0))
SLAB = Prop('slab', 'cube', (0.125, 0.125, 0.025), RED, 0.39, pose=Pose((0.42, 0.0, 0.013)), noun='slab')
IN_HAND = RobotStart(held='slab', grasp=Pose.from_rpy((0.0, 0.0, 0.0125), (pi, 0.0, 0.0)))
SIZES = {'plate': (0.2, 0.2, 0.01), 'post': (0.05, 0.05, 0.15), 'tall post': (0.05, 0.05, 0.25)}


def target(noun, far=0.8, bearing=0.0):
    width, _, height = size = SIZES[noun]
    at = Pose((far * cos(radians(bearing)), far * sin(radians(bearing)), height / 2 + 0.0005))
    return Prop('target', 'cube', size, BLUE, 100.0 * width**2 * height, fixed=noun == 'plate', pose=at, noun=noun)


def made(at, start=IN_HAND, slab=SLAB):
    hit = all_of(Once(Touching(slab, at)), Never(Touching(slab, TABLE)))
    fallen = (Toppled(at),) if at.noun == 'tall post' else ()
    goal = then(Flying(slab, at), hit, all_of(*fallen, Not(Grasped(slab))))
    scene = replace(episode().scene, props=(slab, at), mechanisms=(), robot=start)
    return replace(episode(), scene=scene, goal=goal, plan=None, task='test/throw')


def test_a_swing_is_at_full_speed_where_it_lets_go():
    swing = Swing(Pose((0.6, 0.0, 0.5)), (1.0, 0.0, 0.0))
    speeds, offsets = swing.speeds(), swing.offsets()
    assert (speeds[0], speeds[-1]) == (0.0, 0.0)
    assert speeds[offsets == 0.0] == 1.0
    assert np.diff(offsets) == pytest.approx((speeds[1:] + speeds[:-1]) / 2 * PERIOD_S)


def test_a_swing_faster_than_the_joints_has_no_trajectory():
    swing = Swing(Pose((0.6, 0.0, 0.5)), (1.0, 0.0, 0.0))
    profile = bench('xarm6').profile
    slow = [(0.5 * offset, *profile.home[1:]) for offset in swing.offsets()]  # rad: joint 1 at 0.5 rad/s at most
    chunk = swing.chunk(tuple(slow), profile)
    assert max(point.velocities[0] for point in chunk.points) == pytest.approx(0.5)
    assert swing.chunk(tuple((6.5 * q, *others) for q, *others in slow), profile) is None, '3.25 rad/s: too fast'
    assert swing.chunk(tuple(slow[:5]), profile) is None


@pytest.mark.slow
@pytest.mark.parametrize('noun', SIZES)
@pytest.mark.parametrize(('far', 'bearing'), [(0.75, -40.0), (0.85, 10.0)])
def test_the_expert_throws_without_a_failure(noun, far, bearing):
    run = bench('xarm6').run(made(target(noun, far, bearing)), policy('oracle'))
    assert (run.report.verdict, run.failures) == (Verdict.SUCCESS, ()), (run.report.causes, run.failures)


@pytest.mark.slow
@pytest.mark.parametrize('robot', ['panda_vacuum', 'ur5e'])
def test_what_lies_on_the_table_is_picked_up_and_thrown(robot):
    run = bench(robot).run(made(target('post'), RobotStart()), policy('oracle'))
    assert run.report.verdict is Verdict.SUCCESS, (run.report.causes, run.failures)


DOWN = Pose.from_rpy((0.0, 0.0, 0.0), (pi, 0.0, 0.0)).orientation
NEAR = target('plate', far=0.45)
TOP = SIZES['plate'][2] + SLAB.size[2]


def lowered(height):
    """Bring the slab so high above the plate, and let go."""
    place = ToolPose(Pose((*NEAR.pose.position[:2], TOP + height), DOWN), allowed=('slab', 'target'), straight=True)
    return (replace(place, pose=place.pose.shifted((0.0, 0.0, 0.15)), straight=False), place, Seal(on=False), Wait(1.0))


ENDINGS = {
    'still held': (),
    'held onto it': lowered(-0.001)[:2],
    'laid down': lowered(0.001),
    'dropped from 1 cm': lowered(0.01),
    'dropped from 15 cm': lowered(0.15),
}


@pytest.mark.slow
@pytest.mark.parametrize('ending', ENDINGS)
def test_what_is_no_throw_fails(ending):
    film = Film()
    run = bench('xarm6').run(made(NEAR), Scripted(*ENDINGS[ending]), film)
    assert run.report.verdict is Verdict.FAILURE
    touched = any(now.touches('slab', 'target') for now in film.snapshots)
    assert touched is (ending != 'still held'), 'it is as meant'
    assert film.snapshots[-1].held == ('slab' if 'held' in ending else '')


@pytest.mark.slow
def test_what_falls_short_and_slides_against_the_target_fails():
    """The expert is told to throw at a place before the post."""
    at = target('post', 0.80)
    short = Prop('short', 'zone', (0.1, 0.1, 0.002), BLUE, 0.0, pose=Pose((0.70, 0.0, 0.001)), ghost=True, noun='zone')
    wanted = made(at)
    wanted = replace(wanted, scene=replace(wanted.scene, props=(SLAB, at, short)), plan=then(Flying(SLAB, short), Not(Grasped(SLAB))))
    film = Film()
    report = bench('xarm6').run(wanted, policy('oracle'), film).report
    assert any('slab' in pair and 'target' in pair for now in film.snapshots for pair in now.touched)
    assert report.causes == ('broken: never the red slab touches the table',)

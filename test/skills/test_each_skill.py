"""Every goal word of placing, moving and touching comes true when its skill is played in the simulator."""

from dataclasses import replace
from math import pi, radians

import pytest

from test.plays import bench, episode
from vlm_bench_sim.core.codec import dumps, loads
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import TABLE
from vlm_bench_tasks.authoring import (
    AREAS,
    At,
    Grasped,
    Leaning,
    Moved,
    Never,
    Not,
    On,
    Once,
    Raised,
    Reached,
    Slid,
    Toppled,
    Touching,
    Toward,
    Turned,
    Within,
    all_of,
    any_of,
    then,
    tower,
)
from vlm_bench_tasks.policies import policy

RED, BLUE, GREEN = Color('red', (1.0, 0.0, 0.0)), Color('blue', (0.0, 0.0, 1.0)), Color('green', (0.0, 1.0, 0.0))
CUBE = Prop('cube', 'cube', (0.042,) * 3, RED, 0.073, pose=Pose.from_rpy((0.45, -0.15, 0.0215), (0.0, 0.0, 0.4)), noun='cube')
STAR = Prop('star', 'star', (0.055, 0.052, 0.035), BLUE, 0.036, 0.71, Pose((0.5, 0.15, 0.018)), noun='star')
POST = Prop('post', 'cube', (0.04, 0.04, 0.15), GREEN, 0.1, pose=Pose((0.4, 0.3, 0.0755)), noun='post')
ZONE = Prop('zone', 'zone', (0.14, 0.14, 0.002), BLUE, 0.1, pose=Pose((0.55, -0.05, 0.001)), ghost=True, noun='zone')
FLAT_TURN = radians(60.0)

GOALS = {
    'on': On(CUBE, STAR),
    'within': Within(CUBE, ZONE),
    'at': At(STAR, Pose.from_rpy((0.4, 0.0, 0.0175), (0.0, 0.0, 1.0)), near=0.01, turn=radians(5.0)),
    'moved': all_of(Moved(CUBE, 0.10), Never(Grasped(CUBE)), Not(Toppled(CUBE))),
    'slid': all_of(Slid(CUBE, Pose((0.35, 0.1, 0.0215))), Never(Grasped(CUBE))),
    'toward': all_of(Toward(CUBE, STAR), Never(Grasped(CUBE))),
    'turned': Turned(CUBE, FLAT_TURN),
    'turned and restored': then(Turned(CUBE, FLAT_TURN), At(CUBE, CUBE.pose, near=0.05, turn=radians(5.0))),
    'raised': Raised(STAR, 0.10, within=0.02),
    'leaning': Leaning(POST, radians(60.0), within=radians(5.0)),
    'grasped': all_of(Grasped(CUBE), Not(Touching(CUBE, TABLE))),
    'touched': all_of(Once(Touching(CUBE)), Not(Moved(CUBE, 0.03))),
    'toppled': Toppled(POST),
    'reached': then(Reached(Pose.from_rpy((0.5, 0.0, 0.3), (pi, 0.0, 0.0))), Reached(Pose.from_rpy((0.4, 0.2, 0.25), (pi, 0.0, 0.0)))),
    'in an area': Within(CUBE, AREAS['top_left']),
    'tower': tower((CUBE, STAR), (CUBE, STAR), place=ZONE),
    'any': any_of(On(STAR, POST), On(STAR, CUBE)),
}


def made(goal):
    scene = replace(episode().scene, props=(CUBE, POST, STAR, ZONE))
    return replace(episode(), scene=scene, goal=goal, plan=None, task='test/skills')


@pytest.mark.parametrize('word', GOALS)
def test_a_goal_survives_json(word):
    assert loads(dumps(GOALS[word])) == GOALS[word]
    assert GOALS[word].words()


@pytest.mark.slow
@pytest.mark.parametrize('word', GOALS)
def test_the_skill_of_a_word_makes_it_true(word):
    run = bench().run(made(GOALS[word]), policy('oracle'))
    assert run.report.verdict is Verdict.SUCCESS, (run.report.causes, run.failures, run.report.leaves)


@pytest.mark.slow
@pytest.mark.parametrize('goal', ['touched', 'toppled', 'moved', 'toward', 'slid'])
@pytest.mark.parametrize('robot', ['panda', 'xarm6'])
def test_a_thing_is_touched_pushed_and_toppled_without_a_grasp(robot, goal):
    """Fingers stay closed, and cups do not suck. A slender post that is touched stays where it stands."""
    what = POST if goal in ('touched', 'toppled') else CUBE
    asked = {'touched': all_of(Once(Touching(POST)), Not(Moved(POST, 0.03))), 'toppled': Toppled(POST)}.get(goal, GOALS[goal])
    run = bench(robot).run(made(all_of(asked, Never(Grasped(what)))), policy('oracle'))
    assert (run.report.verdict, run.failures) == (Verdict.SUCCESS, ()), (run.report.causes, run.failures)


@pytest.mark.slow
def test_things_change_places_by_being_pushed():
    """One by way of a free spot, and neither is grasped."""
    other = replace(CUBE, name='other', pose=Pose((0.45, 0.10, 0.0215)))
    aside = Slid(CUBE, Pose((0.35, -0.25, 0.0215)))
    ends = Slid(other, CUBE.pose), Slid(CUBE, other.pose)
    wanted = all_of(*ends, Never(Grasped(CUBE)), Never(Grasped(other)))
    scene = replace(episode().scene, props=(CUBE, other))
    run = bench('xarm6').run(replace(made(wanted), scene=scene, plan=then(aside, *ends)), policy('oracle'))
    assert run.report.verdict is Verdict.SUCCESS, (run.report.causes, run.failures)


@pytest.mark.slow
def test_a_letter_is_slid_by_its_middle():
    """The middle of a letter T is not its origin, and it may come to lie in any direction."""
    letter = Prop(
        'letter', 'letter_t', (0.10, 0.10, 0.05), RED, 0.15, pose=Pose.from_rpy((0.5, 0.2, 0.0255), (0.0, 0.0, pi)), noun='letter'
    )
    assert max(map(abs, letter.symmetry.centre)) > 0.005
    wanted = all_of(Slid(letter, Pose((0.4, -0.1, 0.0255)), near=0.01), Never(Grasped(letter)))
    scene = replace(episode().scene, props=(letter,))
    run = bench('xarm6').run(replace(made(wanted), scene=scene), policy('oracle'))
    assert (run.report.verdict, run.failures) == (Verdict.SUCCESS, ()), (run.report.causes, run.failures)


@pytest.mark.slow
def test_a_place_out_of_reach_is_not_slid_to():
    run = bench().run(made(Slid(CUBE, Pose((1.4, 0.0, 0.0215)))), policy('oracle'))
    assert run.report.verdict is Verdict.FAILURE
    assert run.failures

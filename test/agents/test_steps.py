"""A step sentence means one thing in one place of a scene, or says in a sentence why it does not."""

import pytest
from tabletop import BOTTOM_LEFT, BOTTOM_RIGHT, TOP_LEFT, TOP_RIGHT, first, moved, put, stacked, table, thing

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_tasks.agents.actor import carry_out, ways
from vlm_bench_tasks.agents.moves import understood
from vlm_bench_tasks.agents.roles import StepError, StepFault
from vlm_bench_tasks.agents.steps import LONGEST, Step, Thing, readings
from vlm_bench_tasks.agents.whereabouts import NAMED, whereabouts
from vlm_bench_tasks.goals.placing import At, Inside, On, Within
from vlm_bench_tasks.skills.clearing import free_spots

RED, BLUE = thing('red block', TOP_LEFT), thing('blue block', TOP_RIGHT)
BOWL, ZONE = thing('blue bowl', BOTTOM_LEFT), thing('green zone', BOTTOM_RIGHT)
SCENE = table(RED, BLUE, BOWL, ZONE)


def meant(text, scene=SCENE, now=None):
    move = understood(text, scene, now or first(scene))
    return move.item.name, move.target if isinstance(move.target, str) else move.target.name


@pytest.mark.parametrize(
    ('text', 'item', 'target'),
    [
        ('put the red block on the blue block', 'red_block', 'blue_block'),
        ('Put the red block in the blue bowl.', 'red_block', 'blue_bowl'),
        ('put the red block in the top right area', 'red_block', 'top right area'),
        ('pick up the red block and place it on the green zone', 'red_block', 'green_zone'),
        ('pick up the red block on the top left area and place it on the center', 'red_block', 'center'),
        ('Pick up a block in the top left area and put it onto the blue block', 'red_block', 'blue_block'),
        ('move the blue block to the table', 'blue_block', 'table'),
        ('  STACK   the red block on top of the blue block!  ', 'red_block', 'blue_block'),
        ('put the red block in the top left area in the blue bowl', 'red_block', 'blue_bowl'),
    ],
)
def test_a_step_means_a_thing_and_a_place(text, item, target):
    assert meant(text) == (item, target)


@pytest.mark.parametrize(
    ('text', 'fault', 'says'),
    [
        ('', StepFault.EMPTY, 'is empty'),
        (' \n', StepFault.EMPTY, 'is empty'),
        ('x' * 10_000, StepFault.TOO_LONG, '10000 characters'),
        ('put the red block on ' * 14, StepFault.NONSENSE, 'is not a step'),
        ('the sky is blue', StepFault.NONSENSE, "'the sky is blue' is not a step"),
        ('put the red block', StepFault.NONSENSE, 'is not a step'),
        ('put \x00 on \ud800', StepFault.NONSENSE, 'is not a step'),
        ('put the pink block on the blue block', StepFault.ABSENT, 'There is no pink block. Name one of: the red block, the blue block'),
        ('put the red block in the pink bowl', StepFault.ABSENT, 'There is no pink bowl'),
        ('put the red block in the top right area in the blue bowl', StepFault.ABSENT, 'found: in the top left area'),
        ('put the block in the blue bowl', StepFault.AMBIGUOUS, '2 things fit the block'),
        ('put the blue bowl on the red block', StepFault.IMPOSSIBLE, 'The blue bowl cannot be moved'),
        ('put the red block on the red block', StepFault.IMPOSSIBLE, 'cannot be put on itself'),
    ],
)
def test_a_step_that_means_nothing_is_an_error_sentence(text, fault, says):
    with pytest.raises(StepError) as caught:
        understood(text, SCENE, first(SCENE))
    assert caught.value.fault is fault
    assert says in str(caught.value)
    assert len(str(caught.value)) < 400


def test_no_sentence_is_read_longer_than_it_may_be():
    assert readings('put the red block on the blue block'.ljust(LONGEST)) == (Step(Thing('red'), Thing('blue')),)
    with pytest.raises(StepError, match='301 characters'):
        readings('put the red block on the blue block'.ljust(LONGEST + 1))


@pytest.mark.parametrize('text', ['put ' + 'a in ' * 56 + 'b', 'put ' + 'the red block in ' * 17, 'move' + ' ' * 200, 'put in in in in in'])
def test_a_sentence_that_goes_round_in_circles_comes_to_an_end(text):
    with pytest.raises(StepError):
        understood(text, SCENE, first(SCENE))


def test_a_step_is_read_back_as_it_was_said():
    step = Step(Thing('red', 'smaller', sole=False, place=Thing('blue', place='top left area')), Thing('', noun='bowl'))
    assert readings(step.words()) == (step,)
    assert step.words() == 'pick up a smaller red block on the blue block in the top left area and place it in the bowl'


def test_what_carries_another_block_is_not_meant_where_one_stands_free():
    one, two = thing('red block', TOP_LEFT, name='one'), thing('red block', TOP_RIGHT, name='two')
    scene = table(one, two, BLUE.at(Pose((0.4, 0.1, 0.02))))
    now = stacked(scene, first(scene), 'blue_block', 'one')
    assert meant('put the red block on the blue block', scene, now) == ('two', 'blue_block')
    assert meant('put the red block in the top right area on the blue block on a red block', scene, now) == ('two', 'blue_block')
    with pytest.raises(StepError, match='Something stands on the red block in the top left area'):
        meant('put the red block in the top left area on the table', scene, now)


def test_a_sentence_that_can_be_read_in_two_ways_is_ambiguous_only_where_both_mean_something():
    text = 'put the red block on the blue block in the green zone'
    apart = put(first(SCENE), 'blue_block', ZONE.pose.shifted((0.0, 0.0, 0.02)))
    assert meant(text, now=apart) == ('red_block', 'blue_block')
    piled = stacked(SCENE, first(SCENE), 'red_block', 'blue_block')
    assert meant(text, now=piled) == ('red_block', 'green_zone')
    assert meant('pick up the red block on the blue block and place it in the green zone', now=piled) == ('red_block', 'green_zone')


def test_a_size_is_said_where_there_are_two():
    scene = table(thing('small red block', TOP_LEFT), thing('big red block', TOP_RIGHT))
    assert meant('put the smaller red block on the bigger red block', scene) == ('small_red_block', 'big_red_block')
    assert meant('put the red small block on the large block', scene) == ('small_red_block', 'big_red_block')
    with pytest.raises(StepError, match='There is no smaller red block'):
        meant('put the smaller red block on the blue block')


@pytest.mark.parametrize(
    ('place', 'goal'), [('on the blue block', On), ('in the blue bowl', Inside), ('in the green zone', Within), ('in the center', At)]
)
def test_a_step_asks_for_a_goal_that_a_skill_can_reach_and_is_done_when_it_is_there(place, goal):
    now = first(SCENE)
    move = understood(f'put the red block {place}', SCENE, now)
    wanted = ways(move, SCENE, now)
    assert {type(way) for way in wanted} == {goal}
    assert not move.done(SCENE, now)
    after = moved(move, SCENE, now)
    assert move.done(SCENE, after)
    assert wanted[0].holds(after, now)


def test_a_free_spot_lies_in_its_area_clear_of_everything():
    spots = free_spots(RED, NAMED['bottom left area'], SCENE, first(SCENE))
    assert len(spots) == 12
    for spot in spots:
        assert 0.5 + 0.028 <= spot.position[0] <= 0.75 - 0.028
        assert -0.5 + 0.028 <= spot.position[1] <= -0.028
        assert spot.distance(BOWL.pose) > 0.12
    full = table(RED, *(thing('blue bowl', (0.53 + 0.12 * (i % 2), -0.44 + 0.1 * (i // 2)), name=f'bowl_{i}') for i in range(10)))
    with pytest.raises(StepError, match='no room left in the bottom left area'):
        ways(understood('put the red block in the bottom left area', full, first(full)), full, first(full))


def test_what_is_held_or_has_fallen_is_nowhere_on_the_table():
    from dataclasses import replace

    now = replace(put(first(SCENE), 'blue_block', Pose((1.2, 0.0, -0.6))), held='red_block')
    stands = whereabouts(SCENE, now)
    assert (stands['red_block'].spot, stands['blue_block'].spot) == ('gripper', 'floor')
    with pytest.raises(StepError, match='has fallen to the floor'):
        meant('put the blue block in the blue bowl', now=now)


@pytest.mark.parametrize('text', ['', 'nonsense', 'x' * 10_000, 'put the pink block in the blue bowl'])
def test_the_actor_answers_with_a_problem_and_raises_nothing(text):
    from vlm_bench_sim import profiles
    from vlm_bench_tasks.skills import SkillContext

    with pytest.raises(StopIteration) as ended:
        next(carry_out(text, first(SCENE), SkillContext(profiles.robot('panda'), SCENE, None)))
    assert ended.value.value.text

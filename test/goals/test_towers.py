"""Towers of whatever may lie at a level, on both sides of every tolerance, and what a tower is worth that falls."""

from dataclasses import replace
from itertools import pairwise

import pytest

from test.films import BLUE, RED, numbered, snapshot
from vlm_bench_sim.core.areas import AREAS
from vlm_bench_sim.core.codec import dumps, loads
from vlm_bench_sim.core.errors import TaskError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.objects.stock import block, zone
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Body, pair
from vlm_bench_tasks.goals.logic import All
from vlm_bench_tasks.goals.towers import LEVEL, Tower, tower
from vlm_bench_tasks.judging.watch import watch
from vlm_bench_tasks.variation.perturbing import following

REDS = tuple(replace(block(f'red_{i}', RED), pose=Pose((0.3, 0.1 * i, 0.02))) for i in range(3))
BLUES = tuple(replace(block(f'blue_{i}', BLUE), pose=Pose((0.6, 0.1 * i, 0.02))) for i in range(2))
ZONE = replace(zone('zone', BLUE), pose=Pose((0.45, -0.2, 0.0005)))
TURNS = (REDS, BLUES, REDS)  # a red one, a blue one, a red one
EVERY = (*REDS, *BLUES, ZONE)


def stacked(*names: str, x: float = 0.45, y: float = -0.2, step: tuple[float, float] = (0.0, 0.04), held: str = '', touched: str = ''):
    """All blocks where they lie, but those named in a tower, each above the one before it by (sideways, up) m."""
    poses = {name: Pose((x + i * step[0], y, 0.02 + i * step[1])) for i, name in enumerate(names)}
    pairs = [pair(*two) for two in pairwise(names)] + ([pair(touched, 'robot')] if touched else [])
    bodies = {prop.name: Body(poses.get(prop.name, prop.pose)) for prop in EVERY}
    return replace(snapshot(), bodies=bodies, touching=tuple(pairs), held=held)


def names(goal: Tower, now) -> tuple[str, ...]:
    return tuple(prop.name for prop in goal.standing(now))


@pytest.mark.parametrize('order', [('red_0', 'blue_0', 'red_1'), ('red_2', 'blue_1', 'red_0')])
def test_any_that_may_lie_there_will_do(order):
    for goal in (Tower(TURNS), Tower(TURNS, ZONE), Tower(TURNS, AREAS['top_left'])):
        now = stacked(*order)
        assert goal.holds(now, now) and goal.distance(now, now) == 0.0 and names(goal, now) == order


@pytest.mark.parametrize(
    ('order', 'stands'),
    [
        (('blue_0', 'red_0', 'blue_1'), ('red_0', 'blue_1')),
        (('red_0', 'red_1', 'blue_0'), ('red_1', 'blue_0')),
        (('red_0', 'blue_0'), ('red_0', 'blue_0')),
        ((), ('red_0',)),
    ],
)
def test_the_order_of_kinds_counts(order, stands):
    now = stacked(*order)
    assert not Tower(TURNS).holds(now, now) and names(Tower(TURNS), now) == stands


@pytest.mark.parametrize(
    ('step', 'holds'),
    [
        ((0.0, 0.0449), True), ((0.0, 0.0451), False),  # 5 mm over what it lies on
        ((0.0199, 0.04), True), ((0.0201, 0.04), False),  # its middle over the outline below
    ],
)  # fmt: skip
def test_each_link_is_what_on_demands(step, holds):
    now = stacked('red_0', 'blue_0', step=step)
    goal = Tower((REDS, BLUES))
    assert goal.holds(now, now) is holds and (goal.distance(now, now) == 0.0) is holds


@pytest.mark.parametrize(('x', 'holds'), [(0.5099, True), (0.5101, False)])  # half of the outline over a zone of 0.12 m
def test_the_lowest_lies_in_the_place(x, holds):
    now = stacked('red_0', 'blue_0', 'red_1', x=x)
    goal = Tower(TURNS, ZONE)
    assert goal.holds(now, now) is holds and (goal.distance(now, now) == 0.0) is holds


def test_the_lowest_lies_on_the_ground():
    now = stacked('blue_0', 'red_0')
    assert names(Tower((REDS,), ZONE), now) == ()
    assert Tower((BLUES,), ZONE).holds(now, now)


def test_what_is_held_or_touched_is_not_yet_part_of_it():
    for now in (stacked('red_0', 'blue_0', 'red_1', held='red_1'), stacked('red_0', 'blue_0', 'red_1', touched='red_1')):
        assert names(Tower(TURNS), now) == ('red_0', 'blue_0')
        assert Tower(TURNS).distance(now, now) == 0.0  # nothing but a release is missing


def test_what_it_has_seen_makes_it_no_other_goal():
    """It keeps what stands in the newest snapshot, which is nobody's business."""
    goal, same = Tower(TURNS), Tower(TURNS)
    tall, low = stacked('red_0', 'blue_0', 'red_1'), stacked('red_0', 'blue_0')
    assert [goal.holds(now, now) for now in (tall, low, tall)] == [True, False, True]
    assert goal == same and hash(goal) == hash(same) and dumps(goal) == dumps(same) and repr(goal) == repr(same)


def test_the_distance_counts_the_levels_after_the_next():
    now = stacked('red_0')
    goal = Tower(TURNS, ZONE)
    assert goal.distance(now, now) > 2 * LEVEL - 1e-9
    assert goal.distance(now, now) > goal.distance(stacked('red_0', 'blue_0'), now) > 0.0


def test_each_step_counts_and_what_has_fallen_counts_no_more():
    goal = tower(REDS, BLUES, REDS, place=ZONE)
    film = numbered([stacked(), stacked('red_0'), stacked('red_0', 'blue_0'), stacked('red_0', 'blue_0', 'red_1'), stacked('red_0')])
    watching = watch(goal, film[0])
    made = []
    for now in film:
        watching.see(now)
        made.append((watching.made, watching.holds))
    assert watching.total == 3
    assert made == [(0, False), (1, False), (2, False), (3, True), (1, False)]


def test_a_tower_is_counted_from_its_second_level_where_it_may_stand_anywhere():
    assert [len(part.levels) for part in tower(REDS, REDS, REDS).parts] == [2, 3]
    assert [len(part.levels) for part in tower(REDS, REDS, place=ZONE).parts] == [1, 2]
    assert isinstance(tower(REDS, REDS), All)


def test_it_says_itself_each_part_in_other_words():
    said = [part.words() for part in tower(REDS, BLUES[:1], (REDS[0], BLUES[1]), place=AREAS['center']).parts]
    assert said[-1] == 'a tower stands in the center: any red block, on it the blue block, on it one of the red block, the blue block'
    assert len(set(said)) == 3


def test_it_survives_json_and_goes_up_with_the_table():
    goal = Tower(TURNS, AREAS['top_left'])
    assert loads(dumps(goal)) == goal
    raised = following(goal, *_tables())
    assert raised.place.pose.position[2] == pytest.approx(0.05)


def _tables():
    before = Scene(EVERY)
    return before, replace(before, table=replace(before.table, box=replace(before.table.box, centre=(0.35, 0.0, 0.03))))


@pytest.mark.parametrize(('levels', 'place'), [((REDS,), None), ((), ZONE), ((REDS, ()), ZONE)])
def test_a_tower_of_nothing_is_refused(levels, place):
    with pytest.raises(TaskError, match='A tower needs two or more levels'):
        Tower(levels, place)

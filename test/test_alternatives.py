"""What other sentences would have asked for: every other choice of things, and no plan that nobody could ask for."""

from dataclasses import replace

import numpy as np
import pytest

from test.films import BLUE, CUBE, TRAY
from vlm_bench_sim.core.codec import dumps, loads
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.scene import Scene
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.alternatives import MOST, alternatives, at_start
from vlm_bench_tasks.goals.logic import Held, Not, all_of, then
from vlm_bench_tasks.goals.placing import Inside
from vlm_bench_tasks.language.references import ByColor, ByNoun

OTHER = replace(CUBE, name='object_2', color=BLUE, pose=Pose((0.4, -0.2, 0.02)))
SPARE = replace(TRAY, name='container_2', pose=Pose((0.4, 0.3, 0.025)))
SCENE = Scene((CUBE, OTHER, TRAY, SPARE))
REFS = {'item': ByColor('object_1'), 'box': ByColor('container_1')}
GOAL = Inside(CUBE, TRAY)


def test_every_other_choice_of_things_of_the_same_noun_is_an_alternative():
    assert set(alternatives(SCENE, GOAL, REFS)) == {Inside(CUBE, SPARE), Inside(OTHER, TRAY), Inside(OTHER, SPARE)}


def test_only_what_a_reference_means_is_exchanged():
    assert alternatives(SCENE, GOAL, {'item': ByColor('object_1')}) == (Inside(OTHER, TRAY),)
    assert alternatives(SCENE, GOAL, {}) == ()


def test_things_are_exchanged_however_deep_they_stand():
    plan = then(GOAL, all_of(Held(GOAL, 2.0), Inside(OTHER, TRAY)))
    refs = {'a': ByColor('object_1'), 'b': ByColor('object_2')}
    (other,) = alternatives(SCENE, plan, refs)
    assert other == then(Inside(OTHER, TRAY), all_of(Held(Inside(OTHER, TRAY), 2.0), GOAL))


def test_what_comes_to_the_same_is_no_alternative():
    both = all_of(GOAL, Inside(OTHER, TRAY))
    refs = {'a': ByColor('object_1'), 'b': ByColor('object_2')}
    assert all_of(Inside(OTHER, TRAY), GOAL) in alternatives(SCENE, both, refs)
    assert alternatives(Scene((CUBE, TRAY)), GOAL, REFS) == ()


def test_a_plan_that_cannot_be_is_left_out():
    twin = replace(TRAY, name='object_2', kind='cube')
    scene = Scene((TRAY, replace(twin, noun='container'), CUBE))
    assert alternatives(scene, GOAL, {'box': ByNoun('container_1')}) == ()


def test_there_are_never_more_than_a_few():
    many = tuple(replace(CUBE, name=f'object_{i}') for i in range(1, 60))
    assert len(alternatives(Scene((*many, TRAY)), GOAL, REFS)) == MOST


@pytest.mark.parametrize('axis', catalogue.task('vlmbench/pick_place').axes)
def test_episodes_carry_them(axis):
    episode = catalogue.build('vlmbench/pick_place', 'seen', 0, axis)
    solids = sum(prop.noun == 'object' for prop in episode.scene.props)
    assert len(episode.alternatives) == 2 * solids - 1
    assert episode.goal not in episode.alternatives
    assert loads(dumps(episode)) == episode


@pytest.mark.parametrize(('task', 'axis'), [('vlmbench/pick_place', 'color'), ('vlmbench/shape_sorter', 'shape')])
def test_the_place_of_the_right_plan_among_all_is_drawn(task, axis):
    """Names are drawn, and names order them."""
    episodes = [catalogue.build(task, 'seen', seed, axis) for seed in range(60)]
    firsts = sum(min((episode.goal, *episode.alternatives), key=dumps) == episode.goal for episode in episodes)
    chances = [1 / (1 + len(episode.alternatives)) for episode in episodes]
    assert firsts == pytest.approx(sum(chances), abs=3 * np.sqrt(sum(p * (1 - p) for p in chances)))


@pytest.mark.parametrize(
    ('task', 'axis', 'counts'),
    [
        ('vlmbench/stack', 'shape', {1, 5, 11, 23}),  # two to four shapes, two or three of them in any order
        ('vlmbench/stack', 'relative', {11}),
        ('vlmbench/drawer', 'level', {5}),
        ('vlmbench/door', 'amount', {1}),
        ('vlmbench/wipe', 'direction', {1}),
        ('vlmbench/pour', 'color', {1}),
        ('vlmbench/pour', 'size', {0}),  # one mug is full, one is empty: nothing else can be asked for
    ],
)
def test_tasks_say_what_else_could_be_asked_for(task, axis, counts):
    found = [catalogue.build(task, 'seen', seed, axis) for seed in range(12)]
    assert {len(episode.alternatives) for episode in found} <= counts
    for episode in found:
        start = at_start(episode.scene)
        assert episode.goal not in episode.alternatives
        assert len(set(episode.alternatives)) == len(episode.alternatives)
        assert not any(other.holds(start, start) for other in episode.alternatives)


def test_what_is_so_already_is_no_alternative():
    (inside,) = (replace(CUBE, pose=TRAY.pose.shifted((0.0, 0.0, 0.005))),)
    scene = Scene((inside, OTHER, TRAY))
    assert alternatives(scene, Inside(OTHER, TRAY), {'item': ByColor('object_2')}) == ()


def test_alternatives_that_a_task_names_stand_for_all_each_once():
    named = (GOAL, Inside(CUBE, SPARE), Not(Inside(CUBE, SPARE)), Inside(CUBE, SPARE))
    assert alternatives(SCENE, GOAL, {'item': ByColor('object_1')}, named) == (Inside(CUBE, SPARE),)

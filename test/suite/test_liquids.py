"""Mugs, water, areas and dirt as they are drawn: what varies along each axis, where they lie, and that chance alone decides."""

from functools import cache
from itertools import product

import numpy as np
import pytest

from vlm_bench_sim.core.matter import fill
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.goals.outlines import inward, outline
from vlm_bench_tasks.suite.vlmbench._liquids import CUPFUL, REACHED, SPECKS

SEEDS = range(3)


@cache
def built(task: str, axis: str, split: str = 'seen'):
    return [catalogue.build(f'vlmbench/{task}', split, seed, axis) for seed in SEEDS]


def called(episode, noun: str):
    return [prop for prop in episode.scene.props if prop.noun == noun]


@pytest.mark.parametrize(('axis', 'count'), [('color', 3), ('relative', 2), ('size', 2)])
@pytest.mark.parametrize('split', ['seen', 'unseen'])
def test_one_of_so_many_mugs_is_full_and_the_others_are_empty(axis, count, split):
    for episode in built('pour', axis, split):
        mugs = called(episode, 'mug')
        (water,) = episode.scene.beads
        assert len(mugs) == count and len({mug.kind for mug in mugs}) == 1 and len(water.centres) == CUPFUL
        assert sorted(fill(mug, water.centres) for mug in mugs) == [0.0] * (count - 1) + [1.0]
        source, receiver = (episode.scene.prop(episode.instruction.refs[blank].prop) for blank in ('source', 'receiver'))
        assert fill(source, water.centres) == 1.0 and episode.goal.receiver == receiver


def test_new_mugs_and_areas_are_unseen_ones_and_colors_keep_to_their_axis():
    for axis in ('relative', 'size'):
        assert {prop.kind for e in built('pour', axis, 'unseen') for prop in called(e, 'mug')} <= {'mug5', 'mug6'}
        assert {prop.kind for e in built('pour', axis) for prop in called(e, 'mug')} <= {'mug1', 'mug2', 'mug3', 'mug4'}
    new = {'cross_area', 'flower_area'}
    assert {prop.kind for e in built('wipe', 'shape', 'unseen') for prop in called(e, 'area')} == new
    assert not {prop.kind for e in built('wipe', 'color', 'unseen') for prop in called(e, 'area')} & new


def test_of_two_sizes_one_is_clearly_larger():
    for task, noun in (('pour', 'mug'), ('wipe', 'area')):
        for episode in built(task, 'size'):
            a, b = (prop.size[0] for prop in called(episode, noun))
            assert max(a, b) / min(a, b) >= 1.0 / 0.9 - 1e-9


@pytest.mark.parametrize('axis', ['color', 'relative', 'shape', 'size', 'direction'])
@pytest.mark.parametrize('split', ['seen', 'unseen'])
def test_every_area_carries_its_own_dirt_and_the_sponge_lies_beside_it(axis, split):
    for episode in built('wipe', axis, split):
        scene, areas = episode.scene, called(episode, 'area')
        (sponge,) = called(episode, 'sponge')
        assert len(areas) == len(scene.dirt) in ((2, 3) if axis == 'shape' else (2,))
        assert all(area.ghost for area in areas)
        for patch in scene.dirt:
            (area,) = (one for one in areas if patch.name.startswith(one.name))
            assert len(patch.centres) == SPECKS and patch.wiper == sponge.name
            own = area.pose.inverse().apply(patch.centres)
            assert (np.abs(own[:, :2]) < np.asarray(area.size[:2]) / 2).all()
            assert own[:, 2] == pytest.approx((area.size[2] + patch.size[2]) / 2, abs=1e-9)
            assert np.hypot(*np.array(patch.centres)[:, :2].T).max() < 0.76
            assert max(inward(outline(sponge, sponge.pose), np.array(centre[:2])) for centre in patch.centres) < 0
        for area in areas:
            x, y, _ = area.pose.position
            assert REACHED.x[0] <= x <= REACHED.x[1] and REACHED.y[0] <= y <= REACHED.y[1]
        for area, patch in product(areas, scene.dirt):
            apart = max(inward(outline(area, area.pose), np.array(centre[:2])) for centre in patch.centres)
            assert (apart > 0) == patch.name.startswith(area.name)


def test_dirt_lies_on_a_line_where_an_area_has_a_direction_and_on_a_disc_elsewhere():
    spread: dict[bool, list[float]] = {True: [], False: []}
    for episode in [*built('wipe', 'shape'), *built('wipe', 'direction', 'unseen'), *built('wipe', 'shape', 'unseen')]:
        for patch in episode.scene.dirt:
            area = episode.scene.prop(patch.name.removesuffix('_dirt'))
            own = area.pose.inverse().apply(patch.centres)
            spread[area.kind in ('rectangle_area', 'triangle_area', 'cross_area')].append(float(own[:, 1].std()))
    assert spread[True] and all(0.003 < s < 0.007 for s in spread[True])
    assert spread[False] and all(s > 0.02 for s in spread[False])


def test_along_direction_one_area_lies_vertically_and_one_horizontally():
    for episode in built('wipe', 'direction'):
        turns = sorted(abs(np.sin(area.pose.yaw)) for area in called(episode, 'area'))
        assert turns[0] <= np.sin(np.radians(22.5)) + 1e-9 and turns[1] >= np.cos(np.radians(22.5)) - 1e-9
        assert 'vertical' in episode.instruction.text or 'horizontal' in episode.instruction.text


def test_other_sentences_ask_for_other_areas_and_other_mugs():
    for episode in built('wipe', 'color'):
        (other,) = (goal for goal in episode.alternatives)
        assert other.area != episode.goal.area and other.dirt.name.startswith(other.area.name)
    for episode in built('pour', 'color'):
        assert {goal.receiver.name for goal in episode.alternatives} == {
            mug.name for mug in called(episode, 'mug') if mug != episode.goal.receiver and fill(mug, episode.goal.beads.centres) == 0.0
        }

"""What LoHoRavens lays: where it may stand, in which colors and sizes, under which names; splits and their seeds."""

from itertools import combinations

import numpy as np
import pytest

from vlm_bench_sim.core.areas import AREAS
from vlm_bench_sim.core.errors import SceneError, SplitError, TaskError
from vlm_bench_sim.core.objects.stock import COLORS
from vlm_bench_sim.core.scene import Scene, footprint
from vlm_bench_tasks import catalogue, settings
from vlm_bench_tasks.alternatives import at_start
from vlm_bench_tasks.goals.outlines import inward, outline, rectangle
from vlm_bench_tasks.goals.placing import Within
from vlm_bench_tasks.language.sizes import BySizedColor
from vlm_bench_tasks.suite.lohoravens._props import SPAN, TALL, Block, Draw
from vlm_bench_tasks.variation.streams import Streams

SPLITS = settings.splits('lohoravens')
SEEDS = range(12)


def draw(seed: int = 0, split: str = 'train', axis: str = 'color') -> Draw:
    return Draw(Streams('lohoravens/any', split, seed), SPLITS.along(axis, split), axis=axis, workspace=settings.workspace())


def corners(prop):
    return outline(prop, prop.pose)


def test_splits_share_no_color_with_what_one_learns_from():
    pools = {name: {color.name for color in pool.color} for name, pool in SPLITS.pools.items()}
    assert not pools['train'] & (pools['val'] | pools['test'])
    assert {name: len(names) for name, names in pools.items()} == {'train': 7, 'val': 7, 'test': 7}
    published = [c for pool in SPLITS.pools.values() for c in pool.color if c.name in COLORS]
    assert len({c.name for c in published}) == len(COLORS)
    assert all(c.rgb == pytest.approx(COLORS[c.name].rgb, abs=0.002) for c in published)


def test_the_seeds_of_splits_are_as_many_as_published_and_disjoint():
    seeds = SPLITS.seeds
    assert {name: len(found) for name, found in seeds.items()} == {'train': 1000, 'val': 200, 'test': 200}
    assert all(not set(a) & set(b) for a, b in combinations(seeds.values(), 2))
    assert catalogue.seeds('vlmbench/stack', 'seen') is None
    with pytest.raises(SplitError, match=r"has no split called 'sen'. Did you mean seen"):
        catalogue.seeds('vlmbench/stack', 'sen')


@pytest.mark.parametrize('seed', SEEDS)
def test_a_full_table_has_room_within_reach(seed):
    ours = draw(seed)
    every = ours.colors(7)
    laid = (*ours.bowls(*every[:5], loose=every[5:]), *ours.blocks(*(Block(color) for color in every)))
    assert all(a.pose.distance(b.pose) > footprint(a) + footprint(b) for a, b in combinations(laid, 2))
    low, high = settings.workspace().reach
    for prop in laid:
        x, y, _ = prop.pose.position
        assert SPAN['x'][0] <= x <= SPAN['x'][1] and SPAN['y'][0] <= y <= SPAN['y'][1] and low <= np.hypot(x, y) <= high
    assert [prop.fixed for prop in laid] == [True] * 5 + [False] * 9


@pytest.mark.parametrize('name', ['top_left', 'bottom_right'])
def test_blocks_lie_in_the_area_that_is_asked_for_or_out_of_it(name):
    area, other = AREAS[name], AREAS['top_right']
    edges = rectangle(area.size, area.pose)
    for seed in SEEDS:
        colors = draw(seed).colors(6)
        wanted = [Block(c, within=area) for c in colors[:3]] + [Block(c, 'big', outside=(area, other)) for c in colors[3:]]
        blocks = draw(seed).blocks(*wanted)
        for block in blocks[:3]:
            assert all(inward(edges, corner) >= 0 for corner in corners(block))
        for block in blocks[3:]:
            assert all(inward(edges, corner) <= 0 for corner in corners(block))
            assert all(inward(rectangle(other.size, other.pose), corner) <= 0 for corner in corners(block))


def test_no_block_starts_in_a_zone_and_zones_for_towers_are_near():
    for seed in SEEDS:
        ours = draw(seed)
        zones = ours.zones(*ours.colors(3), side=0.15, tall=True)
        blocks = ours.blocks(*(Block(color, size) for color in ours.colors(4) for size in ('small', 'big')))
        now = at_start(Scene((*zones, *blocks)))
        assert not any(Within(block, zone, share=1e-6).holds(now, now) for block in blocks for zone in zones)
        assert all(np.hypot(*zone.pose.position[:2]) <= TALL for zone in zones)


def test_blocks_of_two_sizes_are_told_apart_in_words():
    ours = draw(axis='size')
    red, blue = ours.colors(2)
    small, big, other = ours.blocks(Block(red), Block(red, 'big'), Block(blue, 'big'))
    scene = ours.table(small, big, other)
    assert (small.size[0], big.size[0], small.mass) == (0.04, 0.06, big.mass)
    for prop, words in ((small, 'smaller'), (big, 'bigger')):
        ref = ours.ref(prop)
        assert ref == BySizedColor(prop.name)
        assert ref.words(scene) == f'the {words} {red.name} block'
        assert ref.denotes(scene) == (prop.name,)
    assert ours.blocks(Block(red))[0].noun == 'block'


def test_names_tell_nothing():
    first = {draw(seed).blocks(*(Block(c) for c in draw(seed).colors(4)))[0].name for seed in range(40)}
    assert first == {'block_1', 'block_2', 'block_3', 'block_4'}


def test_what_has_no_room_is_an_error():
    ours = draw()
    with pytest.raises(SceneError, match='No place was found'):
        ours.blocks(*(Block(ours.colors(1)[0], 'big', within=AREAS['center']) for _ in range(4)))
    with pytest.raises(TaskError, match='8 more colors were requested'):
        ours.colors(8)

"""Draw: streams of chance that do not disturb each other, pools that a split bounds, and props that neither overlap nor give hints."""

from dataclasses import replace
from itertools import combinations
from math import hypot, pi

import numpy as np
import pytest

from vlm_bench_sim.core.errors import SceneError, SplitError, TaskError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import read_look
from vlm_bench_sim.core.objects.models import MODELS, model
from vlm_bench_sim.core.props import Color
from vlm_bench_sim.core.shapes import kinds
from vlm_bench_tasks.language.looks import ByLook
from vlm_bench_tasks.language.references import ByColor, ByShape, side
from vlm_bench_tasks.variation.draw import Draw
from vlm_bench_tasks.variation.placement import Spacing, Workspace, gap, place
from vlm_bench_tasks.variation.pools import Pools, Splits
from vlm_bench_tasks.variation.streams import Streams

COLORS = tuple(Color(name, (0.1 * i, 0.0, 0.0)) for i, name in enumerate(('red', 'green', 'blue', 'gold')))
POOLS = Pools(COLORS, {'solid': ('cube', 'star')})


def draw(seed: int = 0, axis: str = 'color', workspace: Workspace | None = None) -> Draw:
    return Draw(Streams('family/task', 'seen', seed), POOLS, axis=axis, workspace=workspace or Workspace())


def test_a_stream_depends_on_task_split_seed_and_name_alone():
    streams = Streams('a/b', 'seen', 7)
    first = streams.generator('layout').random(4).tolist()
    streams.generator('looks').random(9)
    assert streams.generator('layout').random(4).tolist() == first
    others = [Streams('a/c', 'seen', 7), Streams('a/b', 'unseen', 7), Streams('a/b', 'seen', 8)]
    drawn = [tuple(other.generator('layout').random(4)) for other in others] + [tuple(streams.generator('looks').random(4))]
    assert len({tuple(first), *drawn}) == 5


def test_the_streams_never_change():
    streams = Streams('vlmbench/pick_place', 'seen', 0)
    # printf '["vlmbench/pick_place", "seen", 0, "planner/0"]' | sha256sum | head -c 32
    assert streams.seed('planner/0') == 0xAF81BD07682B8072AA7B58B588FEA888 % (2**31 - 1) + 1
    assert streams.generator('layout').integers(1 << 30, size=3).tolist() == [418582919, 674398276, 739379901]


def test_seeds_for_libraries_fit_in_31_bits_and_are_never_zero():
    seeds = [Streams('a/b', 'seen', 0).seed(f'planner/{n}') for n in range(200)]
    assert len(set(seeds)) == 200
    assert all(0 < seed < 2**31 for seed in seeds)


@pytest.mark.parametrize('seed', [-1, 1.0, True, '3'])
def test_a_seed_is_a_whole_number_from_zero(seed):
    with pytest.raises(TaskError, match=r'A seed is a whole number from 0'):
        Streams('a/b', 'seen', seed)


def test_along_one_axis_only_that_pool_comes_from_the_split():
    seen, unseen = Pools(COLORS[:3], {'solid': ('cube',)}), Pools(COLORS[3:], {'solid': ('star',)})
    splits = Splits('seen', {'seen': seen, 'unseen': unseen})
    assert splits.along('color', 'unseen') == Pools(COLORS[3:], {'solid': ('cube',)})
    assert splits.along('shape', 'unseen') == Pools(COLORS[:3], {'solid': ('star',)})
    assert splits.along('color', 'seen') == seen
    with pytest.raises(SplitError, match=r"no split called 'unsen'. Did you mean unseen"):
        splits.along('color', 'unsen')
    with pytest.raises(TaskError, match=r"There is no axis called 'colour'. Did you mean color"):
        splits.along('colour', 'seen')
    with pytest.raises(TypeError):
        splits.pools['seen'] = unseen


IN_ROOMS = Pools(COLORS, {'solid': ('cube', 'star')}, room=('room0', 'room3'), palette=('room16', 'room17'))


def around(seed: int, axis: str, pools: Pools = IN_ROOMS) -> Draw:
    return Draw(Streams('family/task', 'seen', seed), pools, axis=axis, workspace=Workspace())


def test_the_table_stands_in_a_room_of_the_pool_and_along_the_palette_in_the_look_of_another():
    plain = [around(seed, 'color').table().room for seed in range(40)]
    crossed = [around(seed, 'palette').table().room for seed in range(40)]
    assert set(plain) == {'room0', 'room3'}
    assert set(crossed) == {f'{furnished}~{painted}' for furnished in IN_ROOMS.room for painted in IN_ROOMS.palette}
    assert [name.partition('~')[0] for name in crossed] == plain
    own = Pools((), {}, room=('room3',))
    assert around(0, 'palette', own).table().room == 'room3'


def test_a_room_changes_no_other_draw():
    scenes = [around(5, 'color', pools) for pools in (POOLS, IN_ROOMS)]
    without, within = (drawn.table(*drawn.solids(3)) for drawn in scenes)
    assert (without.room, within.room != '') == ('', True)
    assert replace(within, room='') == without


def test_without_rooms_there_is_no_palette_to_vary():
    with pytest.raises(SplitError, match=r"axis 'palette' varies the looks of rooms; the split holds none. Add a pool `room`"):
        around(0, 'palette', POOLS).table()


def test_every_model_has_a_shape_and_its_mass_grows_with_its_volume():
    assert MODELS.keys() <= set(kinds())
    cube = model('cube').prop('x', noun='object', color=COLORS[0], scale=1.2)
    assert cube.size == pytest.approx((0.0504, 0.0504, 0.0504))
    assert cube.mass == pytest.approx(0.073 * 1.728)
    assert (cube.friction, model('star').friction) == (1.0, 0.71)
    with pytest.raises(TaskError, match=r"no model of a 'kube'. Did you mean cube"):
        model('kube')


def test_solids_share_a_shape_and_differ_in_color():
    for seed in range(30):
        props = draw(seed).solids(3, scale=(0.8, 1.2))
        assert len({prop.kind for prop in props}) == 1
        assert len({prop.color for prop in props}) == 3
        for prop in props:
            assert 0.8 <= prop.size[2] / model(prop.kind).size[2] <= 1.2


def test_later_draws_of_a_noun_take_other_colors_and_names():
    drawn = draw()
    props = (*drawn.solids(2), *drawn.solids(2))
    assert len({prop.color for prop in props}) == 4
    assert sorted(prop.name for prop in props) == ['object_1', 'object_2', 'object_3', 'object_4']
    with pytest.raises(TaskError, match=r'1 more colors were requested; the split holds 0 unused ones'):
        drawn.solids(1)


def test_names_and_order_do_not_tell_which_prop_is_meant():
    firsts = [draw(seed).solids(2)[0].name for seed in range(60)]
    assert 15 < firsts.count('object_1') < 45
    drawn = draw()
    boxes, items = drawn.trays(2), drawn.solids(2)
    names = ['container_1', 'container_2', 'object_1', 'object_2']
    assert [prop.name for prop in drawn.table(*items, *boxes).props] == names


def test_props_stand_apart_within_reach_and_on_the_table():
    for seed in range(100):
        drawn = draw(seed)
        props = (*drawn.trays(2), *drawn.solids(2, scale=(0.8, 1.2)))
        for prop in props:
            x, y, z = prop.pose.position
            assert 0.30 <= x <= 0.65 and -0.35 <= y <= 0.35 and 0.30 <= hypot(x, y) <= 0.72
            assert 0.0 <= z - prop.size[2] / 2 <= 0.001
            assert prop.pose.rotation[2, 2] == pytest.approx(1.0)
        for a, b in combinations(props, 2):
            radii = [hypot(prop.size[0], prop.size[1]) / 2 for prop in (a, b)]
            assert a.pose.distance(b.pose) >= sum(radii) + 0.0299
            if a.noun == b.noun:
                assert hypot(*np.subtract(a.pose.position, b.pose.position)[:2]) >= {'object': 0.10, 'container': 0.25}[a.noun]


def test_yaw_and_place_are_spread_over_all_there_is():
    props = [draw(seed).solids(1)[0] for seed in range(300)]
    yaws = [prop.pose.yaw for prop in props]
    assert min(yaws) < -0.95 * pi and max(yaws) > 0.95 * pi and abs(np.mean(yaws)) < 0.4
    assert np.ptp([prop.pose.position[1] for prop in props]) > 0.66


def test_a_placement_that_cannot_be_names_remedies():
    cube = model('cube').prop('object_1', noun='object', color=COLORS[0])
    nowhere = Workspace(x=(0.1, 0.2), y=(0.0, 0.1))
    with pytest.raises(SceneError, match=r"No place was found in 2000 tries for 'object_1'.*draw fewer, make them smaller"):
        place(cube, (), spacing=Spacing(0.1, 0.03), workspace=nowhere, chance=np.random.default_rng(0))
    full = Workspace(x=(0.40, 0.45), y=(0.0, 0.05))
    with pytest.raises(SceneError, match=r'Draw large props first'):
        draw(workspace=full).solids(2)


def test_only_drawn_props_come_on_the_table():
    drawn = draw()
    (cube,) = drawn.solids(1)
    moved = cube.at(cube.pose.shifted((0.1, 0, 0)))
    with pytest.raises(SceneError, match=r'was not drawn by this Draw'):
        drawn.table(moved)
    assert drawn.table(cube).props == (cube,)


def test_references_follow_the_axis():
    drawn = draw()
    (cube,) = drawn.solids(1)
    assert drawn.ref(cube) == ByColor(cube.name)
    with pytest.raises(TaskError, match=r"no words for the axis 'colour'. Did you mean color"):
        draw(axis='colour').ref(replace(cube))


@pytest.mark.parametrize('axis', ['color', 'shape', 'size', 'relative'])
def test_along_each_axis_the_words_fit_exactly_the_prop_that_is_meant(axis):
    for seed in range(40):
        chance = draw(seed, axis)
        (box, spare), (item, *others) = chance.trays(2), chance.solids(2, scale=(0.8, 1.2))
        scene = chance.table(box, spare, item, *others)
        for prop in (box, item):
            ref = chance.ref(prop)
            assert ref.denotes(scene) == (prop.name,), (seed, ref.words(scene))


def test_along_the_axis_of_shape_every_solid_has_another_and_containers_are_told_apart_by_color():
    counts = set()
    for seed in range(30):
        chance = Draw(
            Streams('family/task', 'seen', seed), Pools(COLORS, {'solid': ('cube', 'star', 'moon')}), axis='shape', workspace=Workspace()
        )
        box, _ = chance.trays(2)
        item, *others = chance.solids(2)
        kinds_drawn = [prop.kind for prop in (item, *others)]
        counts.add(len(kinds_drawn))
        assert len(set(kinds_drawn)) == len(kinds_drawn)
        assert chance.ref(item) == ByShape(item.name)
        assert chance.ref(box) == ByColor(box.name)
    assert counts == {2, 3}


def test_along_the_axis_of_size_each_range_is_used_once_and_any_of_them_is_meant():
    meant = set()
    for seed in range(20):
        props = draw(seed, 'size').solids(2, sizes=((0.6, 0.9), (1.1, 1.2)))
        factors = [prop.size[0] / model(prop.kind).size[0] for prop in props]
        assert 0.6 <= min(factors) <= 0.9 < 1.1 <= max(factors) <= 1.2
        meant.add(factors[0] > 1)
    assert meant == {True, False}
    with pytest.raises(TaskError, match='one range for each'):
        draw(0, 'size').solids(3)


def test_along_the_axis_of_sides_all_four_are_drawn_and_none_is_near_the_next():
    seen = set()
    for seed in range(60):
        first, second = draw(seed, 'relative').solids(2)
        x, y = (a - b for a, b in zip(first.pose.position[:2], second.pose.position[:2], strict=True))
        small, large = sorted((abs(x), abs(y)))
        assert small <= 0.7 * large + 1e-9
        seen.add(side(first, second))
    assert seen == {'left', 'right', 'front', 'rear'}
    with pytest.raises(TaskError, match='Draw two'):
        draw(0, 'relative').solids(3)


def test_an_axis_without_a_pool_takes_all_that_the_split_holds():
    seen, unseen = Pools(COLORS[:3], {'solid': ('cube',)}), Pools(COLORS[3:], {'solid': ('star',)})
    splits = Splits('seen', {'seen': seen, 'unseen': unseen})
    assert splits.along('size', 'unseen') == splits.along('relative', 'unseen') == unseen


def test_a_group_of_shapes_that_the_split_lacks_is_named():
    with pytest.raises(SplitError, match=r"holds no shapes called 'solids'. Did you mean solid"):
        POOLS.kinds('solids')


def test_slender_props_are_kept_apart_by_rectangles():
    rod = model('cube').prop('a', noun='rod', color=COLORS[0])
    rod = replace(rod, size=(0.02, 0.30, 0.02))
    beside = replace(rod, name='b').at(Pose((0.05, 0.0, 0.0)))
    assert gap(rod, beside) == pytest.approx(0.03)
    across = replace(rod, name='b').at(Pose.from_rpy((0.20, 0.0, 0.0), (0.0, 0.0, pi / 2)))
    assert gap(rod, across) == gap(across, rod) == pytest.approx(0.04)
    assert gap(rod, across.at(Pose((0.0, 0.1, 0.0)))) < 0
    assert gap(replace(rod, size=(0.03, 0.04, 0.02)), replace(beside, size=(0.03, 0.04, 0.02))) == pytest.approx(0.0)


def test_what_a_goal_asks_for_comes_from_a_stream_of_its_own():
    drawn = [draw(seed) for seed in range(60)]
    levels = [chance.one_of('top', 'middle', 'bottom') for chance in drawn]
    assert {levels.count(level) > 8 for level in ('top', 'middle', 'bottom')} == {True}
    assert all(0.2 <= chance.number(0.2, 0.3) <= 0.3 for chance in drawn)
    assert drawn[0].solids(2) == draw().solids(2)


ANGLES = (30.0, 60.0, 90.0, 120.0, 150.0)


@pytest.mark.parametrize(
    ('kinds', 'shown'),
    [
        (('cube',), {30.0, 60.0, 120.0, 150.0}),  # a square is the same after a quarter of a turn
        (('triangular_prism',), {30.0, 60.0, 90.0, 150.0}),
        (('letter_t',), set(ANGLES)),
        (('cube', 'triangular_prism'), {30.0, 60.0, 150.0}),
    ],
)
def test_only_turns_that_can_be_seen_are_drawn(kinds, shown):
    props = [model(kind).prop(kind, noun='thing', color=COLORS[0], scale=1.0) for kind in kinds]
    assert {draw(seed).turn(*props, angles=ANGLES, least=20.0) for seed in range(60)} == shown


def test_what_looks_the_same_after_any_turn_is_refused():
    props = [model('cylinder').prop('a', noun='thing', color=COLORS[0], scale=1.0)]
    with pytest.raises(TaskError, match=r'None of the turns by .* can be seen of cylinder. Draw other shapes'):
        draw().turn(*props, angles=ANGLES, least=20.0)


def test_looks_differ_from_those_that_props_have():
    colors = {'red': (1.0, 0.0, 0.0), 'blue': (0.0, 0.0, 1.0)}
    looks = tuple(read_look(words, colors) for words in ('red', 'blue', 'red and blue stripes'))
    chance = Draw(Streams('family/task', 'seen', 0), replace(POOLS, look={'top': looks}), axis='look', workspace=Workspace())
    (item,) = chance.anywhere([model('cube').prop('item', noun='object', color=looks[0].color).dressed(looks[2])], Spacing(0.1, 0.03))
    assert set(chance.some_looks('top', 2)) == set(looks[:2])
    assert chance.ref(item) == ByLook('item')
    with pytest.raises(TaskError, match='3 more looks of top were requested; the split holds 2 unused ones'):
        chance.some_looks('top', 3)

"""ClevrSkills: what its tasks draw. Conformance is tested for every task; here is what only this family promises."""

from itertools import combinations
from math import degrees

import numpy as np
import pytest

from vlm_bench_sim.core.objects.balance import LEFT, RIGHT
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.alternatives import at_start
from vlm_bench_tasks.goals.moving import Turned
from vlm_bench_tasks.goals.outlines import outline, shared
from vlm_bench_tasks.goals.placing import On
from vlm_bench_tasks.goals.scales import Carried
from vlm_bench_tasks.goals.units import leaves_of
from vlm_bench_tasks.suite.clevrskills._objects import OPEN, SIZES, alike
from vlm_bench_tasks.suite.clevrskills._props import AREA, FAR, MARK, TALL
from vlm_bench_tasks.suite.clevrskills._turns import SEEN

TASKS = catalogue.chosen('clevrskills')
L0 = {'pick', 'place', 'push', 'rotate', 'throw', 'throw_topple', 'touch', 'touch_push', 'touch_topple', 'trace'}
L1 = {'simple_manipulation', 'rotate_restore', 'rotate_symmetry', 'stack', 'stack_reversed', 'sort', 'swap'}
SHOWN_L0 = {'match_pose', 'move_without_hitting'}
SHOWN_L1 = {
    'follow_order', 'follow_order_restore', 'neighbour', 'novel_noun', 'novel_adj', 'novel_adj_noun', 'rearrange', 'rearrange_restore',
}  # fmt: skip
"""The tasks that came with prompts with pictures: see test_clevrskills_shown.py."""

L2 = {'balance', 'sort_stack', 'stack_topple', 'swap_push', 'swap_rotate', 'throw_sort'}

ONE_LOOK = {'balance', 'throw', 'throw_topple', 'trace', 'sort', 'rotate_symmetry', 'sort_stack', 'throw_sort'}
"""Tasks without the axis `shape`."""


def episodes(task: str, axis: str, count: int = 12):
    """Episodes of every split."""
    return [
        catalogue.build(f'clevrskills/{task}', split, seed, axis)
        for split in catalogue.splits(f'clevrskills/{task}')
        for seed in range(count)
    ]


def test_each_task_has_its_level_and_its_robot():
    levels = dict.fromkeys(L0 | SHOWN_L0, 'L0') | dict.fromkeys(L1 | SHOWN_L1, 'L1') | dict.fromkeys(L2, 'L2')
    assert {name.partition('/')[2]: catalogue.task(name).level for name in TASKS} == levels
    assert {catalogue.task(name).robot for name in TASKS} == {'xarm6'}


def test_the_pools_hold_as_many_looks_and_kinds_as_are_published():
    """Beside the star, the unseen primitives are ours: otherwise a sentence could not tell two of them apart."""
    found = {}
    for split in ('seen', 'unseen'):
        pools = catalogue.pools('clevrskills').pools[split]
        looks, kinds = ({value for group in pool.values() for value in group} for pool in (pools.look, pools.shape))
        found[split] = len(looks), len(kinds - {'cross', 'flower', 'pentagon'})
    assert found == {'seen': (61, 44), 'unseen': (15, 11)}


def test_seen_and_unseen_share_no_look_and_no_kind():
    seen, unseen = (catalogue.pools('clevrskills').pools[split] for split in ('seen', 'unseen'))
    for pool in ('look', 'shape'):
        known, novel = ({value for group in getattr(pools, pool).values() for value in group} for pools in (seen, unseen))
        assert known and novel and not known & novel
    assert {kind for pools in (seen, unseen) for group in pools.shape.values() for kind in group} <= set(SIZES)


@pytest.mark.parametrize('task', sorted((L0 | L1 | L2) - ONE_LOOK))
def test_along_the_shape_nothing_looks_like_another_and_along_the_look_each_has_its_own(task):
    for episode in episodes(task, 'shape'):
        assert not [(a.kind, b.kind) for a, b in combinations(episode.scene.props, 2) if alike(a.kind, b.kind)]
    for episode in episodes(task, 'look'):
        assert len({prop.look.words for prop in episode.scene.props}) == len(episode.scene.props)


def test_a_primitive_weighs_what_its_density_says():
    cubes = [prop for episode in episodes('push', 'shape') for prop in episode.scene.props if prop.kind == 'cube']
    assert cubes and all(cube.mass == pytest.approx(0.10 * 0.10 * 0.05 * 1000) for cube in cubes)


@pytest.mark.parametrize('task', ['rotate', 'rotate_restore', 'rotate_symmetry', 'swap_rotate'])
def test_every_turn_can_be_seen(task):
    ways = set()
    for episode in episodes(task, 'look', 40):
        for leaf in leaves_of(episode.goal):
            if isinstance(leaf, Turned):
                turned = leaf.wanted(at_start(episode.scene))
                assert degrees(leaf.prop.symmetry.turned(leaf.prop.pose, turned)) >= SEEN - 1e-6
                ways.add(round(degrees(leaf.angle)))
    assert ways == {way * angle for angle in (30, 60, 90, 120, 150) for way in (1, -1)}


def test_what_is_in_the_hand_has_something_over_its_middle_and_what_is_thrown_at_is_far():
    for episode in episodes('place', 'shape') + episodes('place', 'look'):
        held = episode.scene.prop(episode.scene.robot.held)
        assert held.kind not in OPEN and held.name == episode.goal.prop.name
    for task in ('throw', 'throw_topple'):
        for episode in episodes(task, 'look'):
            (target,) = (prop for prop in episode.scene.props if prop.name != episode.scene.robot.held)
            assert FAR[0] <= np.hypot(*target.pose.position[:2]) <= FAR[1]


def test_marks_are_apart_and_the_first_is_green():
    for episode in episodes('trace', 'goal'):
        marks = [episode.scene.prop(cue.marker) for cue in episode.cues]
        assert 2 <= len(marks) <= 5 and [mark.color.name for mark in marks] == ['green', *['red'] * (len(marks) - 1)]
        assert all(a.pose.distance(b.pose) > 3 * MARK - 1e-9 for a, b in combinations(marks, 2))


def test_a_stack_stands_where_every_robot_reaches_its_top():
    counts = set()
    for episode in episodes('stack', 'look', 20):
        assert all(np.hypot(*prop.pose.position[:2]) <= TALL[1] for prop in episode.scene.props)
        counts.add(len(episode.scene.props))
    assert counts == {2, 3, 4}


def test_stacks_of_a_look_hold_all_its_objects_and_nothing_else():
    looks = set()
    for episode in episodes('sort_stack', 'look', 20):
        towers = [part.parts[-1] for part in episode.goal.parts]
        levels = [{prop.name for prop in tower.levels[0]} for tower in towers]
        alike = {look: {p.name for p in episode.scene.props if p.look == look} for look in {p.look for p in episode.scene.props}}
        assert sorted(map(sorted, levels)) == sorted(sorted(names) for names in alike.values() if len(names) > 1)
        assert all(len(tower.levels) == len(tower.levels[0]) <= 4 for tower in towers)
        looks.add(len(alike))
    assert looks == {1, 2, 3}


def test_areas_that_are_thrown_at_are_far_and_apart_and_each_object_has_one_of_its_look():
    counts = set()
    for episode in episodes('throw_sort', 'look', 20):
        areas = [prop for prop in episode.scene.props if prop.fixed]
        assert all(FAR[0] <= np.hypot(*area.pose.position[:2]) <= FAR[1] for area in areas)
        assert not any(shared(outline(a, a.pose), outline(b, b.pose)) for a, b in combinations(areas, 2))
        flights = [part.parts[0] for part in episode.goal.parts]
        assert all(flight.prop.look == flight.target.look for flight in flights)
        assert {flight.prop.name for flight in flights} == {prop.name for prop in episode.scene.props if not prop.fixed}
        counts.add((len(areas), len(flights)))
    assert {count for count, _ in counts} == {1, 2, 3} and {count for _, count in counts} == {1, 2, 3, 4}


def test_a_balance_has_a_split_of_equal_mass_and_two_blocks_of_another_look():
    counts = set()
    for episode in episodes('balance', 'look', 20):
        for plan, wanted in ((episode.plan, True), (episode.alternatives[0], False)):
            loads = [leaf for leaf in plan.leaves() if isinstance(leaf, Carried)]
            left, right = ([load.prop for load in loads if load.links == (side,)] for side in (LEFT, RIGHT))
            assert sum(prop.mass for prop in left) == pytest.approx(sum(prop.mass for prop in right), rel=1e-9)
            assert all(sum(prop.size[2] for prop in tower) <= 0.15 + 1e-9 for tower in (left, right))
            assert len({prop.look for prop in (*left, *right)}) == 1
            assert all(any(leaf.prop == prop for leaf in leaves_of(episode.goal)[:-1]) is wanted for prop in (*left, *right))
            counts.add((wanted, len(loads)))
        assert len({prop.look for prop in episode.scene.props}) == 2
    assert counts == {(True, 2), (True, 3), (True, 4), (False, 2)}


def test_a_reversed_stack_begins_with_what_is_named_last():
    for episode in episodes('stack_reversed', 'look'):
        foot = next(leaf.base for leaf in leaves_of(episode.goal) if isinstance(leaf, On))
        assert foot.name == list(episode.instruction.refs.values())[-1].prop


def test_objects_lie_beside_the_areas_and_each_has_the_look_of_one():
    for episode in episodes('sort', 'look', 30):
        areas = [prop for prop in episode.scene.props if prop.noun == 'area']
        items = [prop for prop in episode.scene.props if prop.noun != 'area']
        assert {item.look for item in items} <= {area.look for area in areas}
        for item in items:
            corners = item.pose.apply(item.solid.vertices)
            for area in areas:
                beyond = np.abs(area.pose.inverse().apply(corners)[:, :2]).max(axis=1)
                assert (beyond > AREA / 2).all(), f'{item.name} lies on {area.name} (seed {episode.seed})'


def test_a_restored_turn_has_alternatives_though_it_ends_where_it_began():
    assert all(episode.alternatives for episode in episodes('rotate_restore', 'look'))


@pytest.mark.parametrize('task', ['touch', 'touch_push', 'touch_topple'])
def test_each_other_sentence_asks_for_other_things(task):
    for seed in range(20):
        episode = catalogue.build(f'clevrskills/{task}', 'seen', seed)
        goals = (episode.goal, *episode.alternatives)
        asked = {frozenset(prop.name for leaf in leaves_of(goal) for prop in leaf.props()) for goal in goals}
        assert len(asked) == len(goals) == len(episode.scene.props)

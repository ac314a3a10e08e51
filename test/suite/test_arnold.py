"""ARNOLD's tasks: what they start from and ask for, and what each split changes."""

from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import combinations
from math import degrees, radians

import numpy as np
import pytest

from vlm_bench_sim.core.errors import SeedError, SplitError, TaskError
from vlm_bench_sim.core.matter import fill
from vlm_bench_sim.core.objects.furniture import CABINETS, CHESTS
from vlm_bench_sim.core.objects.instances import BOTTLES, CUPS, SEEN
from vlm_bench_sim.core.objects.rooms import NOVEL, origins
from vlm_bench_sim.core.objects.rooms import SEEN as SEEN_ROOMS
from vlm_bench_sim.core.objects.rooms.clearance import SWEPT
from vlm_bench_sim.core.snapshot import JointState
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.goal_number import goal_number
from vlm_bench_tasks.goals.logic import AtEnd, Held
from vlm_bench_tasks.goals.moving import leaning
from vlm_bench_tasks.suite.arnold._numbers import HOLD, at_rest
from vlm_bench_tasks.suite.arnold._props import Draw
from vlm_bench_tasks.variation.placement import Workspace
from vlm_bench_tasks.variation.pools import Pools
from vlm_bench_tasks.variation.streams import Streams

TASKS = catalogue.chosen('arnold')
LED = [task for task in TASKS if 'drawer' in task or 'cabinet' in task]
SPLITS = catalogue.splits(TASKS[0])
TEST = 150_000

SEEN_GOALS = {
    'pickup_object': (0.1, 0.2, 0.3), 'reorient_object': (0, 45, 180), 'open_drawer': (0.25, 0.5, 1.0), 'close_drawer': (0.0, 0.5, 0.75),
    'open_cabinet': (0.25, 0.5, 1.0), 'close_cabinet': (0.0, 0.25, 0.5),
    'pour_water': (0.0, 0.25, 0.5), 'transfer_water': (0.2, 0.4, 0.8),
}  # fmt: skip
NOVEL_GOALS = {
    'pickup_object': 0.4, 'reorient_object': 135, 'open_drawer': 0.75, 'close_drawer': 0.25, 'open_cabinet': 0.75, 'close_cabinet': 0.75,
    'pour_water': 0.75, 'transfer_water': 0.6,
}  # fmt: skip
"""ARNOLD, membership of the splits."""


@cache
def episodes(task: str, split: str, count: int = 12, axis: str = 'goal'):
    return [catalogue.build(task, split, TEST + seed, axis) for seed in range(count)]


def number(episode) -> float:
    return goal_number(episode).goal_number


def asked(episode):
    """Return the leaf that asks for the number."""
    return episode.goal.leaves()[0]


def begun(episode) -> float:
    goal = asked(episode)
    return round((goal.joint.start - goal.joint.lower) / (goal.joint.upper - goal.joint.lower), 9)


@pytest.mark.parametrize('task', TASKS)
def test_the_goals_are_the_published_ones(task):
    name = task.partition('/')[2]
    seen = {split: {number(e) for e in episodes(task, split)} for split in ('train', 'val', 'test', 'novel_object', 'novel_scene')}
    assert set().union(*seen.values()) == set(SEEN_GOALS[name]) and all(len(found) > 1 for found in seen.values())
    assert {number(e) for e in episodes(task, 'novel_state')} == {NOVEL_GOALS[name]}
    anything = {number(e) for e in episodes(task, 'any_state')}
    assert len(anything) > 6 and len(anything - {*SEEN_GOALS[name], NOVEL_GOALS[name]}) > 5


@pytest.mark.parametrize('task', LED)
@pytest.mark.parametrize('split', SPLITS)
def test_a_joint_starts_at_a_published_share_on_the_side_that_leaves_something_to_do(task, split):
    opens = '/open' in task
    for episode in episodes(task, split):
        start = begun(episode)
        assert start in ((0.0, 0.25, 0.5, 0.75) if opens else (0.25, 0.5, 0.75, 1.0))
        assert (number(episode) - start) * (1 if opens else -1) > 0.2 + 1e-9


@pytest.mark.parametrize('task', LED)
def test_the_start_does_not_tell_the_goal(task):
    """Of the goals that fit a start, each is as likely; all fit for one that takes every goal."""
    found = Counter((begun(e), number(e)) for e in episodes(task, 'train', 60))
    pairs = [(start, goal) for start in {s for s, _ in found} for goal in SEEN_GOALS[task.partition('/')[2]]]
    fitting = [pair for pair in pairs if (pair[1] - pair[0]) * (1 if '/open' in task else -1) > 0.2]
    assert set(found) == set(fitting)
    expected = 60 / len(fitting)
    assert all(abs(count - expected) < 4 * expected**0.5 for count in found.values())


@pytest.mark.parametrize(
    ('task', 'group'),
    [('arnold/pickup_object', BOTTLES), ('arnold/open_drawer', CHESTS), ('arnold/close_cabinet', CABINETS), ('arnold/pour_water', CUPS)],
)
def test_novel_objects_are_the_last_two_and_nothing_else_is_new(task, group):
    seen, novel = list(group)[:SEEN], list(group)[SEEN:]
    own = catalogue.pools(task)
    kind = {'bottle': 'bottle', 'chest': 'chest', 'cabinet': 'cabinet', 'cup': 'cup'}[novel[0][:-1]]
    for split in SPLITS:
        assert list(own.pools[split].kinds(kind)) == (novel if split == 'novel_object' else seen)


@pytest.mark.parametrize('task', TASKS)
@pytest.mark.parametrize('split', SPLITS)
def test_every_task_is_set_in_a_room_of_its_split(task, split):
    rooms = {e.scene.room for e in episodes(task, split)}
    assert rooms <= set(NOVEL if split == 'novel_scene' else SEEN_ROOMS) and len(rooms) > 2
    assert catalogue.task(task).axes == ('goal', 'palette')


@pytest.mark.parametrize('task', ['arnold/close_cabinet', 'arnold/pickup_object'])
@pytest.mark.parametrize('split', SPLITS)
def test_along_the_palette_a_seen_room_has_the_look_of_a_room_of_the_split(task, split):
    found = [origins(e.scene.room) for e in episodes(task, split, axis='palette')]
    assert {furnished for furnished, _ in found} <= set(SEEN_ROOMS)
    assert {painted for _, painted in found} <= set(NOVEL if split == 'novel_scene' else SEEN_ROOMS)
    assert sum(furnished != painted for furnished, painted in found) > 5


def test_episodes_along_the_palette_differ_from_others_by_their_room_alone():
    """On splits of seen objects and goals; on novel scenes the furniture of the room differs, too."""
    for split in ('test', 'novel_scene'):
        pairs = zip(*(episodes('arnold/pickup_object', split, axis=axis) for axis in ('goal', 'palette')), strict=True)
        for plain, crossed in pairs:
            assert replace(crossed, axis='goal', scene=replace(crossed.scene, room=plain.scene.room)) == plain


def test_no_other_family_is_set_in_a_room():
    for task in set(catalogue.tasks()) - set(TASKS):
        assert all(catalogue.build(task, split, 100_000).scene.room == '' for split in catalogue.splits(task))


@pytest.mark.parametrize('task', LED)
def test_furniture_and_all_that_opens_stay_where_no_room_has_anything_solid(task):
    low, high = (np.array([getattr(box, side) for box in SWEPT]) for side in ('low', 'high'))
    for episode in (e for split in ('test', 'novel_object') for e in episodes(task, split)):
        (piece,) = episode.scene.mechanisms
        for share in (0.0, 0.25, 0.5, 0.75, 1.0):
            states = {name: JointState(joint.lower + share * (joint.upper - joint.lower)) for name, joint in piece.joints.items()}
            points = np.concatenate([part.pose.apply(part.solid.vertices) for part in piece.solids(states)])
            within = ((points[:, None] >= low - 1e-9) & (points[:, None] <= high + 1e-9)).all(axis=2).any(axis=1)
            assert within.all(), (episode.seed, share, points[~within].round(3))


def test_each_split_changes_one_factor_and_train_val_and_test_differ_by_their_seeds():
    own = catalogue.pools(TASKS[0])
    assert own.factor == {
        'train': '', 'val': '', 'test': '', 'novel_object': 'shape', 'novel_scene': 'room', 'novel_state': 'goal', 'any_state': 'goal',
    }  # fmt: skip
    assert {split: own.seeds[split] for split in ('train', 'val', 'test')} == {
        'train': range(80_000), 'val': range(80_000, 100_000), 'test': range(100_000, 200_000),
    }  # fmt: skip


@pytest.mark.parametrize('split', ['novel_object', 'novel_scene', 'novel_state', 'any_state', 'test'])
def test_novel_splits_have_test_seeds_only(split):
    with pytest.raises(SeedError, match='has only the seeds 100000 to 199999, which are for tests'):
        catalogue.seeds_to_learn_from(TASKS[0], split, range(10))
    with pytest.raises(SeedError, match='are for tests, not for demonstrations'):
        catalogue.seeds_to_learn_from(TASKS[0], split, range(100_000, 100_010))
    assert catalogue.seeds_to_score(TASKS[0], split, range(170_000, 170_020)) == 'test'


@pytest.mark.parametrize('task', TASKS)
@pytest.mark.parametrize('split', SPLITS)
def test_every_goal_is_held_for_2_s_at_rest_and_the_other_numbers_are_alternatives(task, split):
    for episode in episodes(task, split):
        assert episode.goal == at_rest(episode.goal.goal.goal) == AtEnd(Held(episode.goal.goal.goal, HOLD, still=True))
        others = [other.leaves()[0].number for other in episode.alternatives if other.leaves()[0] != asked(episode)]
        assert set(others) <= set(map(float, SEEN_GOALS[task.partition('/')[2]]))
        if split == 'novel_state' and task in TASKS[-2:]:
            assert others


def test_a_report_says_how_far_a_goal_is_from_what_was_learned():
    found = {split: goal_number(episodes('arnold/pickup_object', split)[0]) for split in ('test', 'novel_state')}
    assert (found['test'].from_seen, found['test'].extrapolates) == (0.0, False)
    assert (found['novel_state'].from_seen, found['novel_state'].extrapolates) == (0.1, True)
    inside = goal_number(episodes('arnold/open_drawer', 'novel_state')[0])
    assert (inside.goal_number, inside.from_seen, inside.extrapolates, inside.end_stop) == (0.75, 0.25, False, False)
    assert goal_number(catalogue.build('vlmbench/stack', 'seen', 0)) is None
    ends = {goal_number(e).goal_number for e in episodes('arnold/open_drawer', 'test') if goal_number(e).end_stop}
    assert ends == {1.0}
    some = [(e.goal.leaves()[0], goal_number(e)) for e in episodes('arnold/open_drawer', 'any_state')]
    assert all(found.end_stop == (leaf.share > 0.9) for leaf, found in some), 'a drawer that is wide open fulfils it'
    (bottle,) = episodes('arnold/reorient_object', 'any_state', 1)
    leaf = bottle.goal.leaves()[0]
    assert [replace(leaf, angle=radians(angle)).end_stop for angle in (0, 14, 15, 90, 165, 166)] == [True, True, False, False, False, True]


@pytest.mark.parametrize('split', SPLITS)
def test_a_bottle_to_pick_up_stands_and_one_to_turn_lies_on_a_face(split):
    for episode in episodes('arnold/pickup_object', split, 12):
        assert leaning(episode.scene.prop('bottle').pose) == pytest.approx(0.0, abs=1e-9)
    for episode in episodes('arnold/reorient_object', split, 12):
        (bottle,) = episode.scene.props
        assert degrees(leaning(bottle.pose)) == pytest.approx(90.0)
        heights = bottle.pose.apply(bottle.solid.vertices)[:, 2]
        assert heights.min() == pytest.approx(0.0005) and np.sum(heights < 0.0006) >= 4


def test_no_goal_beyond_a_start_is_an_error():
    pools = Pools((), {}, {'open_drawer': (0.25,)}, {'open_drawer': (0.25,)})
    draw = Draw(Streams('arnold/open_drawer', 'odd', 0), pools, axis='goal', workspace=Workspace())
    with pytest.raises(TaskError, match=r'No goal of open_drawer \(0.25\) lies more than 0.2 above a start \(0.5, 0.75\)'):
        draw.start_and_goal('open_drawer', (0.5, 0.75), apart=0.2, within=0.1, way=1)
    with pytest.raises(SplitError, match=r"no goals of 'open_drawr'. Did you mean open_drawer"):
        draw.start_and_goal('open_drawr', (0.0,), apart=0.2, within=0.1)


WATER = [task for task in TASKS if 'water' in task]


@pytest.mark.parametrize('task', WATER)
@pytest.mark.parametrize('split', SPLITS)
def test_a_full_cup_stands_apart_from_its_empty_twin(task, split):
    for episode in episodes(task, split):
        (water,), cups = episode.scene.beads, episode.scene.props
        *empty, full = sorted(fill(cup, water.centres) for cup in cups)
        assert full > 0.97 and empty == ([] if task == 'arnold/pour_water' else [0.0])
        assert len({(cup.kind, cup.color) for cup in cups}) == 1 and all(cup.noun == 'cup' for cup in cups)
        assert all(np.hypot(*np.subtract(one.pose.position, other.pose.position)[:2]) >= 0.2 for one, other in combinations(cups, 2))


def test_which_of_two_cups_is_full_is_told_by_its_water_alone():
    """Neither its name nor its order in the scene tells."""
    full = [[fill(cup, e.scene.beads[0].centres) for cup in e.scene.props] for e in episodes('arnold/transfer_water', 'train', 60)]
    assert 15 < sum(first > second for first, second in full) < 45

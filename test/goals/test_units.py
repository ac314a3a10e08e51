"""Unit tasks: each plan shows which of VLMbench's it is made of, and with which class of constraint."""

from dataclasses import is_dataclass, replace

import pytest

from test.films import CUBE, TRAY, Flag
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.mechanisms import Joint, Link, Mechanism
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.goals.base import Leaf
from vlm_bench_tasks.goals.logic import Held, Never, Not, all_of, then
from vlm_bench_tasks.goals.mechanisms import JointAt, Opened
from vlm_bench_tasks.goals.moving import Leaning
from vlm_bench_tasks.goals.placing import At, Inside, On, Within
from vlm_bench_tasks.goals.touching import Grasped, Reached, Touching
from vlm_bench_tasks.goals.units import leaves_of, units, words

PENCIL = replace(CUBE, kind='pencil', size=(0.0175, 0.328, 0.015))
SORTER = replace(TRAY, kind='shape_sorter', size=(0.24, 0.24, 0.186))

PUBLISHED = {
    'pick_place': 'Control · M1[position free, orientation free]',
    'stack': 'Control · M1[position plane, orientation axis]',
    'drop_pencil': 'Control · M1[position line, orientation axis]',
    'shape_sorter': 'Control · M1[position fixed, orientation fixed]',
    'pour': 'Control · M2[position free, orientation axis]',
    'wipe': 'Control · M2[position plane, orientation axis]',
    'drawer': 'Control · M2[position line, orientation by position]',
    'door': 'Control · M2[position path, orientation by position]',
}
"""The published classes, by what a task's name begins with or holds."""


def opened(kind: str) -> Opened:
    joint = Joint(kind, Pose(), (1.0, 0.0, 0.0), 0.0, 0.2)
    return Opened(Mechanism('chest', (Link('body', (CUBE,)), Link('top', (replace(CUBE, name='front'),), 'body', joint))), 'top', 0.1, 0.2)


@pytest.mark.parametrize(
    ('leaf', 'said'),
    [
        (Inside(CUBE, TRAY), PUBLISHED['pick_place']),
        (On(CUBE, TRAY), PUBLISHED['stack']),
        (Inside(PENCIL, TRAY), PUBLISHED['drop_pencil']),
        (Inside(CUBE, SORTER), PUBLISHED['shape_sorter']),
        (opened('prismatic'), PUBLISHED['drawer']),
        (opened('revolute'), PUBLISHED['door']),
        (JointAt(opened('prismatic').mechanism, 'top', 0.5), PUBLISHED['drawer']),
        (Leaning(CUBE, 1.0), PUBLISHED['stack'].replace('plane', 'free')),
        (Within(CUBE, TRAY), 'Control · M1[position plane, orientation free]'),
        (At(CUBE, Pose()), 'Control · M1[position fixed, orientation free]'),
        (At(CUBE, Pose(), turn=0.1), 'Control · M1[position fixed, orientation fixed]'),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else '',
)
def test_each_leaf_has_its_units(leaf, said):
    assert words(leaf) == said


def test_the_units_of_a_plan_are_those_of_its_leaves_in_turn():
    plan = then(all_of(Inside(CUBE, TRAY), Never(On(TRAY, CUBE))), Held(On(CUBE, TRAY), 2.0), Not(Inside(CUBE, TRAY)))
    assert words(plan) == f'{PUBLISHED["pick_place"]} · {PUBLISHED["stack"]}'
    assert leaves_of(plan) == (Inside(CUBE, TRAY), On(CUBE, TRAY))


def test_a_leaf_that_is_not_known_has_none():
    assert units(Flag('a')) == ()


@pytest.mark.parametrize('name', [name for name in catalogue.tasks() if name.startswith('vlmbench/')])
def test_every_task_shows_the_published_classes(name):
    (published,) = [said for part, said in PUBLISHED.items() if part in name]
    for split in catalogue.splits(name):
        for axis in catalogue.task(name).axes:
            episode = catalogue.build(name, split, 0, axis)
            found = words(episode.plan or episode.goal)
            assert set(found.split(' · ')) == set(published.split(' · ')), (split, axis)


def test_it_is_decided_of_every_leaf():
    """A leaf that nobody decided on would show an empty plan."""

    def leaves(kind):
        return [kind, *(leaf for below in kind.__subclasses__() for leaf in leaves(below))]

    ours = [
        leaf for leaf in leaves(Leaf) if leaf.__module__.startswith('vlm_bench_tasks') and is_dataclass(leaf) and not leaf.__subclasses__()
    ]
    assert len(ours) >= 16
    assert [leaf.__name__ for leaf in ours if leaf not in units.registry] == []


def test_what_takes_nothing_has_no_units():
    assert words(Touching(CUBE)) == words(Reached(Pose())) == ''
    assert words(Grasped(CUBE)) == 'Control'

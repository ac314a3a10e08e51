"""Every task must pass this file without being mentioned in it; the checks themselves are tested with liars."""

import random
from dataclasses import replace
from functools import singledispatch
from itertools import combinations
from pathlib import Path
from re import DOTALL, search

import numpy as np
import pytest

from vlm_bench_sim.core.codec import dumps, loads
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.snapshot import Body, Snapshot
from vlm_bench_tasks import catalogue, settings
from vlm_bench_tasks.episode import Episode, Task
from vlm_bench_tasks.goals.base import Goal, Leaf
from vlm_bench_tasks.goals.logic import Never
from vlm_bench_tasks.goals.placing import Inside
from vlm_bench_tasks.judging.monitor import Limits, judge
from vlm_bench_tasks.judging.report import Verdict
from vlm_bench_tasks.language.references import ByShape

SEEDS = range(12)
PAGE = Path(__file__).parents[2] / 'docs' / 'adding_a_task.md'


def example() -> Task:
    """The task that docs/adding_a_task.md writes."""
    block = search(r'```python\n(.*?)```', PAGE.read_text(), DOTALL)
    names: dict[str, object] = {}
    exec(compile(block[1], str(PAGE), 'exec'), names)
    return names['TASK']


def splits_of(name: str) -> tuple[str, ...]:
    return tuple(settings.splits(name.split('/')[0]).pools)


TASKS = {name: catalogue.task(name) for name in catalogue.tasks()} | {'vlmbench/example_of_the_docs': example()}
CASES = [(name, split, axis) for name, task in TASKS.items() for split in splits_of(name) for axis in task.axes]
every_case = pytest.mark.parametrize(('name', 'split', 'axis'), CASES)


def build(name: str, split: str, seed: int, axis: str) -> Episode:
    return catalogue.episode(TASKS[name], name, split, seed, axis)


def at_start(episode: Episode) -> Snapshot:
    """The first snapshot, as if the scene had settled where it was laid."""
    return Snapshot(0, 0, {}, Pose((0.3, 0.0, 0.5)), 0.08, bodies={prop.name: Body(prop.pose) for prop in episode.scene.props})


@singledispatch
def fulfilled(leaf: Leaf, now: Snapshot) -> Snapshot:
    """A snapshot in which the leaf holds: a witness that it is possible. One function a leaf type."""
    raise NotImplementedError(f'Write a witness of {type(leaf).__name__} here.')


@fulfilled.register
def _inside(leaf: Inside, now: Snapshot) -> Snapshot:
    cavity, box = leaf.container.solid.cavity, now.pose(leaf.container.name)
    best = None
    for quarter in range(4):
        inside = Pose.from_rpy((cavity.centre[0], cavity.centre[1], cavity.low[2] + leaf.prop.size[2] / 2), (0.0, 0.0, quarter * np.pi / 2))
        seen = replace(now, bodies=now.bodies | {leaf.prop.name: Body(box @ inside)})
        best = seen if best is None or leaf.holds(seen, now) else best
    return best


def achievements(goal: Goal) -> tuple[Leaf, ...]:
    """The leaves that shall come true: all but those under a Never."""
    if isinstance(goal, Never):
        return ()
    return (goal,) if isinstance(goal, Leaf) else tuple(leaf for part in goal.parts for leaf in achievements(part))


def faults(episode: Episode) -> list[str]:
    """What is wrong with an episode, in words."""
    return [*_language_faults(episode), *_scene_faults(episode), *_goal_faults(episode)]


def _language_faults(episode: Episode) -> list[str]:
    found = []
    spoken = [episode.instruction.text, *episode.instruction.paraphrases]
    for blank, ref in episode.instruction.refs.items():
        denoted = list(ref.denotes(episode.scene))
        if denoted != [ref.prop]:
            found.append(f'{blank!r} means {ref.prop} and fits {denoted}')
        if not all(ref.words(episode.scene).casefold() in sentence.casefold() for sentence in spoken):
            found.append(f'a sentence does not say {ref.words(episode.scene)!r}')
    if len(set(spoken)) < 5 or len(set(spoken)) < len(spoken):
        found.append(f'{len(set(spoken))} different sentences; the suite wants its own and four paraphrases')
    if any('{' in sentence for sentence in spoken):
        found.append('a blank was left empty')
    return found


def _scene_faults(episode: Episode) -> list[str]:
    found = []
    low, high = episode.scene.table.box.low, episode.scene.table.box.high
    for prop in episode.scene.props:
        corners = prop.pose.apply(prop.solid.vertices)
        if (corners[:, :2] < low[:2]).any() or (corners[:, :2] > high[:2]).any() or corners[:, 2].min() < high[2]:
            found.append(f'{prop.name} does not stand on the table')
    for a, b in combinations(episode.scene.props, 2):
        if np.hypot(*np.subtract(a.pose.position, b.pose.position)[:2]) < sum(np.hypot(*p.size[:2]) / 2 for p in (a, b)):
            found.append(f'{a.name} and {b.name} may overlap')
    return found


def _goal_faults(episode: Episode) -> list[str]:
    props = {prop.name: prop for prop in episode.scene.props}
    named = [*episode.goal.props(), *(episode.plan.props() if episode.plan else ())]
    strange = [prop.name for prop in named if props.get(prop.name) != prop]
    if strange:
        return [f'the goal names {strange}, not as they stand in the scene']
    start = at_start(episode)
    found = []
    if judge(episode.goal, Limits(episode.horizon), [replace(start, seq=i, step=12 * i) for i in range(12)]).verdict is not Verdict.RUNNING:
        found.append('the goal is decided at the start')
    now = start
    for leaf in achievements(episode.goal):
        now = fulfilled(leaf, now)
        if not leaf.holds(now, start):
            found.append(f'it cannot be that {leaf.words()}')
    return found


@every_case
def test_every_episode_is_sound(name, split, axis):
    assert {seed: found for seed in SEEDS if (found := faults(build(name, split, seed, axis)))} == {}


@every_case
def test_the_same_triple_gives_the_same_episode_and_another_seed_another(name, split, axis):
    texts = [dumps(build(name, split, seed, axis)) for seed in SEEDS]
    assert texts == [dumps(build(name, split, seed, axis)) for seed in SEEDS]
    scenes = {dumps(build(name, split, seed, axis).scene) for seed in SEEDS}
    assert len(scenes) == len(SEEDS)


@every_case
def test_an_episode_survives_json(name, split, axis):
    for seed in SEEDS:
        episode = build(name, split, seed, axis)
        assert loads(dumps(episode)) == episode


@pytest.mark.parametrize(('name', 'axis'), [(name, axis) for name, task in TASKS.items() for axis in task.axes])
def test_splits_do_not_leak_along_the_axis(name, axis):
    def varied(episode):
        if axis == 'shape':
            return {episode.scene.prop(ref.prop).kind for ref in episode.instruction.refs.values() if isinstance(ref, ByShape)}
        return {prop.colour.name for prop in episode.scene.props}

    used = {split: set().union(*(varied(build(name, split, seed, axis)) for seed in range(40))) for split in splits_of(name)}
    assert all(used.values())
    for a, b in combinations(used, 2):
        assert not used[a] & used[b]


@every_case
def test_building_leaves_global_chance_alone(name, split, axis):
    before = random.getstate(), [str(part) for part in np.random.get_state()]  # noqa: NPY002
    build(name, split, 0, axis)
    assert (random.getstate(), [str(part) for part in np.random.get_state()]) == before  # noqa: NPY002


@every_case
def test_the_limits_are_sensible(name, split, axis):
    episode = build(name, split, 0, axis)
    assert 5.0 <= episode.horizon <= 600.0
    assert episode.step_limit >= 0
    assert episode.revision >= 1


def _liars() -> dict[str, Episode]:
    """Episodes that are wrong, by what must be said of them."""
    good = catalogue.build(catalogue.tasks()[0], 'seen', 0)
    scene, props = good.scene, good.scene.props
    a, b = (prop for prop in props if prop.noun == 'object')
    goal = good.goal

    def told(*changed):
        return replace(good, scene=replace(scene, props=tuple({**{p.name: p for p in props}, **{p.name: p for p in changed}}.values())))

    twins = told(replace(a, colour=b.colour), replace(b, colour=b.colour))
    big = replace(goal.prop, size=(0.3, 0.3, 0.05))
    inside = goal.prop.at(goal.container.pose)
    return {
        'and fits': twins,
        'does not say': replace(good, instruction=replace(good.instruction, text='Do it.')),
        'different sentences': replace(good, instruction=replace(good.instruction, paraphrases=())),
        'left empty': replace(good, instruction=replace(good.instruction, text=good.instruction.text + '{item}')),
        'does not stand on the table': told(a.at(Pose((0.5, 2.0, 0.1)))),
        'may overlap': told(a.at(b.pose)),
        'not as they stand in the scene': told(replace(goal.prop, mass=9.0)),
        'decided at the start': replace(told(inside), goal=Inside(inside, goal.container)),
        'it cannot be that': replace(told(big), goal=Inside(big, goal.container)),
    }


@pytest.mark.parametrize('what', _liars())
def test_a_wrong_episode_is_caught(what):
    assert any(what in fault for fault in faults(_liars()[what]))

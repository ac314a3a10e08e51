"""The checker finds what is wrong: wrong tasks, one for each of its checks."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.objects.balance import balance
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import RobotStart
from vlm_bench_sim.profiles import robot
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.conformance import CHECKS, Subject, check
from vlm_bench_tasks.episode import Episode, Task
from vlm_bench_tasks.goals.base import Leaf
from vlm_bench_tasks.goals.logic import AtEnd, Held, Never, Not, all_of
from vlm_bench_tasks.goals.placing import Inside
from vlm_bench_tasks.judging.report import Report
from vlm_bench_tasks.run import Bench, Run
from vlm_bench_tasks.variation.draw import Draw
from vlm_bench_tasks.variation.pools import Pools

NAME = 'vlmbench/pick_place'
GOOD = catalogue.task(NAME)
SEEDS = 3
HOME = robot('panda').home


@serialisable
@dataclass(frozen=True)
class Wish(Leaf):
    """A leaf that nobody has a skill for."""

    prop: Prop

    def holds(self, now, start):
        return False

    def distance(self, now, start):
        return 1.0

    def words(self):
        return 'wished for'

    def props(self):
        return (self.prop,)


def bad(change: Callable[[Episode], Episode], axes: tuple[str, ...] = ('color',)) -> Task:
    """The good task with something wrong about its episodes."""
    return replace(GOOD, build=lambda draw: change(GOOD.build(draw)), axes=axes)


def moved(episode: Episode, *changed: Prop) -> Episode:
    """The same with other props of these names, in the goal too."""
    props = {prop.name: prop for prop in episode.scene.props} | {prop.name: prop for prop in changed}
    goal = Inside(props[episode.goal.prop.name], props[episode.goal.container.name])
    return replace(episode, scene=replace(episode.scene, props=tuple(props.values())), goal=goal)


def solids(episode: Episode) -> list[Prop]:
    return [prop for prop in episode.scene.props if prop.noun == 'object']


CALLS = iter(range(10**6))


def restless(draw: Draw) -> Episode:
    """Built otherwise each time."""
    episode = GOOD.build(draw)
    return moved(episode, episode.goal.prop.at(episode.goal.prop.pose.shifted((1e-6 * next(CALLS), 0.0, 0.0))))


def gambler(draw: Draw) -> Episode:
    np.random.rand()  # noqa: NPY002
    return GOOD.build(draw)


def old_gambler(draw: Draw) -> Episode:
    random.random()
    return GOOD.build(draw)


def broken(draw: Draw) -> Episode:
    draw.solids(400)
    return GOOD.build(draw)


def fixed_colors(episode: Episode) -> Episode:
    """The same colors in every split."""
    pool = catalogue.build(NAME, 'seen', 0).scene.props
    return moved(episode, *(replace(prop, color=other.color) for prop, other in zip(episode.scene.props, pool, strict=True)))


def said(episode: Episode, **change) -> Episode:
    return replace(episode, instruction=replace(episode.instruction, **change))


def ambiguous(episode: Episode) -> Episode:
    a, b = solids(episode)
    return moved(episode, replace(a, color=b.color))


def in_the_box(episode: Episode) -> Episode:
    return moved(episode, episode.goal.prop.at(episode.goal.container.pose.shifted((0.0, 0.0, 0.005))))


def heaped(episode: Episode) -> Episode:
    a, b = solids(episode)
    return moved(episode, a.at(b.pose))


def telling(episode: Episode) -> Episode:
    """What is meant always has the first names."""
    a, b = episode.goal.prop.name, episode.goal.container.name
    twins = {a: 'object_1', b: 'container_1'}
    names = twins | {new: old for old, new in twins.items()}
    props = {prop.name: replace(prop, name=names.get(prop.name, prop.name)) for prop in episode.scene.props}
    refs = {blank: replace(ref, prop=names[ref.prop]) for blank, ref in episode.instruction.refs.items()}
    return replace(
        said(episode, refs=refs),
        scene=replace(episode.scene, props=tuple(sorted(props.values(), key=lambda prop: prop.name))),
        goal=Inside(props[a], props[b]),
    )


def away(episode: Episode) -> Episode:
    return moved(episode, episode.goal.prop.at(Pose((0.5, 2.0, 0.1))))


WRONG: dict[str, tuple[Task, str]] = {
    'repeat': (replace(GOOD, build=restless), 'different episodes'),
    'repeat ': (bad(lambda e: replace(catalogue.build(NAME, 'seen', 0), task='')), 'two seeds give the same scene'),
    'leak': (bad(fixed_colors), 'seen and unseen share'),
    'leak ': (
        bad(lambda e: said(e, text='Do it.', paraphrases=(), refs={}), ('shape',)),
        'the instruction refers to nothing that varies along the axis shape',
    ),
    'start': (bad(in_the_box), 'decided at the start: success'),
    'start  ': (bad(lambda e: replace(in_the_box(e), goal=AtEnd(Held(in_the_box(e).goal, 2.0)))), 'decided at the start: success'),
    'start ': (bad(lambda e: replace(e, goal=all_of(e.goal, Never(Not(e.goal))))), 'decided at the start: failure broken'),
    'words': (bad(ambiguous), 'fits object_1, object_2'),
    'words ': (bad(lambda e: said(e, text='Do it.')), 'does not say {item}, {box}'),
    'words  ': (bad(lambda e: said(e, paraphrases=())), '1 sentences have 1 different forms'),
    'words   ': (bad(lambda e: said(e, paraphrases=tuple(f'{"Please " * i}put {{item}} in {{box}}.' for i in range(6)))), 'differ'),
    'words    ': (bad(lambda e: said(e, text='{item}, quick, {box}!')), 'has no verb'),
    'names': (bad(lambda e: replace(e, goal=Inside(replace(e.goal.prop, mass=9.0), e.goal.container))), 'the scene lacks object_'),
    'names ': (
        bad(lambda e: replace(e, plan=Inside(replace(e.goal.prop, name='ghost'), e.goal.container))),
        'the scene lacks ghost of the plan',
    ),
    'names  ': (bad(telling), 'names or order give a hint: the right plan comes first 6 of 6 times, by chance 1.5'),
    'skills': (bad(lambda e: replace(e, plan=all_of(e.goal, Wish(e.goal.prop)))), 'no skill makes Wish true'),
    'written': (bad(lambda e: replace(e, scene=replace(e.scene, robot=RobotStart(list(HOME))))), 'RobotStart.joints takes tuple'),
    'chance': (replace(GOOD, build=gambler), 'global random generator'),
    'chance ': (replace(GOOD, build=old_gambler), 'global random generator'),
    'table': (bad(away), 'does not stand on the table'),
    'table ': (bad(heaped), 'may overlap'),
}


def found(name: str, task: Task, **given) -> list[str]:
    checks = tuple(each for each in CHECKS if each.name == name.strip())
    assert checks, name
    return [finding.text for _, findings in check(Subject(NAME, task, seeds=SEEDS, **given), checks) for finding in findings]


def test_there_is_a_wrong_task_for_every_check():
    assert {name.strip() for name in WRONG} | {'rest', 'oracle', 'reward', 'luck', 'bag'} == {each.name for each in CHECKS}
    assert len({each.name for each in CHECKS}) == len(CHECKS) == 14


def falling(episode: Episode) -> Episode:
    """It comes to rest elsewhere: above the box it was laid, and into the box it falls."""
    return moved(episode, episode.goal.prop.at(episode.goal.container.pose.shifted((0.0, 0.0, 0.15))))


def crowded(episode: Episode) -> Episode:
    """A balance stands so near that its beam leans on the hand."""
    return replace(episode, scene=replace(episode.scene, mechanisms=(balance('scale', Pose((0.31, 0.0, 0.0))),)))


def hopeless(episode: Episode) -> Episode:
    return replace(episode, plan=Wish(episode.goal.prop))


@cache
def bench() -> Bench:
    """One bench for all tests of this file."""
    return Bench()


@pytest.mark.parametrize(
    ('name', 'change', 'what'),
    [
        ('rest', falling, 'from its initial pose'),
        ('rest', crowded, 'the robot touches scale/beam at its home'),
        ('luck', falling, 'the policy still succeeds in '),
        ('oracle', hopeless, 'the oracle fails: stopped; No skill makes Wish true'),
    ],
)
def test_a_task_that_plays_wrong_is_caught(name, change, what):
    texts = found(name, bad(change), made=bench)
    assert any(what in text for text in texts), texts


@pytest.mark.slow
def test_the_good_task_comes_to_rest_and_is_solved_and_judged_again():
    said_before: list[str] = []
    subject = Subject(NAME, replace(GOOD, axes=('color',)), seeds=1, made=bench, watch=said_before.append)
    checks = tuple(each for each in CHECKS if each.name in ('rest', 'oracle', 'reward', 'bag'))
    assert [findings for _, findings in check(subject, checks)] == [(), (), (), ()]
    assert said_before == [f'oracle --split {split} --axis color --seed 0' for split in ('seen', 'unseen')]
    case, (run, judgement) = next(iter(subject.solved.items()))
    tampered = replace(judgement, report=replace(judgement.report, verdict=Verdict.FAILURE, causes=('stopped',)))
    subject.solved[case] = (run, tampered)
    ((_, (finding,)),) = check(subject, checks[-1:])
    assert finding.text == f'judging its bag again gives failure stopped; the live result is success ({case})'


@pytest.mark.parametrize(
    ('rewards', 'what'),
    [
        ((0.1, 0.5, 0.9, 1.0), ''),
        ((0.6, 0.7, 0.9, 1.0), 'the dense reward is 0.60 before anything is done'),
        ((0.1, 0.9, 0.5, 1.0), ''),
        ((0.2, 0.1, 0.05, 1.0), 'with time is 0.20 in the median episode'),
        ((0.1, 0.1, 0.1), 'with time is 0.00 in the median episode'),
    ],
)
def test_a_reward_that_begins_high_or_does_not_rise_is_caught(rewards, what):
    subject = Subject(NAME, GOOD, seeds=1)
    case = next(iter(subject.played))
    subject.__dict__['solved'] = {case: (Run(Report(verdict=Verdict.SUCCESS), (), rewards, 1.0, 1.0), None)}
    checks = tuple(each for each in CHECKS if each.name == 'reward')
    texts = [finding.text for _, findings in check(subject, checks) for finding in findings]
    assert (len(texts) == 1 and what in texts[0]) if what else not texts


@pytest.mark.parametrize('name', WRONG)
def test_a_wrong_task_is_caught_by_the_check_that_is_meant_to_catch_it(name):
    task, what = WRONG[name]
    texts = found(name, task)
    assert any(what in text for text in texts), texts
    assert found(name, replace(GOOD, axes=task.axes)) == []


def test_furniture_of_the_other_split_is_a_leak():
    drawer = catalogue.task('vlmbench/drawer')
    for build, leaks in ((drawer.build, False), (lambda draw: replace(catalogue.build('vlmbench/drawer', 'seen', 0), task=''), True)):
        texts = found('leak', replace(drawer, build=build))
        assert bool(texts) is leaks
        assert not leaks or 'seen and unseen share chest of' in texts[0]


RAISE = 'arnold/pickup_object'


def leaks(monkeypatch, task: Task | None = None, **novel: Pools) -> list[str]:
    """What the check finds where the split of novel scenes has other pools."""
    own = catalogue.pools(RAISE)
    tampered = replace(own, pools={name: replace(pools, **novel) if name == 'novel_scene' else pools for name, pools in own.pools.items()})
    monkeypatch.setattr(catalogue, 'pools', lambda _: tampered)
    checks = tuple(each for each in CHECKS if each.name == 'leak')
    subject = Subject(RAISE, task or catalogue.task(RAISE), seeds=SEEDS)
    return [finding.text for _, findings in check(subject, checks) for finding in findings]


@pytest.mark.parametrize(
    ('novel', 'what'),
    [
        ({'room': ('room3', 'room16')}, 'novel_scene shares room room3 with train, but its factor is room'),
        ({'palette': ('room3', 'room16')}, 'novel_scene shares palette room3 with train, but its factor is room'),
        ({'shape': {'bottle': ('bottle9',)}}, 'novel_scene differs from train in shape, but its factor is room'),
    ],
)
def test_a_split_of_novel_scenes_shares_no_room_and_no_palette_with_the_base(monkeypatch, novel, what):
    assert leaks(monkeypatch) == []
    assert what in leaks(monkeypatch, **novel)


@pytest.mark.parametrize(('room', 'what'), [('', 'no room'), ('room16~room3', 'the room room16~room3'), ('study', 'the room study')])
def test_an_episode_in_a_room_of_its_own_is_a_leak(monkeypatch, room, what):
    made = catalogue.task(RAISE)

    def elsewhere(draw: Draw) -> Episode:
        episode = made.build(draw)
        return replace(episode, scene=replace(episode.scene, room=room))

    texts = leaks(monkeypatch, replace(made, build=elsewhere))
    (text,) = (text for text in texts if '--split novel_scene --axis goal --seed 0' in text)
    assert text.startswith(f'it has {what}; the pools hold room16, room17, room18, room19 in the palettes of room16, room17, ')


def test_a_finding_says_in_which_episode_it_was_seen():
    assert all('--split ' in text and '--axis color' in text for text in found('table', WRONG['table'][0]))


def test_a_task_that_cannot_be_built_is_a_finding():
    (text, *_) = found('start', replace(GOOD, build=broken))
    assert text.startswith(('TaskError: ', 'SceneError: '))

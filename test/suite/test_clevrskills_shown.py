"""The tasks of ClevrSkills that are shown in pictures, or with invented words: what their pictures show and what they ask for."""

from dataclasses import replace
from itertools import combinations, pairwise
from math import degrees

import numpy as np
import pytest

from vlm_bench_sim.core.errors import PromptError
from vlm_bench_sim.core.scene import footprint
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.profiles import cameras, robot
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.goals.placing import At, On
from vlm_bench_tasks.goals.touching import Reached
from vlm_bench_tasks.goals.units import leaves_of
from vlm_bench_tasks.language.places import ByNeighbour
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.run import Bench
from vlm_bench_tasks.suite.clevrskills._steps import NEAR, PLATE, THERE, TURN, VIEW

ONLY = ('match_pose', 'move_without_hitting', 'follow_order', 'follow_order_restore', 'rearrange', 'rearrange_restore')
WORDS = ('neighbour', 'novel_noun', 'novel_adj', 'novel_adj_noun')


def episodes(task, count=15):
    """Episodes of both splits along the first axis."""
    return [catalogue.build(f'clevrskills/{task}', split, seed) for split in ('seen', 'unseen') for seed in range(count)]


@pytest.mark.parametrize('task', ONLY)
def test_what_exists_in_pictures_only_is_refused_in_words_by_name(task):
    with pytest.raises(PromptError, match=f"'clevrskills/{task}' cannot be asked in words"):
        catalogue.build(f'clevrskills/{task}', 'seen', 0, prompt='words')
    assert catalogue.build(f'clevrskills/{task}', 'seen', 0).prompt == 'pictures'


@pytest.mark.parametrize('task', WORDS)
def test_the_others_are_asked_in_words_first(task):
    episode = catalogue.build(f'clevrskills/{task}', 'seen', 0)
    assert (episode.prompt, episode.instruction.pictures) == ('words', ())


@pytest.mark.parametrize('task', ONLY)
def test_all_that_a_key_step_asks_for_is_in_the_picture(task):
    (camera,) = cameras(VIEW)
    for episode in episodes(task):
        for picture in episode.instruction.pictures:
            if picture.role == 'key_step':
                spots = [prop.pose.position for prop in picture.scene.props] + ([picture.tool.position] if picture.tool else [])
                pixels = camera.project(np.array(spots), camera.pose)
                assert ((pixels > 0) & (pixels < 256)).all()


def test_poses_are_tilted_apart_and_within_reach_of_every_robot():
    counts = set()
    for episode in episodes('match_pose'):
        poses = [leaf.pose for leaf in leaves_of(episode.goal) if isinstance(leaf, Reached)]
        counts.add(len(poses))
        assert [picture.tool for picture in episode.instruction.pictures] == poses
        assert all(one.distance(other) >= 0.12 for one, other in combinations(poses, 2))
        assert all(15.0 - 1e-6 <= degrees(np.arccos(min(1.0, -pose.rotation[2, 2]))) <= 90.0 + 1e-6 for pose in poses)
        assert {(leaf.near, leaf.turn) for leaf in leaves_of(episode.goal)} == {(NEAR, TURN)}
    assert counts == {1, 2, 3}


@pytest.mark.parametrize('name', ['xarm6', 'panda_vacuum', 'ur5e'])
def test_every_robot_reaches_the_poses(name):
    profile = robot(name)
    kinematics = Kinematics(profile)
    poses = [picture.tool for episode in episodes('match_pose', 6) for picture in episode.instruction.pictures]
    found = [kinematics.inverse(pose, np.array(profile.home), np.random.default_rng(0), count=1) for pose in poses]
    assert all(found)


def test_obstacles_hang_clear_of_one_another_and_there_are_up_to_five():
    counts = set()
    for episode in episodes('move_without_hitting'):
        props = episode.scene.props
        counts.add(len(props))
        assert all(prop.fixed and prop.pose.position[2] > 0.1 for prop in props)
        assert all(one.pose.distance(other.pose) >= footprint(one) + footprint(other) for one, other in combinations(props, 2))
    assert counts == {1, 2, 3, 4, 5}


@pytest.mark.parametrize('task', ['follow_order', 'follow_order_restore'])
def test_each_step_shows_the_object_on_the_plate_that_is_next(task):
    for episode in episodes(task):
        ons = [leaf for leaf in leaves_of(episode.goal) if isinstance(leaf, On)]
        steps = [picture for picture in episode.instruction.pictures if picture.role == 'key_step']
        assert len(steps) == len(ons) - (task == 'follow_order_restore')
        for step, leaf in zip(steps, ons, strict=False):
            there = step.scene.prop(leaf.prop.name).pose.position
            assert there[:2] == pytest.approx(leaf.base.pose.position[:2])
            assert there[2] > leaf.base.pose.position[2]
        first = episode.scene.prop(ons[0].prop.name)
        assert all(leaf.base.name != other.base.name for leaf, other in pairwise(ons))
        assert footprint(first) <= PLATE / 2


@pytest.mark.parametrize('task', ['rearrange', 'rearrange_restore'])
def test_the_picture_shows_each_object_where_it_is_wanted_and_that_is_elsewhere(task):
    for episode in episodes(task):
        (picture,) = episode.instruction.pictures
        wanted = {leaf.prop.name: leaf for leaf in reversed(leaves_of(episode.goal)) if isinstance(leaf, At)}
        assert set(wanted) == {prop.name for prop in episode.scene.props}
        for prop in episode.scene.props:
            there = picture.scene.prop(prop.name).pose
            assert there.position[:2] == pytest.approx(wanted[prop.name].pose.position[:2])
            assert there.distance(prop.pose) >= 0.1 and wanted[prop.name].near == THERE
        assert not picture.robot


def test_the_side_alone_does_not_say_which_object_and_which_neighbour_are_meant():
    firsts = []
    for episode in episodes('neighbour'):
        ref, scene = episode.instruction.refs['other'], episode.scene
        assert ref.denotes(scene) == (ref.prop,) and ref.picture(scene) is None
        things = [prop.name for prop in scene.props if prop.noun == 'object']
        every = [(one, other) for one in things for other in things if one != other]
        pairs = [(one, other) for one, other in every if ByNeighbour(other, one).denotes(scene) == (other,)]
        same = [(one, other) for one, other in pairs if ByNeighbour(other, one).words(scene) == ref.words(scene)]
        meant = (episode.instruction.refs['item'].prop, ref.prop)
        assert meant in same and len(same) >= 2
        firsts.append(meant[0] == 'object_1')
        assert len(episode.alternatives) + 1 == 2 * sum(prop.noun == 'area' for prop in scene.props)
    assert 8 <= sum(firsts) <= len(firsts) - 8


@pytest.mark.parametrize('task', ['novel_adj', 'novel_adj_noun'])
def test_the_examples_of_an_adjective_have_the_factor_of_the_pair_on_the_table(task):
    for episode in episodes(task):
        meant = episode.scene.prop(episode.goal.prop.name)
        (other,) = (prop for prop in episode.scene.props if prop.kind == meant.kind and prop.look == meant.look and prop != meant)
        factor = meant.size[0] / other.size[0]
        shown = catalogue.build(episode.task, episode.split, episode.seed, prompt='pictures').instruction
        text = shown.text.replace('.', ' ').split()
        word = episode.instruction.refs['item'].word
        for place in (i for i, said in enumerate(text) if said == word and text[i + 1] == 'than'):
            one, another = (shown.pictures[int(text[at].strip('<>')) - 1].scene.props[0] for at in (place - 2, place + 3))
            assert one.size[0] / another.size[0] == pytest.approx(factor)
            assert (one.kind, one.look) == (another.kind, another.look)


def test_invented_nouns_differ_and_are_introduced():
    for episode in episodes('novel_noun'):
        first, second = (episode.instruction.refs[blank].word for blank in ('first', 'second'))
        assert first != second
        assert f'a {first}' in episode.instruction.text.lower() and f'the {second}' in episode.instruction.text.lower()


@pytest.fixture(scope='module')
def bench():
    made = Bench('xarm6')
    yield made
    made.close()


@pytest.mark.slow
@pytest.mark.parametrize('task', [*ONLY, *WORDS])
def test_what_another_prompt_asks_for_is_not_what_this_one_asks_for(bench, task):
    """The expert on each other plan, played by physics."""
    episode = catalogue.build(f'clevrskills/{task}', 'seen', 2)
    assert bench.run(episode, policy('oracle')).report.verdict.value == 'success'
    for other in episode.alternatives[:3]:
        misled = replace(episode, plan=other, alternatives=())
        assert bench.run(misled, policy('oracle')).report.verdict.value == 'failure'


@pytest.mark.slow
@pytest.mark.parametrize('task', catalogue.chosen('clevrskills'))
def test_every_form_of_the_prompt_has_the_same_states(bench, task):
    forms = (*catalogue.task(task).prompts, 'pictures,first_frame')
    runs = [bench.run(catalogue.build(task, 'seen', 3, prompt=form), policy('oracle')) for form in forms]
    assert all(run.report.verdict.value == 'success' for run in runs)
    assert len({run.hashes for run in runs}) == 1

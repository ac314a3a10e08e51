"""Scenes are perturbed once, by the seed, each kind by itself; goals and sentences go on meaning what they meant."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from test.plays import TASK, episode
from vlm_bench_sim.core.codec import dumps, loads
from vlm_bench_sim.core.engine import NO_ENGINE, PYBULLET
from vlm_bench_sim.core.errors import ConfigError, NeedError, SceneError, TaskError
from vlm_bench_sim.core.geometry import Box, Pose
from vlm_bench_sim.core.matter import Beads, Dirt
from vlm_bench_sim.core.mechanisms import Joint, Link, Mechanism
from vlm_bench_sim.core.perturbation import Perturbation
from vlm_bench_sim.core.prompts import KEY_STEP
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_tasks import catalogue, settings
from vlm_bench_tasks.goals.placing import At, On
from vlm_bench_tasks.goals.touching import Reached
from vlm_bench_tasks.goals.units import leaves_of
from vlm_bench_tasks.variation import perturbing
from vlm_bench_tasks.variation.placement import gap

SEEDS = range(40)
SCENE_KINDS = ('light', 'texture', 'distractors', 'friction', 'mass', 'table_height')


def harder(seed: int = 0, axis: str = '', **sizes):
    return catalogue.perturbed(catalogue.build(TASK, 'seen', seed, axis), Perturbation(**sizes))


def size_of(kind: str) -> float:
    return {'distractors': 2.0, 'texture': 1.0, 'table_height': 0.05}.get(kind, 0.5)


def test_without_a_perturbation_an_episode_is_the_one_that_was_built():
    assert catalogue.perturbed(episode(), Perturbation()) is episode()
    assert not episode().perturbation and episode().perturbation.labels == ()


@pytest.mark.parametrize('kind', SCENE_KINDS)
def test_each_kind_changes_the_scene_the_same_way_again_and_another_way_for_another_seed(kind):
    one = harder(**{kind: size_of(kind)})
    assert one.scene != episode().scene
    assert one == harder(**{kind: size_of(kind)})
    assert (one.scene.light, one.scene.table) != (harder(1, **{kind: size_of(kind)}).scene.light, one.scene.table) or kind != 'light'
    assert one.perturbation.labels and loads(dumps(one)) == one


@pytest.mark.parametrize('kind', ['pixel_noise', 'depth_noise', 'action_noise', 'drop_rate', 'camera_position', 'camera_angle'])
def test_what_happens_while_the_episode_runs_leaves_the_scene_alone(kind):
    one = harder(**{kind: 0.1})
    assert one.scene == episode().scene and one.goal == episode().goal
    assert one.seeded_perturbation.sizes == Perturbation(**{kind: 0.1}) and one.seeded_perturbation.seed > 0
    assert one.seeded_perturbation.seed == harder(0, mass=0.1).seeded_perturbation.seed != harder(1, mass=0.1).seeded_perturbation.seed


def test_kinds_do_not_disturb_each_other():
    every = harder(**{kind: size_of(kind) for kind in SCENE_KINDS})
    for kind in ('friction', 'mass'):
        alone = harder(**{kind: size_of(kind)})
        for prop in alone.scene.props:
            assert getattr(every.scene.prop(prop.name), kind) == getattr(prop, kind)
    assert every.scene.light == harder(light=0.5).scene.light
    assert every.scene.table.top == harder(table_height=0.05).scene.table.top
    assert every.scene.table.texture == harder(texture=1.0).scene.table.texture


def test_masses_and_frictions_are_spread_evenly_within_their_bounds():
    base = {seed: catalogue.build(TASK, 'seen', seed).scene for seed in SEEDS}
    found = {seed: harder(seed, mass=0.4, friction=0.3).scene for seed in SEEDS}
    masses = np.array([p.mass / base[s].prop(p.name).mass for s in SEEDS for p in found[s].props])
    frictions = np.array([p.friction / base[s].prop(p.name).friction for s in SEEDS for p in found[s].props])
    tables = np.array([found[s].table.friction / base[s].table.friction for s in SEEDS])
    for factors, bound in ((masses, 0.4), (frictions, 0.3), (tables, 0.3)):
        assert np.abs(factors - 1).max() <= bound + 1e-9
        assert abs(factors.mean() - 1) < 4 * bound / np.sqrt(3 * len(factors))
        assert factors.std() == pytest.approx(bound / np.sqrt(3), rel=0.25)
    assert abs(np.corrcoef(masses, frictions)[0, 1]) < 0.3


def test_the_table_goes_up_and_down_with_all_that_stands_on_it():
    lifts = []
    for seed in SEEDS:
        before, after = catalogue.build(TASK, 'seen', seed), harder(seed, table_height=0.05)
        lift = after.scene.table.top - before.scene.table.top
        lifts.append(lift)
        for prop in before.scene.props:
            assert after.scene.prop(prop.name).pose.position == pytest.approx((*prop.pose.position[:2], prop.pose.position[2] + lift))
        assert after.goal.props() == tuple(after.scene.prop(prop.name) for prop in before.goal.props())
    assert max(np.abs(lifts)) <= 0.05 and min(lifts) < -0.02 and max(lifts) > 0.02


def test_furniture_beads_and_dirt_go_with_the_table():
    link = Link('base', (Prop('base', 'cube', (0.2, 0.2, 0.1), episode().scene.props[0].color, 1.0),))
    scene = Scene(
        (),
        mechanisms=(Mechanism('cabinet', (link,), Pose((0.5, 0.2, 0.05))),),
        beads=(Beads('water', ((0.4, 0.0, 0.05),)),),
        dirt=(Dirt('soil', ((0.4, -0.1, 0.0),), ''),),
    )
    after = perturbing.perturbed(scene, harder(table_height=0.05).seeded_perturbation)
    lift = after.table.top
    assert lift != 0.0
    assert after.mechanisms[0].pose.position == pytest.approx((0.5, 0.2, 0.05 + lift))
    assert after.beads[0].centres == ((0.4, 0.0, 0.05 + lift),) and after.dirt[0].centres == ((0.4, -0.1, lift),)


def test_what_a_goal_says_of_places_follows_and_what_is_nothing_of_ours_stays():
    before, after = episode().scene, harder(table_height=0.05, mass=0.2).scene
    prop, lift = before.props[0], after.table.top
    told = perturbing.following((prop, Pose((0.4, 0.1, 0.02)), Box((0.4, 0.0, 0.1), (0.1, 0.1, 0.2)), 'words', None, 3), before, after)
    assert told[0] == after.prop(prop.name)
    assert told[1].position == pytest.approx((0.4, 0.1, 0.02 + lift)) and told[2].centre == pytest.approx((0.4, 0.0, 0.1 + lift))
    assert told[3:] == ('words', None, 3)
    stranger = replace(prop, name='stranger')
    assert perturbing.following(stranger, before, after) is stranger


@pytest.mark.parametrize('axis', ['color', 'size', 'shape', 'relative'])
def test_distractors_stand_clear_and_leave_the_sentence_its_meaning(axis):
    for seed in range(2 if axis == 'relative' else 8):
        before, after = catalogue.build(TASK, 'seen', seed, axis), harder(seed, axis, distractors=3)
        assert after.scene.props[: len(before.scene.props)] == before.scene.props
        assert [prop.name for prop in after.scene.props[-3:]] == ['distractor_1', 'distractor_2', 'distractor_3']
        assert all(gap(a, b) > 0.0 for a, b in combinations(after.scene.props, 2))
        for blank, ref in after.instruction.refs.items():
            assert ref.denotes(after.scene) == (ref.prop,), blank
            assert ref.words(after.scene) == ref.words(before.scene)
        low, high = after.scene.table.box.low, after.scene.table.box.high
        assert all((low[:2] < p.pose.position[:2]).all() and (p.pose.position[:2] < high[:2]).all() for p in after.scene.props)


def test_more_distractors_add_to_those_before():
    two, five = (harder(distractors=n).scene.props for n in (2, 5))
    assert five[: len(two)] == two


def test_distractors_keep_clear_of_furniture_and_of_where_something_shall_be_put():
    drawer = Joint('prismatic', Pose((-0.05, 0.0, 0.0)), (-1.0, 0.0, 0.0), 0.0, 0.2)
    part = Prop('box', 'cube', (0.2, 0.3, 0.1), episode().scene.props[0].color, 1.0)
    cabinet = Mechanism(
        'cabinet', (Link('frame', (part,)), Link('drawer', (replace(part, name='front'),), 'frame', drawer)), Pose((0.65, 0.3, 0.05))
    )
    spot = Pose((0.45, -0.25, 0.02))
    for seed in range(20):
        seeded_perturbation = harder(seed, distractors=4).seeded_perturbation
        scene = perturbing.perturbed(Scene((), mechanisms=(cabinet,)), seeded_perturbation, goal=(spot,))
        for prop in scene.props:
            x, y, _ = prop.pose.position
            assert not (0.40 < x < 0.75 and 0.15 < y < 0.45), 'where the drawer comes out'
            assert np.hypot(x - 0.45, y + 0.25) > 0.07


def test_a_full_table_is_said_to_be_full():
    slab = Prop('slab', 'cube', (1.0, 1.2, 0.02), episode().scene.props[0].color, 1.0, pose=Pose((0.45, 0.0, 0.01)))
    with pytest.raises(SceneError, match='No place was found'):
        perturbing.perturbed(Scene((slab,)), harder(distractors=1).seeded_perturbation)


def test_patterns_are_new_ones_in_a_shade_of_the_same_color():
    for seed in range(10):
        before, after = catalogue.build(TASK, 'seen', seed).scene, harder(seed, texture=1.0).scene
        for prop in after.props:
            assert prop.texture and prop.color == before.prop(prop.name).color
            assert prop.texture.color.name == '' and prop.texture.color.rgb != prop.color.rgb, 'so that the look keeps its name'
    worn = replace(before.props[0], texture=after.props[0].texture)
    scene = perturbing.perturbed(replace(before, props=(worn, *before.props[1:])), harder(9, texture=1.0).seeded_perturbation)
    assert scene.props[0] == worn
    assert worn.texture.pattern not in {prop.texture.pattern for prop in (*scene.props[1:],)} | {scene.table.texture.pattern}
    some = [prop.texture is None for seed in SEEDS for prop in harder(seed, texture=0.5).scene.props]
    assert 0.3 < np.mean(some) < 0.7


def test_the_light_strays_within_its_bounds():
    base = episode().scene.light
    lights = [harder(seed, light=0.5).scene.light for seed in SEEDS]
    strengths = np.array([light.strength / base.strength for light in lights])
    assert 0.5 <= strengths.min() < 0.7 and 1.3 < strengths.max() <= 1.5
    colors = np.array([np.divide(light.color.rgb, base.color.rgb) for light in lights])
    assert 0.5 <= colors.min() < 0.6 and 0.9 < colors.max() <= 1.0
    assert {light.direction for light in lights} == {base.direction}


def test_an_episode_is_perturbed_once():
    with pytest.raises(TaskError, match=r'already perturbed \(mass=0.1\)'):
        catalogue.perturbed(harder(mass=0.1), Perturbation(mass=0.1))


def test_a_real_arm_is_not_perturbed():
    catalogue.check_needs(TASK, engine=PYBULLET, perturbation=Perturbation(mass=0.1))
    with pytest.raises(NeedError, match=r'mass=0.1.*simulator'):
        catalogue.check_needs(TASK, engine=NO_ENGINE, perturbation=Perturbation(mass=0.1))


def test_presets_are_perturbations_and_one_holds_what_lohoravens_does():
    for name in settings.perturbations():
        assert catalogue.perturbation([name])
    assert catalogue.perturbation(['lohoravens']) == Perturbation(pixel_noise=3.0, depth_noise=0.003, action_noise=0.0025, drop_rate=0.1)
    with pytest.raises(ConfigError, match='Did you mean colosseum'):
        catalogue.perturbation(['colosseeum'])


def test_a_preset_that_is_wrong_is_named(monkeypatch):
    monkeypatch.setattr(settings, 'table', lambda _, levels: {'mine': {'pixel_nose': 3.0}})
    settings.perturbations.cache_clear()
    try:
        with pytest.raises(ConfigError, match=r'perturbations.yaml, mine, is wrong: .*pixel_nose'):
            settings.perturbations()
    finally:
        settings.perturbations.cache_clear()


def test_processes_with_other_hash_seeds_perturb_alike():
    program = (
        'from vlm_bench_tasks import catalogue; from vlm_bench_sim.core.codec import dumps; '
        f'print(dumps(catalogue.perturbed(catalogue.build("{TASK}", "seen", 4), catalogue.perturbation(["colosseum"]))))'
    )
    told = set()
    for seed in ('0', '12345'):
        environment = os.environ | {'PYTHONHASHSEED': seed}
        told.add(subprocess.run([sys.executable, '-c', program], env=environment, check=True, capture_output=True, text=True).stdout)
    ours = catalogue.perturbed(catalogue.build(TASK, 'seen', 4), catalogue.perturbation(['colosseum']))
    assert [json.loads(text) for text in told] == [json.loads(dumps(ours))]


def test_what_a_picture_asks_for_goes_up_and_down_with_the_table():
    for task, leaf in (('match_pose', Reached), ('follow_order', On), ('rearrange', At)):
        built = catalogue.build(f'clevrskills/{task}', 'seen', 3, prompt='pictures,first_frame')
        after = catalogue.perturbed(built, catalogue.perturbation(['table_height=0.1']))
        lift = after.scene.table.top - built.scene.table.top
        pairs = zip(built.instruction.pictures, after.instruction.pictures, strict=True)
        steps = [(one, other) for one, other in pairs if one.role == KEY_STEP]
        assert steps and lift
        for one, other in steps:
            for before, now in zip(one.scene.props, other.scene.props, strict=True):
                assert now == before.at(before.pose.shifted((0.0, 0.0, lift)))
            assert other.scene.table.top == pytest.approx(after.scene.table.top)
        assert after.instruction.pictures[-1].scene == after.scene
        wanted = [one for one in leaves_of(after.goal) if isinstance(one, leaf)]
        assert wanted and (leaf is not Reached or [one.pose for one in wanted] == [picture.tool for _, picture in steps])

"""The catalogue: found by listing, built without chance from outside, and helpful about wrong names."""

import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pytest
import yaml

from vlm_bench_sim.assets import config
from vlm_bench_sim.core.codec import dumps
from vlm_bench_sim.core.errors import ConfigError, NoRoomError, SplitError, TaskError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.extensions import PATH
from vlm_bench_tasks import catalogue, settings
from vlm_bench_tasks.conformance.check import CHECKS, check
from vlm_bench_tasks.conformance.subject import Subject
from vlm_bench_tasks.episode import Task

PICK = 'vlmbench/pick_place'


def test_tasks_are_the_files_of_the_suite():
    assert PICK in catalogue.tasks()
    assert not [name for name in catalogue.tasks() if '__init__' in name or '/_' in name]


@pytest.mark.parametrize(
    ('arguments', 'error', 'message'),
    [
        (('vlmbench/pick_plce', 'seen', 0), TaskError, 'Did you mean vlmbench/pick_place'),
        (('pick_place', 'seen', 0), TaskError, 'Did you mean vlmbench/pick_place'),
        ((PICK, 'unsen', 0), SplitError, "no split called 'unsen'. Did you mean unseen"),
        ((PICK, 'seen', 0, 'colour'), TaskError, "does not vary along 'colour'. Did you mean color"),
        ((PICK, 'seen', -1), TaskError, 'A seed is a whole number from 0 to 2⁶³ − 1; found -1'),
    ],
)
def test_a_wrong_name_is_answered_with_near_ones(arguments, error, message):
    with pytest.raises(error, match=message):
        catalogue.build(*arguments)


NEW = '''"""Put an object into a container."""

from vlm_bench_tasks.authoring import Draw, Episode, Inside, Task, say


def build(draw: Draw) -> Episode:
    (box,) = draw.trays(1)
    item, other = draw.solids(2, scale=(0.8, 1.0))
    return Episode(
        scene=draw.table(box, item, other),
        goal=Inside(item, box),
        instruction=say('Put {item} into {box}.', '{item} belongs in {box}.', item=draw.ref(item), box=draw.ref(box)),
    )


TASK = Task(build, axes=('color',), horizon=60.0)
'''


@pytest.fixture
def new_family(tmp_path, monkeypatch):
    """An extension with a family of tasks; takes the text of its `_family.py`."""

    def make(text=''):
        folder = tmp_path / 'our_tasks' / 'suite' / 'my_family'
        folder.mkdir(parents=True)
        (folder / 'fill.py').write_text(NEW)
        if text:
            (folder / '_family.py').write_text(text)
        monkeypatch.setenv(PATH, str(tmp_path / 'our_tasks'))

    monkeypatch.setattr(sys, 'path', [*sys.path])
    yield make
    for name in [name for name in sys.modules if name.startswith('our_tasks')]:
        del sys.modules[name]


def test_a_new_family_is_a_folder(new_family):
    new_family()
    assert 'my_family/fill' in catalogue.tasks() and PICK in catalogue.tasks()
    assert 'my_family' in catalogue.families()
    assert catalogue.splits('my_family/fill') == ('seen', 'unseen')
    assert catalogue.pools('my_family') == catalogue.pools('my_family/fill')
    assert catalogue.task('my_family/fill').robot == 'panda'
    episode = catalogue.build('my_family/fill', '', 3)
    assert (episode.split, episode.goal.words()) == ('seen', catalogue.build('my_family/fill', 'seen', 3).goal.words())


def test_what_a_family_says_holds_for_its_tasks(new_family):
    new_family('from vlm_bench_tasks.authoring import Due, Family\n\nFAMILY = Family(robot="xarm6", due=Due(together=0.5))\n')
    assert catalogue.task('my_family/fill').robot == 'xarm6'
    assert catalogue.family('my_family').due.together == 0.5
    assert catalogue.family('my_family/fill') == catalogue.family('my_family')


def test_a_family_that_is_none_is_named(new_family):
    with pytest.raises(TaskError, match=r"no family called 'vlmbensh'. Did you mean vlmbench"):
        catalogue.pools('vlmbensh')
    new_family('FAMILY = "my family"\n')
    with pytest.raises(TaskError, match=r"FAMILY of 'my_family' is a str. Make it a Family"):
        catalogue.task('my_family/fill')


def test_what_is_wrong_with_a_task_of_a_new_family_is_found(new_family):
    new_family()
    subject = Subject('my_family/fill', catalogue.task('my_family/fill'), seeds=4)
    found = [finding for each, findings in check(subject, tuple(one for one in CHECKS if not one.plays)) for finding in findings]
    assert [finding.check for finding in found] == ['words'], found


def test_the_task_fills_in_what_its_file_left_out():
    episode = catalogue.build(PICK, 'unseen', 3)
    task = catalogue.task(PICK)
    assert isinstance(task, Task)
    assert (episode.task, episode.axis, episode.split, episode.seed) == (PICK, 'color', 'unseen', 3)
    assert (episode.horizon, episode.revision, episode.step_limit) == (task.horizon, task.revision, 0)
    assert catalogue.splits(PICK) == ('seen', 'unseen')


def test_no_split_is_the_first_that_the_family_has():
    assert catalogue.build(PICK, '', 3) == catalogue.build(PICK, 'seen', 3)
    assert catalogue.build('lohoravens/match_bowls', '', 3).split == 'train'


def test_hash_seeds_and_processes_change_nothing():
    code = (
        'from vlm_bench_tasks import catalogue; from vlm_bench_sim.core.codec import dumps\n'
        f'for split in ("seen", "unseen"): print(dumps(catalogue.build({PICK!r}, split, 11)))'
    )
    here = ''.join(dumps(catalogue.build(PICK, split, 11)) + '\n' for split in ('seen', 'unseen'))
    for hash_seed in ('0', '4242'):
        environment = {**os.environ, 'PYTHONHASHSEED': hash_seed, 'PYTHONPATH': os.pathsep.join(sys.path)}
        there = subprocess.run([sys.executable, '-c', code], env=environment, capture_output=True, text=True, check=True)
        assert there.stdout == here


def test_pick_and_place_is_what_vlmbench_defines():
    """Two objects of one seen shape, two trays of 0.20 × 0.125 × 0.05 m, scales 0.8 to 1.2, and the paper's sentence among others."""
    shapes: Counter[str] = Counter()
    texts = set()
    for seed in range(120):
        episode = catalogue.build(PICK, 'seen', seed)
        objects = [prop for prop in episode.scene.props if prop.noun == 'object']
        trays = [prop for prop in episode.scene.props if prop.noun == 'container']
        assert (len(objects), len(trays)) == (2, 2)
        assert len({prop.kind for prop in objects}) == 1
        assert all(tray.size == (0.20, 0.125, 0.05) for tray in trays)
        shapes[objects[0].kind] += 1
        item, box = (episode.instruction.refs[name].words(episode.scene) for name in ('item', 'box'))
        sentences = {episode.instruction.text, *episode.instruction.paraphrases}
        assert f'Pick up {item} and place it into {box}.' in sentences
        assert len(sentences) >= 5
        assert episode.goal.words() == f'{item} is inside {box}'
        texts.add(episode.instruction.text.replace(item, 'I').replace(box, 'B').replace(box.capitalize(), 'B'))
    assert shapes.keys() == {'star', 'triangular_prism', 'cylinder', 'cube', 'moon'}
    assert len(texts) >= 5, 'the text is drawn among the paraphrases'


def test_the_splits_hold_vlmbenchs_colors():
    splits = yaml.safe_load(config('splits.yaml').read_text())['vlmbench']
    assert (len(splits['seen']['color']), len(splits['unseen']['color'])) == (20, 5)
    used = {prop.color.name for seed in range(60) for prop in catalogue.build(PICK, 'seen', seed).scene.props}
    assert used == set(splits['seen']['color'])
    used = {prop.color.name for seed in range(20) for prop in catalogue.build(PICK, 'unseen', seed).scene.props}
    assert used == {'brown', 'gold', 'pink', 'chocolate', 'coral'}


def test_a_task_file_without_a_task_is_an_error(monkeypatch):
    monkeypatch.setattr('vlm_bench_tasks.suite.vlmbench.pick_place.TASK', 'pick')
    with pytest.raises(TaskError, match=r"TASK of 'vlmbench/pick_place' is a str. Make it a Task\(build"):
        catalogue.task(PICK)


def test_a_wrong_line_in_the_splits_is_named(monkeypatch, tmp_path):
    (tmp_path / 'splits.yaml').write_text('vlmbench: {seen: {colors: {red: [1, 0, 0]}}}')
    monkeypatch.setattr(settings, 'config', lambda relative: tmp_path / relative)
    with pytest.raises(ConfigError, match=r'config/splits.yaml, vlmbench.seen, is wrong'):
        settings.splits.__wrapped__('vlmbench')


def test_what_a_split_leaves_out_comes_from_the_first(monkeypatch, tmp_path):
    (tmp_path / 'splits.yaml').write_text('f: {one: {color: {red: [1, 0, 0]}, shape: {solid: [cube]}}, two: {color: {tan: [1, 0.8, 0.5]}}}')
    monkeypatch.setattr(settings, 'config', lambda relative: tmp_path / relative)
    splits = settings.splits.__wrapped__('f')
    assert splits.pools['two'].shape == {'solid': ('cube',)}
    assert [color.name for color in splits.along('color', 'two').color] == ['tan']


def test_props_stand_where_every_robot_reaches_at_every_working_height(monkeypatch, tmp_path):
    (tmp_path / 'reach.yaml').write_text(
        'one: [{z: 0.0, r_min: 0.2, r_max: 0.8}, {z: 0.2, r_min: 0.3, r_max: 0.9}, {z: 0.4, r_min: 0.5, r_max: 0.6}]\n'
        'two: [{z: 0.1, r_min: 0.1, r_max: 0.7}]\n'
    )
    monkeypatch.setattr(settings, 'config', lambda relative: tmp_path / relative)
    assert settings.workspace.__wrapped__().reach == (0.3, 0.7)
    (tmp_path / 'reach.yaml').write_text('one: [{z: 0.0, r_min: -0.2, r_max: 0.8}]')
    with pytest.raises(ConfigError, match=r'config/reach.yaml, one, is wrong'):
        settings.workspace.__wrapped__()


def test_the_committed_reach_leaves_room_for_the_tasks():
    near, far = settings.workspace().reach
    assert 0.2 <= near <= 0.35
    assert far >= 0.65


def test_where_a_layout_has_no_room_places_are_drawn_anew_and_no_looks():
    def pick_once_full(full, places):
        def built(draw):
            found = catalogue.task(PICK).build(draw)
            places.append({prop.name: prop.pose for prop in found.scene.props})
            if len(places) <= full:
                raise NoRoomError('There is no room.')
            return found

        return replace(catalogue.task(PICK), build=built)

    def laid(full):
        places: list[dict] = []
        return catalogue.episode(pick_once_full(full, places), PICK, 'seen', 7), places

    (usual, _), (other, (first, second)), (third, _) = laid(0), laid(1), laid(2)
    nowhere = Pose()
    assert [prop.at(nowhere) for prop in usual.scene.props] == [prop.at(nowhere) for prop in other.scene.props]
    assert first == {prop.name: prop.pose for prop in usual.scene.props} and all(first[name] != second[name] for name in first)
    assert third.scene not in (usual.scene, other.scene) and laid(2)[0] == third
    with pytest.raises(NoRoomError, match='There is no room'):
        laid(100)


def test_an_episode_whose_first_layout_has_no_room_is_built(monkeypatch):
    assert len(catalogue.build(PICK, 'unseen', 100001, 'relative').scene.props) == 4
    monkeypatch.setattr(catalogue, '_LAYOUTS', 1)
    with pytest.raises(NoRoomError):
        catalogue.build(PICK, 'unseen', 100001, 'relative')

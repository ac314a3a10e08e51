"""A package beside this project brings tasks, robots, cameras and shapes: found everywhere alike, and unable to break the rest."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from vlm_bench_sim import extensions, profiles
from vlm_bench_sim.core.codec import dumps
from vlm_bench_sim.core.errors import ConfigError, TaskError, VlmBenchError
from vlm_bench_sim.extensions import PATH, Extension, add, found
from vlm_bench_tasks import catalogue, suites
from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.episode import Episode

ROOT = Path(__file__).parents[1]
ACME = ROOT / 'test' / 'acme_bench'
TASK = 'kitchen/pack'


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    """Extensions of a test are gone after it."""
    monkeypatch.setenv(PATH, '')
    monkeypatch.setattr(sys, 'path', [*sys.path])
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.partition('.')[0] in ('theirs', 'other', 'installed'):
            del sys.modules[name]


@pytest.fixture
def acme(monkeypatch):
    monkeypatch.setenv(PATH, str(ACME))


def written(folder: Path, **files: str) -> Path:
    """Write an extension: texts by path, in which __ stands for / and for the dot of the suffix."""
    for name, text in files.items():
        *folders, stem, suffix = name.split('__')
        path = folder.joinpath(*folders, f'{stem}.{suffix}')
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def command(*words: str, path: str = '') -> subprocess.CompletedProcess:
    program = 'from vlm_bench_tasks.cli.main import app; app()'
    environment = os.environ | {'PYTHONPATH': str(ROOT), 'COLUMNS': '200', PATH: path}
    return subprocess.run([sys.executable, '-c', program, *words], env=environment, capture_output=True, text=True, check=False)


def test_without_extensions_all_is_ours():
    assert found().extensions == () and suites.problems() == ()
    assert not any(word.startswith('extension:') for word in suites.versions_for('none', 'pybullet', tasks=['vlmbench/stack']))


def test_without_extensions_the_versions_of_a_report_read_no_file(monkeypatch):
    """The monitor asks for them in every control period."""
    monkeypatch.setattr(profiles, 'table', lambda *_, **__: pytest.fail('a file is read'))
    monkeypatch.setattr(profiles, 'share', lambda: pytest.fail('a folder is listed'))
    assert suites._owners.__wrapped__(found(), ('vlmbench/stack',), ('panda',), ('vlmbench',)) == ()


def test_tasks_robots_and_cameras_of_an_extension_stand_beside_ours(acme):
    assert {'kitchen/pack', 'vlmbench/stack'} <= set(catalogue.tasks())
    assert {'acme_arm', 'panda'} <= set(profiles.robots()) and {'acme', 'vlmbench'} <= profiles.camera_sets().keys()
    assert catalogue.task(TASK).robot == 'acme_arm' and catalogue.cameras(TASK) == 'acme:front,wrist'
    assert catalogue.splits(TASK) == ('seen', 'unseen')
    colors = {prop.color.name for seed in range(5) for prop in catalogue.build(TASK, 'seen', seed).scene.props}
    assert colors == {'lime', 'plum', 'rust', 'sky'}
    (front,) = profiles.cameras('acme:front', 64, 48)
    assert front.pose.position == (1.4, 0.2, 0.9)


def test_its_words_carry_its_package_and_are_read_by_who_has_not_loaded_it(acme):
    text = dumps(catalogue.build(TASK, 'seen', 3))
    assert '"is":"acme_bench.suite.kitchen._packed.Packed"' in text
    assert Episode.from_json(text) == catalogue.build(TASK, 'seen', 3)
    program = 'import sys; from vlm_bench_tasks.episode import Episode; print(Episode.from_json(sys.stdin.read()).goal.words())'
    for path, told in (
        (str(ACME), 'object is packed into'),
        ('', "unknown class 'acme_bench.suite.kitchen._packed.Packed'. There is no extension called"),
    ):
        done = subprocess.run(
            [sys.executable, '-c', program], input=text, env=os.environ | {'PYTHONPATH': str(ROOT), PATH: path},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert told in done.stdout + done.stderr


def test_scores_name_the_extensions_that_they_need_and_no_others(acme, tmp_path, monkeypatch):
    def told(**used):
        return [word for word in suites.versions_for('none', 'pybullet', **used) if word.startswith('extension:')]

    (label,) = told(tasks=[TASK, 'vlmbench/stack'], robots=['acme_arm'], cameras=['acme:front'])
    assert label.startswith('extension:acme_bench=unreleased+')
    assert told(robots=['acme_arm']) == told(cameras=['acme']) == [label]
    assert told(tasks=['vlmbench/stack'], robots=['panda'], cameras=['vlmbench', 'none', '']) == []
    theirs = written(tmp_path / 'theirs', suite__theirs__one__py='ONE = 1')
    before = extensions.digest(theirs)
    (theirs / 'suite' / 'theirs' / 'one.py').write_text('ONE = 2')
    assert extensions.digest.__wrapped__(theirs) != before


def test_a_broken_extension_is_named_and_the_others_still_work(acme, tmp_path, monkeypatch):
    theirs = written(
        tmp_path / 'theirs',
        suite__bad__broken__py='import nothing_at_all',
        suite__bad__none__py='"""No task."""',
        suite__vlmbench__stack__py='raise SystemExit(3)',
        config__cameras__yaml='[1, 2',
        config__robots__panda__yaml='urdf: panda.urdf',
        config__robots__odd__yaml='urdf: odd.urdf',
        config__shapes__yaml='lost: {mesh: lost.obj, size: [0.1, 0.1, 0.1]}',
    )
    monkeypatch.setenv(PATH, os.pathsep.join((str(theirs), str(tmp_path / 'gone'), str(ACME))))
    result = CliRunner().invoke(app, ['tasks', '--json'])
    rows = {row['task'] for row in json.loads(result.stdout)}
    assert {'kitchen/pack', 'vlmbench/stack'} <= rows and not [row for row in rows if row.startswith('bad/')]
    for told in (
        "'bad/broken' cannot be loaded from", "No module named 'nothing_at_all'", "TASK of 'bad/none' is a NoneType",
        "The family 'vlmbench' of the extension theirs is left out: the bench has this name. Rename it.",
        'The extension theirs brings no camera set: ', 'not valid YAML', 'is no folder',
        "The robot 'panda' of the extension theirs is left out", "shapes.yaml: lost is wrong: There is no file 'lost.obj'",
    ):  # fmt: skip
        assert told in result.stderr, told
    assert catalogue.task('vlmbench/stack').axes == ('color', 'relative', 'shape', 'size')
    assert 'odd' not in profiles.sound() and {'panda', 'acme_arm'} <= profiles.sound().keys()
    with pytest.raises(ConfigError, match=r'odd\.yaml is wrong'):
        profiles.robot('odd')
    with pytest.raises(TaskError, match='cannot be loaded from'):
        catalogue.task('bad/broken')
    with pytest.raises(VlmBenchError, match=r'There is no family called .*theirs is left out'):
        catalogue.family('vlmbenhc')


GOOD = """
from vlm_bench_tasks.authoring import Draw, Episode, Inside, Task, say
def build(draw):
    (box,), (item, other) = draw.trays(1), draw.solids(2, scale=(0.8, 1.0))
    return Episode(
        scene=draw.table(box, item, other), goal=Inside(item, box),
        instruction=say('Put {item} into {box}.', item=draw.ref(item), box=draw.ref(box)),
    )
TASK = Task(build, axes=('color',), horizon=60.0)
"""


@pytest.mark.parametrize('name', ['with space.py', 'a+b.py', 'star[1].py', 'class.py', 'ü.py', 'a-b.py', 'line\nend.py', 'a.b.py'])
def test_a_file_whose_name_no_task_can_have_is_named_and_breaks_nothing(tmp_path, monkeypatch, name):
    from vlm_bench_tasks.environment.registration import register

    theirs = written(tmp_path / 'theirs', suite__attic__good__py=GOOD)
    (theirs / 'suite' / 'attic' / name).write_text(GOOD)
    (theirs / 'suite' / 'attic' / '.hidden.py').write_text(GOOD)
    (theirs / 'suite' / 'attic' / 'folder.py').mkdir()
    monkeypatch.setenv(PATH, str(theirs))
    assert [task for task in catalogue.tasks() if task.startswith('attic/')] == ['attic/good']
    register()
    (problem,) = (told for told in suites.problems() if repr(name) in told or name in told)
    assert 'is left out: a task is a file whose name is letters, digits and _' in problem


@pytest.mark.parametrize(
    ('family', 'told'),
    [
        ('FAMILY = 3', "FAMILY of 'attic' is a int. Make it a Family"),
        ('FAMILY = Family(splits=3)', 'splits of a family is no such value'),
        ('FAMILY = Family(robot=9)', 'robot of a family is no such value'),
        ('FAMILY = Family(draw=3)', 'draw of a family is a subclass of Draw'),
        ("FAMILY = Family(robot='nosuch')", "FAMILY of 'attic' names what is not there: There is no robot called 'nosuch'"),
        ("FAMILY = Family(cameras='nosuch:x')", "There is no camera set called 'nosuch'"),
        ("FAMILY = Family(view='zz')", "There is no camera set called 'zz'"),
        ('print("hello")\nFAMILY = Family()\nFAMILY.x.y', 'AttributeError'),
    ],
)
def test_a_family_that_is_wrong_is_named_and_breaks_no_list(tmp_path, monkeypatch, family, told):
    text = f'from vlm_bench_tasks.authoring import Family\n{family}\n'
    monkeypatch.setenv(PATH, str(written(tmp_path / 'theirs', suite__attic__good__py=GOOD, suite__attic___family__py=text)))
    result = CliRunner().invoke(app, ['tasks', '--json'])
    assert told in result.stderr and 'vlmbench/stack' in {row['task'] for row in json.loads(result.stdout)}
    with pytest.raises(TaskError, match=re.escape(told)):
        catalogue.task('attic/good')


@pytest.mark.parametrize(
    ('task', 'told'),
    [
        ('TASK = Task(build, axes=(), horizon=60.0)', "The axes of a task are a tuple of names, such as ('color',); found '()'"),
        ("TASK = Task(build, axes=('color'), horizon=60.0)", "found 'color'"),
        ("TASK = Task(3, axes=('color',), horizon=60.0)", 'build of a task is a function of a Draw'),
        ("TASK = Task(build, axes=('color',), horizon='long')", 'horizon of a task is no such value'),
    ],
)
def test_a_task_of_wrong_values_is_refused(tmp_path, monkeypatch, task, told):
    monkeypatch.setenv(PATH, str(written(tmp_path / 'theirs', suite__attic__bad__py=f'{GOOD}\n{task}\n')))
    with pytest.raises(TaskError, match=re.escape(told)):
        catalogue.task('attic/bad')


@pytest.mark.parametrize(('build', 'told'), [('1 / 0', "build of 'attic/bad' failed: ZeroDivisionError"), ('3', "returns 'int'")])
def test_a_build_that_fails_is_told_with_its_line(tmp_path, monkeypatch, build, told):
    text = f"{GOOD}\nTASK = Task(lambda draw: {build}, axes=('color',), horizon=60.0)\n"
    monkeypatch.setenv(PATH, str(written(tmp_path / 'theirs', suite__attic__bad__py=text)))
    for words in (['run', '--task', 'attic/bad'], ['check', 'attic/bad', '--plays', '0']):
        result = CliRunner().invoke(app, words, env={'COLUMNS': '400'})
        assert result.exit_code in (1, 2) and told in result.output + result.stderr, result.output
        assert result.exception is None or isinstance(result.exception, SystemExit)


def test_what_an_extension_leaves_out_of_its_splits_is_that_of_the_default(tmp_path, monkeypatch):
    text = 'attic: {one: {color: {tan: [1, 0.8, 0.5]}}}\natic: {one: {color: {tan: [1, 0.8, 0.5]}}}\n'
    monkeypatch.setenv(PATH, str(written(tmp_path / 'theirs', suite__attic__good__py=GOOD, config__splits__yaml=text)))
    (pools,) = catalogue.pools('attic').pools.values()
    assert [color.name for color in pools.color] == ['tan'] and 'cube' in pools.shape['solid']
    assert any(
        "holds splits of 'atic', which is no family of the extension theirs. Did you mean attic?" in told for told in suites.problems()
    )


def test_a_relative_path_counts_from_where_it_was_first_looked_at(tmp_path, monkeypatch):
    written(tmp_path / 'theirs', suite__attic__good__py=GOOD)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(PATH, 'theirs')
    assert 'attic/good' in catalogue.tasks()
    monkeypatch.chdir('/')
    assert 'attic/good' in catalogue.tasks() and os.environ[PATH] == str(tmp_path / 'theirs')


def test_a_path_that_no_file_can_have_is_told(monkeypatch):
    monkeypatch.setenv(PATH, 'x' * 5000)
    assert 'is no folder' in ' '.join(suites.problems()) and 'vlmbench/stack' in catalogue.tasks()


def test_the_digest_is_of_the_package_and_not_of_what_else_lies_there(tmp_path):
    theirs = written(tmp_path / 'theirs', suite__attic__good__py=GOOD)
    before = extensions.digest.__wrapped__(theirs)
    written(theirs, report__json='{}', pages__robot__png='x', venv__lib__some__py='A = 1')
    written(theirs / 'suite' / '__pycache__', x__py='A = 1')
    written(theirs / 'suite' / '.ipynb_checkpoints', good__py='A = 1')
    assert extensions.digest.__wrapped__(theirs) == before
    written(theirs, suite__attic__more__json='{}')
    assert extensions.digest.__wrapped__(theirs) != before


def test_two_extensions_do_not_share_a_name(tmp_path, monkeypatch):
    one = written(tmp_path / 'theirs', suite__attic__fill__py='A = 1')
    two = written(tmp_path / 'other', suite__attic__fill__py='A = 1')
    three = written(tmp_path / 'more' / 'theirs', suite__cellar__fill__py='A = 1')
    monkeypatch.setenv(PATH, os.pathsep.join(map(str, (one, two, three))))
    first, second = suites.problems()
    assert 'The extension theirs lies in' in first and first.endswith('Rename one of them.')
    assert "'attic' of the extension other is left out: the extension theirs has this name" in second


@pytest.mark.parametrize(
    ('name', 'told'),
    [
        ('json', 'has the name of another module, json'),
        ('vlm_bench_tasks', 'belongs to the bench itself'),
        ('two words', 'cannot be imported under its name'),
        ('empty', 'is no extension: it holds neither suite/ nor config/'),
        ('gone', 'is no folder'),
    ],
)
def test_a_folder_that_is_no_extension_is_refused(tmp_path, name, told):
    folder = tmp_path / name
    if name != 'gone':
        written(folder, **({'readme__txt': ''} if name == 'empty' else {'suite__attic__fill__py': ''}))
    with pytest.raises(ConfigError, match=told):
        add(str(folder))
    assert os.environ[PATH] == '' and found().extensions == ()
    result = CliRunner().invoke(app, ['tasks', '--task-path', str(folder)])
    assert result.exit_code == 2 and told in result.stderr.replace('\n', ' ')


def test_an_installed_package_declares_itself(tmp_path, monkeypatch):
    written(tmp_path / 'installed', __init____py='', suite__attic__fill__py='A = 1')
    for name, value in (('installed', 'installed'), ('lost', 'lost_package'), ('module', 'json.tool')):
        written(
            tmp_path / f'{name}-1.2.dist-info',
            METADATA__=f'Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n',
            entry_points__txt=f'[vlm_bench.extensions]\n{name} = {value}\n',
        )
        (tmp_path / f'{name}-1.2.dist-info' / 'METADATA.').rename(tmp_path / f'{name}-1.2.dist-info' / 'METADATA')
    monkeypatch.syspath_prepend(str(tmp_path))
    extensions._found.cache_clear()
    try:
        assert found().extensions == (Extension('installed', (tmp_path / 'installed').resolve(), '1.2'),)
        assert 'attic/fill' in catalogue.tasks()
        told = ' '.join(found().problems)
        assert "'lost_package', which is no package" in told and "'json.tool', which is no package" in told
    finally:
        monkeypatch.undo()
        extensions._found.cache_clear()


@pytest.mark.long
def test_workers_play_it_and_its_bags_are_judged_again(tmp_path):
    """Evaluated and generated by several processes; a bag is judged again where the extension is, and refused by name elsewhere."""
    words = ('evaluate', '--tasks', TASK, '--seeds', '1000:1002', '--policy', 'oracle', '--workers', '2', '--out', str(tmp_path / 'r.json'))
    done = command(*words, '--task-path', str(ACME))
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / 'r.json').read_text())
    assert [one['verdict'] for one in report['episodes']] == ['success'] * 2
    assert report['conditions']['tasks'][0]['robot'] == 'acme_arm' and any(
        'extension:acme_bench=' in word for word in report['conditions']['versions']
    )
    data = tmp_path / 'data'
    made = command('generate', '--tasks', TASK, '--seeds', '0:2', '--workers', '2', '--out', str(data), path=str(ACME))
    assert made.returncode == 0, made.stderr
    bag = str(next(path.parent for path in sorted(data.rglob('metadata.yaml'))))
    assert command('judge', bag, path=str(ACME)).returncode == 0
    assert command('replay', bag, path=str(ACME)).returncode == 0
    alone = command('judge', bag)
    assert alone.returncode == 2 and alone.stdout == ''
    assert f"{bag} cannot be judged here: There is no extension called 'acme_bench'" in alone.stderr


@pytest.mark.long
@pytest.mark.parametrize('engine', ['pybullet', 'mujoco'])
def test_the_expert_tidies_up_its_shapes_and_a_process_of_its_own_judges_the_bag(tmp_path, engine):
    told = []
    for seed, axis in ((0, 'color'), (1, 'color'), (3, 'shape')):
        words = ('run', '--task', 'kitchen/tidy', '--seed', str(seed), '--axis', axis, '--engine', engine, '--record', str(tmp_path))
        done = command(*words, path=str(ACME))
        told.append((re.search(r'verdict +(\w+)', done.stdout) or ['', done.stderr])[1])
    assert told == ['success'] * 3
    for bag in sorted(tmp_path.iterdir()):
        for words in (['judge', str(bag)], ['replay', str(bag)]):
            done = command(*words, path=str(ACME))
            assert done.returncode == 0, done.stdout + done.stderr


def test_gymnasium_finds_it():
    program = (
        'import gymnasium, vlm_bench_tasks.environment as e; e.register()\n'
        'one = gymnasium.make("vlm_bench/kitchen-pack-v0", cameras="acme:front", size=(32, 24))\n'
        'seen, told = one.reset(seed=1000); print(sorted(seen))'
    )
    done = subprocess.run(
        [sys.executable, '-c', program], env=os.environ | {'PYTHONPATH': str(ROOT), PATH: str(ACME)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0 and 'pixels' in done.stdout, done.stdout + done.stderr

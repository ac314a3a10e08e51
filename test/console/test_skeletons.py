"""What `vlm-bench new` writes passes its check, and writes over nothing."""

import os
import sys
from pathlib import Path
from re import DOTALL, search

import pytest
from typer.testing import CliRunner

from vlm_bench_sim.extensions import PATH
from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.console import task_skeleton

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.setenv(PATH, '')
    monkeypatch.setattr(sys, 'path', [*sys.path])
    monkeypatch.chdir(tmp_path)
    yield
    for name in [name for name in sys.modules if name.partition('.')[0] == 'my_bench']:
        del sys.modules[name]


def call(*words):
    return CliRunner().invoke(app, [*words], env={'COLUMNS': '200'})


def files(folder='my_bench'):
    return sorted(path.relative_to(folder).as_posix() for path in Path(folder).rglob('*') if path.is_file() and path.suffix != '.pyc')


def test_the_page_shows_what_is_written():
    shown = search(r'```python\n(.*?)```', (ROOT / 'docs' / 'adding_a_task.md').read_text(), DOTALL)[1]
    assert shown == Path(task_skeleton.__file__).read_text()


def test_a_new_task_passes_its_check():
    made = call('new', 'task', 'kitchen/fill')
    assert made.exit_code == 0 and ' check kitchen/fill --task-path my_bench' in made.stdout
    assert files() == ['__init__.py', 'suite/__init__.py', 'suite/kitchen/__init__.py', 'suite/kitchen/fill.py']
    checked = call('check', 'kitchen/fill', '--task-path', 'my_bench', '--seeds', '2', '--plays', '0')
    assert checked.exit_code == 0, checked.stdout + checked.stderr
    assert call('new', 'task', 'kitchen/other').exit_code == 0


@pytest.mark.parametrize('on_path', [False, True])
def test_the_check_is_told_as_the_shell_can_call_it(on_path, monkeypatch):
    called = Path('bin/vlm-bench')
    called.parent.mkdir()
    called.touch(mode=0o755)
    monkeypatch.setattr(sys, 'argv', [str(called)])
    monkeypatch.setenv('PATH', str(called.parent.absolute()) if on_path else '')
    made = call('new', 'cameras', 'mine', '--into', 'own folder/my_bench')
    assert (
        made.stdout.splitlines()[-1]
        == f"check it: {'vlm-bench' if on_path else called} check-cameras mine --task-path 'own folder/my_bench'"
    )


def test_a_family_of_the_bench_is_refused_even_where_a_folder_has_its_name():
    Path('my_bench/suite/vlmbench').mkdir(parents=True)
    made = call('new', 'task', 'vlmbench/x')
    assert made.exit_code == 2 and 'There is a family called vlmbench already' in made.stderr and files() == []


@pytest.mark.parametrize('content', [b'\xff\xfe\x00', b'a: ' + b'[' * 10_000, None], ids=['no text', 'deep', 'pipe'])
def test_cameras_are_added_to_no_file_that_cannot_be_read(content):
    file = Path('my_bench/config/cameras.yaml')
    file.parent.mkdir(parents=True)
    if content is None:
        os.mkfifo(file)
    else:
        file.write_bytes(content)
    made = call('new', 'cameras', 'mine')
    assert made.exit_code == 2 and 'cannot be added to' in made.stderr, made.stderr
    assert (not file.is_file() if content is None else file.read_bytes() == content) and list(Path('my_bench').rglob('*.py')) == []


def test_a_new_robot_passes_its_check_and_gets_a_page(monkeypatch):
    assert call('new', 'robot', 'my_arm').exit_code == 0
    assert files() == ['__init__.py', 'config/robots/my_arm.urdf', 'config/robots/my_arm.yaml']
    monkeypatch.setattr('vlm_bench_tasks.pages.own_pages.measure', lambda _: [{'z': 0.02, 'r_min': 0.2, 'r_max': 0.79}])  # half a minute
    checked = call('check-robot', 'my_arm', '--task-path', 'my_bench', '--plays', '0', '--page', 'pages')
    assert checked.exit_code == 0, checked.stdout + checked.stderr
    assert checked.stdout.count('yes ') == 6 and '--plays 0 leaves out: pick' in checked.stdout
    page = Path('pages/my_arm.md').read_text()
    assert '| fingertips | 8.8 mm beyond the tool centre point along z |' in page and '| 0.02 m | 0.20 m | 0.79 m |' in page
    assert '![my_arm at home, from two sides](robot_my_arm.png)' in page and Path('pages/robot_my_arm.png').stat().st_size > 20_000


def test_new_cameras_pass_their_check_and_are_drawn():
    for name in ('mine', 'yours'):
        assert call('new', 'cameras', name).exit_code == 0
    assert files() == ['__init__.py', 'config/cameras.yaml']
    checked = call('check-cameras', 'yours', '--task-path', 'my_bench', '--sheet', 'sheet.png')
    assert checked.exit_code == 0 and checked.stdout.count('yes ') == 5, checked.stdout + checked.stderr
    assert Path('sheet.png').stat().st_size > 10_000


@pytest.mark.parametrize(
    ('words', 'told'),
    [
        (('task', 'sort'), 'A task is called <family>/<file>'),
        (('task', 'kitchen/Sort'), 'A name is lower-case letters'),
        (('task', 'kitchen/class'), 'A name is lower-case letters'),
        (('task', '../etc/x'), 'A name is lower-case letters'),
        (('task', 'vlmbench/mine'), 'There is a family called vlmbench already'),
        (('robot', 'panda'), 'There is something called panda already'),
        (('cameras', 'arnold'), 'There is something called arnold already'),
        (('robot', 'x', '--into', 'two words'), 'cannot be imported under its name'),
        (('robot', 'x', '--into', 'json'), 'has the name of another module, json'),
        (('robot', 'x', '--into', str(ROOT)), 'belongs to the bench itself'),
        (('robot', 'x', '--into', str(ROOT / 'vlm_bench_sim')), 'belongs to the bench itself'),
        (('robot', 'x', '--into', 'my_bench/suite'), 'cannot be imported under its name'),
        (('cameras', 'none'), 'There is something called none already'),
    ],
)
def test_a_name_that_cannot_be_is_refused_and_nothing_is_written(words, told):
    done = call('new', *words)
    assert done.exit_code == 2 and told in done.stderr.replace('\n', ' ')
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize('before', ['{mine: {f: {eye: [1, 0, 1], target: [0, 0, 0], fov_deg: 40}}}', '[1, 2', 'mine:\n  f: [1, 2'])
def test_a_file_of_cameras_that_cannot_be_added_to_is_left_as_it_is(before):
    file = Path('my_bench/config/cameras.yaml')
    file.parent.mkdir(parents=True)
    file.write_text(before)
    done = call('new', 'cameras', 'zz')
    assert done.exit_code == 2 and 'cannot be added to' in done.stderr.replace('\n', ' ') and file.read_text() == before


def test_nothing_is_written_over():
    assert call('new', 'task', 'kitchen/fill').exit_code == 0
    file = Path('my_bench/suite/kitchen/fill.py')
    file.write_text(file.read_text() + '# mine\n')
    again = call('new', 'task', 'kitchen/fill')
    assert again.exit_code == 2 and 'is there already, and nothing was written' in again.stderr.replace('\n', ' ')
    assert file.read_text().endswith('# mine\n')
    Path('other').write_text('a file')
    assert call('new', 'robot', 'x', '--into', 'other').exit_code == 2 and Path('other').read_text() == 'a file'

"""What pip installs: a wheel with all files that a bench without ROS reads, from a clone and from an archive of the sources."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterable
from email import message_from_string
from pathlib import Path
from venv import EnvBuilder
from zipfile import ZipFile

import pytest
from typer.testing import CliRunner

import vlm_bench_sim
from vlm_bench_sim.assets import share
from vlm_bench_tasks import catalogue, fingerprint
from vlm_bench_tasks.cli.main import app

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ('vlm_bench_sim', 'vlm_bench_tasks', 'vlm_bench_baselines')
INSIDE = 'vlm_bench_sim/_share'
NAME = f'vlm_bench_sim-{vlm_bench_sim.__version__}'
DATA, INFO = f'{NAME}.data/data/share', f'{NAME}.dist-info/'
ENVIRONMENT = {'PATH': '/usr/bin:/bin', 'HOME': os.environ.get('HOME', '/tmp')}


def files(folder: Path, top: str) -> list[str]:
    """The files below a folder that belong to the sources, as paths inside the tree."""
    found = [path.relative_to(folder) for path in sorted((folder / top).rglob('*')) if path.is_file()]
    return [path.as_posix() for path in found if '__pycache__' not in path.parts]


def expected(tree: Path) -> dict[str, str]:
    """Each file of the wheel and where it is in the sources."""
    found = {name: name for package in PACKAGES for name in files(tree, package)}
    found |= {f'{INSIDE}/{name}': name for top in ('config', 'vlm_bench_msgs/msg') for name in files(tree, top)}
    found |= {f'{DATA}/vlm_bench_sim/{name}': name for top in ('launch', 'layouts') for name in files(tree, top)}
    return found | {
        f'{DATA}/vlm_bench_sim/package.xml': 'package.xml',
        f'{DATA}/ament_index/resource_index/packages/vlm_bench_sim': 'resource/vlm_bench_sim',
    }


def python(*words: str | Path, cwd: Path, program: Path | str = sys.executable, **environment: str) -> str:
    """What a program prints that is started in a folder, with no more of the environment than given."""
    done = subprocess.run([program, *words], cwd=cwd, env=ENVIRONMENT | environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def built(tree: Path, out: Path) -> Path:
    """The wheel of a source tree, built as a user would, with the tools of this environment."""
    python('-m', 'pip', 'wheel', '.', '--no-deps', '--no-build-isolation', '--no-index', '-q', '-w', out, cwd=tree)
    (wheel,) = out.glob('*.whl')
    return wheel


@pytest.fixture(scope='module')
def tree(tmp_path_factory) -> Path:
    """A copy of the sources, with what an earlier build and Python leave behind."""
    copy = tmp_path_factory.mktemp('clone') / 'vlm_bench'
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns('.*', 'build', 'install', 'log', 'records', 'runs', 'docs', '*.egg-info'))
    for left in ('build/lib/vlm_bench_tasks/suite/removed.py', f'build/lib/{INSIDE}/config/removed.yaml', 'config/__pycache__/left.pyc'):
        (copy / left).parent.mkdir(parents=True, exist_ok=True)
        (copy / left).write_text('')
    return copy


@pytest.fixture(scope='module')
def wheel(tree, tmp_path_factory) -> Path:
    return built(tree, tmp_path_factory.mktemp('wheel'))


def contents(wheel: Path) -> dict[str, int]:
    """The check sums of the files in a wheel."""
    with ZipFile(wheel) as archive:
        return {one.filename: one.CRC for one in archive.infolist()}


def differing(wheel: Path, tree: Path, wanted: dict[str, str]) -> Iterable[str]:
    with ZipFile(wheel) as archive:
        yield from (name for name, source in wanted.items() if archive.read(name) != (tree / source).read_bytes())


def test_a_wheel_holds_each_file_once_and_nothing_else(tree, wheel):
    wanted = expected(tree)
    there = {name for name in contents(wheel) if not name.startswith(INFO)}
    assert there == set(wanted)
    assert {f'{INSIDE}/config/robots/panda.urdf', f'{INSIDE}/vlm_bench_msgs/msg/Tick.msg'} <= there
    assert list(differing(wheel, tree, wanted)) == []


def test_a_wheel_says_what_it_is(tree, wheel):
    with ZipFile(wheel) as archive:
        told = message_from_string(archive.read(f'{INFO}METADATA').decode())
        (licence,) = (name for name in archive.namelist() if name.startswith(INFO) and name.endswith('/LICENSE'))
        assert archive.read(licence) == (tree / 'LICENSE').read_bytes()
    assert (told['Version'], told['License'], told['Requires-Python']) == (vlm_bench_sim.__version__, 'Apache-2.0', '>=3.10')
    assert told['Summary'] and told['Description-Content-Type'] == 'text/markdown'
    assert str(told.get_payload()).strip() == (tree / 'README.md').read_text().strip()
    assert {'gym', 'export', 'mujoco', 'server', 'baselines'} <= set(told.get_all('Provides-Extra', []))


def test_an_archive_of_the_sources_makes_the_same_wheel(tree, wheel, tmp_path):
    code = f'from setuptools import build_meta; build_meta.build_sdist({str(tmp_path)!r})'
    python('-c', code, cwd=tree)
    (archive,) = tmp_path.glob('*.tar.gz')
    with tarfile.open(archive) as opened:
        opened.extractall(tmp_path)
    again = contents(built(tmp_path / archive.name.removesuffix('.tar.gz'), tmp_path / 'out'))
    assert {name: sum_ for name, sum_ in again.items() if not name.startswith(INFO)} == {
        name: sum_ for name, sum_ in contents(wheel).items() if not name.startswith(INFO)
    }


def test_an_installation_as_colcon_makes_it_holds_the_same(tree, tmp_path):
    words = 'build --build-base {0}/build install --prefix {0}/prefix --record {0}/record --single-version-externally-managed --no-compile'
    python('-W', 'ignore', 'setup.py', '-q', *words.format(tmp_path).split(), cwd=tree)
    (code,) = (tmp_path / 'prefix').glob('l*/**/vlm_bench_sim/__init__.py')
    prefix, place = tmp_path / 'prefix', code.parents[1]
    there = {name.removeprefix(f'{DATA}/'): name for name in expected(tree)}
    missing = [
        short for short, name in there.items() if not ((prefix / 'share' / short) if name.startswith(DATA) else place / name).is_file()
    ]
    assert missing == []
    assert os.access(prefix / 'lib/vlm_bench_sim/vlm-bench', os.X_OK), 'where ros2 run looks'
    assert str(place / INSIDE / 'config/splits.yaml') in (tmp_path / 'record').read_text().splitlines()


WHO = """import json, vlm_bench_sim, vlm_bench_tasks
from vlm_bench_sim import assets, versions
from vlm_bench_sim.bags.definitions import type_hash
from vlm_bench_tasks import fingerprint
codes = [fingerprint.code(), fingerprint.code(pictures=True), fingerprint.code(engine='mujoco')]
codes += [versions.configuration(assets.share() / 'config'), type_hash('vlm_bench_msgs/msg/Tick')]
print(json.dumps([codes, [vlm_bench_sim.__file__, vlm_bench_tasks.__file__, str(assets.share())]]))"""


def test_a_wheel_has_the_fingerprint_of_its_sources(wheel, tmp_path):
    with ZipFile(wheel) as archive:
        archive.extractall(tmp_path / 'target')  # as pip install --target does
    (tmp_path / 'empty').mkdir()
    codes, places = json.loads(python('-c', WHO, cwd=tmp_path / 'empty', PYTHONPATH=str(tmp_path / 'target')))
    assert all(Path(place).is_relative_to(tmp_path / 'target') for place in places)
    ours, places = json.loads(python('-c', WHO, cwd=tmp_path, PYTHONPATH=str(ROOT)))
    assert all(Path(place).is_relative_to(ROOT) for place in places)
    assert codes == ours
    assert codes[0] == fingerprint.code()


@pytest.mark.parametrize(('mode', 'place'), [('lenient', '.'), ('strict', f'build/__editable__.{NAME}-py3-none-any')])
def test_what_pip_installs_from_a_clone_that_stays_reads_the_files_of_the_clone(tree, tmp_path, mode, place):
    code = f'from setuptools import build_meta; build_meta.build_editable({str(tmp_path)!r}, {{"editable_mode": "{mode}"}})'
    python('-c', code, cwd=tree)
    _, (module, _, files_) = json.loads(python('-c', WHO, cwd=tmp_path, PYTHONPATH=str(tree / place)))
    assert Path(module) == tree / place / 'vlm_bench_sim/__init__.py'
    assert Path(files_) == tree


def test_a_clone_reads_its_own_files():
    assert share() == ROOT


def environment(folder: Path, wheel: Path) -> Path:
    """A virtual environment with the wheel. It borrows the libraries of this one, but nothing of the project's that is installed here."""
    EnvBuilder(symlinks=True).create(folder)
    python('-m', 'pip', '--python', folder / 'bin/python', 'install', '-q', '--no-deps', '--no-index', wheel, cwd=folder)
    (packages,) = folder.glob('lib/python3*/site-packages')
    lent = [path for path in sys.path if path.endswith('-packages') and not list(Path(path).glob('vlm_bench_*/__init__.py'))]
    (packages / 'lent.pth').write_text('\n'.join(lent))
    return folder / 'bin'


GYMNASIUM = """import gymnasium, sys
import vlm_bench_tasks.environment
gymnasium.register_envs(vlm_bench_tasks.environment)
env = gymnasium.make('vlm_bench/vlmbench-pick_place-v0', cameras='none')
seen, info = env.reset(seed=3)
env.step(env.action_space.sample())
print(info['task_description'])
print(*sorted({m.__file__ for n, m in sys.modules.items() if n.startswith('vlm_bench') and m.__file__}), sep='\\n')"""


@pytest.mark.long
def test_a_wheel_plays_and_scores_without_the_clone(wheel, tmp_path):
    bin_, here = environment(tmp_path / 'venv', wheel), tmp_path / 'empty'
    here.mkdir()

    def bench(*words: str) -> str:
        return python(*words, cwd=here, program=bin_ / 'vlm-bench')

    assert [row['task'] for row in json.loads(bench('tasks', '--json'))] == list(catalogue.tasks())
    asked = ('run', '--json', '--task', 'vlmbench/pick_place', '--seed', '3')
    found, ours = json.loads(bench(*asked, '--record', 'bags')), json.loads(CliRunner().invoke(app, asked).stdout)
    assert found['verdict'] == 'success'
    assert found['state_hash'] == ours['state_hash']
    bench('evaluate', '--policy', 'oracle', '--axis', 'color', '--split', 'seen', '--seeds', '100000:100001', '--out', 'report.json')
    report = json.loads((here / 'report.json').read_text())
    assert [episode['verdict'] for episode in report['episodes']] == ['success']
    assert report['bench'] == fingerprint.code()
    sentence, *modules = python('-c', GYMNASIUM, cwd=here, program=bin_ / 'python').splitlines()
    assert sentence.endswith('.')
    assert len(modules) > 50 and all(Path(name).is_relative_to(tmp_path / 'venv') for name in modules)
    up = subprocess.run([bin_ / 'vlm-bench', 'up'], cwd=here, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert up.returncode == 2
    assert 'vlm_bench_msgs' in up.stderr and 'Run make setup' in up.stderr and 'Traceback' not in up.stderr
    assert sorted(path.name for path in here.iterdir()) == ['bags', 'report.json']

"""LeRobot itself reads what we write: in a virtual environment of its own, since it wants torch and other versions than ours."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from vlm_bench_tasks.dataset.exports import lerobot
from vlm_bench_tasks.dataset.exports.choice import bags, whole
from vlm_bench_tasks.dataset.exports.frames import Wish

VERSION = '0.4.4'
PLACE = 'VLM_BENCH_LEROBOT_VENV'
READ = Path(__file__).parent / 'read_with_lerobot.py'


@pytest.fixture(scope='module')
def python():
    """The interpreter of an environment with LeRobot: of the one that is named, or of one that is made once and kept in the cache."""
    cache = Path(os.environ.get('XDG_CACHE_HOME', Path.home() / '.cache'))
    place = Path(os.environ.get(PLACE, cache / 'vlm_bench' / f'lerobot-{VERSION}'))
    found = place / 'bin' / 'python'
    if not has_lerobot(found):
        if PLACE in os.environ:
            pytest.skip(f'{PLACE} is {place}, where lerobot {VERSION} cannot be imported')
        venv.create(place, with_pip=True, clear=True)
        made = subprocess.run(
            [found, '-m', 'pip', 'install', '-q', f'lerobot=={VERSION}'], check=False, capture_output=True, text=True, timeout=1500
        )
        if made.returncode or not has_lerobot(found):
            pytest.skip(f'lerobot {VERSION} cannot be installed here: {made.stderr.strip()[-300:]}')
    return found


def has_lerobot(python: Path) -> bool:
    asked = 'import importlib.metadata as m; print(m.version("lerobot"))'
    return python.exists() and subprocess.run([python, '-c', asked], check=False, capture_output=True, text=True).stdout.strip() == VERSION


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(('action', 'depth'), [('joints', True), ('pose', False)])
def test_lerobot_loads_a_dataset_and_a_batch_of_it(recorded, tmp_path, python, action, depth):
    out = tmp_path / 'dataset'
    with whole(out) as part:
        episodes = list(lerobot.export(bags(recorded[0], failures=True), part, Wish(action=action, depth=depth)))
    expected = str(sum(map(len, episodes))), str(len(episodes))
    offline = {**os.environ, 'HF_HUB_OFFLINE': '1', 'HF_HOME': str(tmp_path / 'home'), 'PYTHONPATH': ''}
    done = subprocess.run([python, READ, out, *expected], check=False, capture_output=True, text=True, timeout=600, env=offline)
    assert done.returncode == 0, done.stderr[-2000:]
    print(done.stdout, file=sys.stderr)

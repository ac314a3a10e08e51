"""LeRobot itself reads what we write, and trains on it, in a virtual environment of its own; what it trained is served and scored here."""

import os
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE, STDOUT

import pytest

from vlm_bench_tasks.dataset.exports import lerobot
from vlm_bench_tasks.dataset.exports.choice import bags, whole
from vlm_bench_tasks.dataset.exports.frames import Wish
from vlm_bench_tasks.evaluation.report import EvaluationReport

READ = Path(__file__).parent / 'read_with_lerobot.py'
ROOT = Path(__file__).parents[3]
RUN = 'from vlm_bench_tasks.cli.main import app; app()'
TASK, CAMERAS = 'vlmbench/pick_place', 'vlmbench:front,wrist'


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(('action', 'depth'), [('joints', True), ('pose', False)])
def test_lerobot_loads_a_dataset_and_a_batch_of_it(recorded, tmp_path, lerobot_python, action, depth):
    out = tmp_path / 'dataset'
    with whole(out) as part:
        episodes = list(lerobot.export(bags(recorded[0], failures=True), part, Wish(action=action, depth=depth)))
    expected = str(sum(map(len, episodes))), str(len(episodes))
    words = [lerobot_python, READ, out, *expected]
    done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=600, env=offline(tmp_path))
    assert done.returncode == 0, done.stderr[-2000:]
    print(done.stdout, file=sys.stderr)


@pytest.fixture
def trained(recorded, tmp_path, lerobot_python):
    """A tiny ACT that LeRobot trained for two steps on our export."""
    with whole(tmp_path / 'dataset') as part:
        list(lerobot.export(bags(recorded[0]), part, Wish(20)))
    small = {'dim_model': 32, 'n_heads': 2, 'dim_feedforward': 32, 'n_encoder_layers': 1, 'n_vae_encoder_layers': 1, 'chunk_size': 10}
    small |= {'n_action_steps': 10, 'type': 'act', 'push_to_hub': 'false', 'pretrained_backbone_weights': 'null', 'device': 'cpu'}
    words = [lerobot_python.with_name('lerobot-train'), '--dataset.repo_id=local/x', f'--dataset.root={tmp_path / "dataset"}']
    words += ['--dataset.video_backend=pyav', '--batch_size=2', '--steps=2', '--num_workers=0', f'--output_dir={tmp_path / "out"}']
    done = subprocess.run(
        [*words, *(f'--policy.{name}={value}' for name, value in small.items())],
        check=False, capture_output=True, text=True, timeout=600, env=offline(tmp_path),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return tmp_path / 'out' / 'checkpoints' / 'last' / 'pretrained_model'


def offline(folder):
    return {**os.environ, 'HF_HUB_OFFLINE': '1', 'HF_HOME': str(folder / 'home'), 'PYTHONPATH': ''}


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_what_lerobot_trained_on_an_export_is_served_and_scored(trained, tmp_path, lerobot_python):
    words = [lerobot_python, '-m', 'examples.servers.lerobot_server', '--checkpoint', trained, '--port', '0']
    with subprocess.Popen(words, cwd=ROOT, stdout=PIPE, stderr=STDOUT, text=True, env=offline(tmp_path)) as server:
        try:
            address = next(line.split()[-1] for line in server.stdout if line.startswith('Serving on'))
            report = tmp_path / 'report.json'
            play = [
                'evaluate',
                '--policy',
                address,
                '--tasks',
                TASK,
                '--axis',
                'color',
                '--seeds',
                '80000:80001',
                '--observation',
                'export',
            ]
            play += ['--action', 'joints', '--cameras', CAMERAS, '--size', '64x48', '--workers', '1', '--out', str(report)]
            done = subprocess.run([sys.executable, '-c', RUN, *play], check=False, capture_output=True, text=True)
        finally:
            server.terminate()
    assert done.returncode == 0, done.stdout + done.stderr
    (episode,) = EvaluationReport.load(report).episodes
    assert episode.verdict in ('success', 'failure') and not any(cause.startswith('policy_') for cause in episode.causes), episode.causes

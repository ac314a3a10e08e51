"""Bags to export: two episodes of the expert and one that fails, before two small cameras. And an environment with LeRobot."""

import os
import subprocess
import venv
from dataclasses import replace
from pathlib import Path

import pytest

from vlm_bench_sim.core.command import Wait
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.policy import Player
from vlm_bench_tasks.run import Bench

TASK = 'vlmbench/pick_place'
CAMERAS = 'vlmbench:front,wrist'
VERSION = '0.4.4'
PLACE = 'VLM_BENCH_LEROBOT_VENV'
SERVED = ('msgpack', 'websockets')  # what a server of a policy needs beside LeRobot


class Keeps:
    """Keeps snapshots, and where the arm is commanded to be at each."""

    def __init__(self, bench) -> None:
        self.world, self.snapshots, self.commanded = bench.world, [], []

    def period(self, snapshot) -> None:
        self.snapshots.append(snapshot)
        self.commanded.append(self.world.commanded)

    def event(self, event) -> None:
        pass


class Waits(Player):
    """Waits, until its time is over."""

    def reset(self, context) -> None:
        pass

    def act(self, observation):
        return Wait(0.5)


def record(bench, episode, player, folder):
    """Play and record an episode; returns the bag's path, the run and what was seen."""
    recorder, kept = Recorder(bench, episode, folder=folder), Keeps(bench)
    run = bench.run(episode, player, recorder, kept)
    return recorder.close(run.report), run, kept


@pytest.fixture(scope='session')
def recorded(tmp_path_factory):
    """The folder, and (path, run, what was seen) of seed 3, of seed 4 whose arm and cameras are off a bit, of one that waits in vain."""
    folder = tmp_path_factory.mktemp('bags')
    bench = Bench(cameras=CAMERAS, width=64, height=48)
    noisy = catalogue.perturbed(
        catalogue.build(TASK, 'seen', 4), catalogue.perturbation(['action_noise=0.002', 'camera_position=0.02', 'camera_angle=0.02'])
    )
    episodes = (catalogue.build(TASK, 'seen', 3), noisy)
    found = [record(bench, episode, policy('oracle'), folder / 'good') for episode in episodes]
    found.append(record(bench, replace(catalogue.build(TASK, 'seen', 5), horizon=1.0), Waits(), folder / 'bad'))
    bench.close()
    return folder, found


@pytest.fixture(scope='session')
def lerobot_python():
    """The interpreter of an environment with LeRobot: of the one that is named, or of one that is made once and kept in the cache."""
    cache = Path(os.environ.get('XDG_CACHE_HOME', Path.home() / '.cache'))
    place = Path(os.environ.get(PLACE, cache / 'vlm_bench' / f'lerobot-{VERSION}'))
    found = place / 'bin' / 'python'
    if not has_lerobot(found):
        if PLACE in os.environ:
            pytest.skip(f'{PLACE} is {place}, where lerobot {VERSION} cannot be imported')
        venv.create(place, with_pip=True, clear=True)
        made = subprocess.run(
            [found, '-m', 'pip', 'install', '-q', f'lerobot=={VERSION}', *SERVED], check=False, capture_output=True, text=True, timeout=1500
        )
        if made.returncode or not has_lerobot(found):
            pytest.skip(f'lerobot {VERSION} cannot be installed here: {made.stderr.strip()[-300:]}')
    return found


def has_lerobot(python: Path) -> bool:
    asked = 'import importlib.metadata as m; print(m.version("lerobot"))'
    return python.exists() and subprocess.run([python, '-c', asked], check=False, capture_output=True, text=True).stdout.strip() == VERSION

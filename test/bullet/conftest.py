"""Worlds to experiment on; makes `stage` importable, since pytest's importlib mode puts no test folder on the path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import pytest
from stage import PROFILE

from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.motion.planner import MotionPlanner


@pytest.fixture
def world():
    made = BulletWorld(PROFILE)
    yield made
    made.close()


@pytest.fixture(scope='session')
def planner() -> MotionPlanner:
    return MotionPlanner(PROFILE)

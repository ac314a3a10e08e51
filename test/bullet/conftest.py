"""Worlds to experiment on; makes `stage` of the engines' common tests importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / 'physics'))

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

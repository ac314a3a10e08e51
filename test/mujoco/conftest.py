"""Worlds in MuJoCo; makes `stage` of the engines' common tests importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / 'physics'))

import pytest
from stage import PROFILE

from vlm_bench_sim.motion.planner import MotionPlanner
from vlm_bench_sim.mujoco.world import MujocoWorld


@pytest.fixture
def world():
    made = MujocoWorld(PROFILE)
    yield made
    made.close()


@pytest.fixture(scope='session')
def planner() -> MotionPlanner:
    return MotionPlanner(PROFILE)

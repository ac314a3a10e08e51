"""The same behaviour in every engine; makes `stage` importable, since pytest's importlib mode puts no test folder on the path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import pytest
from stage import PROFILE

from vlm_bench_sim import engines
from vlm_bench_sim.core.engine import ENGINES
from vlm_bench_sim.motion.planner import MotionPlanner


@pytest.fixture(scope='session', params=ENGINES)
def engine(request) -> str:
    return request.param


@pytest.fixture
def world(engine):
    made = engines.world(PROFILE, engine)
    yield made
    made.close()


@pytest.fixture(scope='session')
def planner() -> MotionPlanner:
    return MotionPlanner(PROFILE)

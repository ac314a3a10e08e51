"""One robot and its planner for all motion tests, and tables to plan over."""

import numpy as np
import pytest

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.motion.planner import MotionPlanner
from vlm_bench_sim.profiles import robot


@pytest.fixture(scope='session')
def profile() -> RobotProfile:
    return robot('panda')


@pytest.fixture(scope='session')
def kinematics(profile: RobotProfile) -> Kinematics:
    return Kinematics(profile)


@pytest.fixture(scope='session')
def planner(profile: RobotProfile) -> MotionPlanner:
    return MotionPlanner(profile)


@pytest.fixture
def home(profile: RobotProfile) -> np.ndarray:
    return np.asarray(profile.home)


@pytest.fixture(scope='session')
def make_prop():
    def make(name: str, kind: str, size, x: float = 0.0, y: float = 0.0, yaw: float = 0.0) -> Prop:
        pose = Pose.from_rpy((x, y, size[2] / 2), (0.0, 0.0, yaw))
        return Prop(name, kind, tuple(size), Color('red', (1.0, 0.0, 0.0)), 0.06, pose=pose)

    return make

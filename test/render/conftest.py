"""A robot at home, where its links stand, and one renderer for the tests that only look."""

from collections.abc import Iterator

import numpy as np
import pinocchio
import pytest

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.profiles import robot
from vlm_bench_sim.render import Renderer


@pytest.fixture(scope='session')
def panda() -> RobotProfile:
    return robot('panda')


@pytest.fixture(scope='session')
def links(panda: RobotProfile) -> dict[str, Pose]:
    """Pose of each link at home, with open fingers."""
    model = pinocchio.buildModelFromXML(panda.urdf)
    data = model.createData()
    positions = dict(zip(panda.joints, panda.home, strict=True)) | dict.fromkeys(panda.gripper.joints, panda.gripper.max_opening / 2)
    pinocchio.framesForwardKinematics(model, data, np.array([positions[name] for name in model.names[1:]]))
    return {frame.name: Pose.from_matrix(data.oMf[i].homogeneous) for i, frame in enumerate(model.frames)}


@pytest.fixture(scope='session')
def renderer(panda: RobotProfile) -> Iterator[Renderer]:
    made = Renderer(panda)
    yield made
    made.close()

"""Every arm has room: at home it keeps away from what is solid in a room, and it can reach some of it."""

from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
import pytest

from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.errors import PlanError
from vlm_bench_sim.core.geometry import Box, Pose
from vlm_bench_sim.core.objects.rooms import PLANS
from vlm_bench_sim.core.objects.rooms.clearance import NEAREST, REACH, SHOULDER, TOUCHED
from vlm_bench_sim.core.protocols import PlanRequest
from vlm_bench_sim.core.scene import Scene, Table
from vlm_bench_sim.core.snapshot import ROOM
from vlm_bench_sim.motion.planner import MotionPlanner
from vlm_bench_sim.profiles import robot, robots

TABLES = (Table(), Table(Box((0.60, 0.0, -0.02), (1.60, 1.80, 0.04))))
FAST = ('room3', 'room18')
ROOMS = [name if name in FAST else pytest.param(name, marks=pytest.mark.slow) for name in PLANS]


@pytest.fixture(scope='module', params=robots())
def planner(request) -> MotionPlanner:
    return MotionPlanner(robot(request.param))


def test_every_arm_at_home_is_clear_of_all_rooms(planner):
    home = np.asarray(planner.profile.home)
    for name, table in product(PLANS, TABLES):
        around = planner.collision.scene(Scene((), room=name, table=table).neighbours)
        assert not [two for two in around.contacts(home, 0.05) if ROOM in two], name


@pytest.mark.parametrize('name', ROOMS)
def test_every_arm_can_touch_a_neighbour_and_the_planner_keeps_it_from_doing_so(planner, name):
    """The closed gripper is sent into the nearest neighbour."""
    solids = Scene((), room=name).neighbours
    point, inside = nearest(solids)
    assert np.linalg.norm(point - NEAREST) <= TOUCHED
    request, end = next(found for found in map(partial(blind, planner), requests(planner, inside)) if found)
    met = planner.collision.scene(solids).contacts(np.asarray(end), 0.0)
    assert any(ROOM in two for two in met)
    with pytest.raises(PlanError, match='into each other'):
        planner.plan(replace(request, obstacles=solids))


def nearest(solids) -> tuple[np.ndarray, np.ndarray]:
    """The point of the solid parts that is nearest to the shoulder, and a point inside that part: 3 cm behind it, or a round one's axis."""
    found = []
    for solid in solids:
        corners = solid.pose.apply(solid.solid.vertices)
        point = np.clip(NEAREST, corners.min(axis=0), corners.max(axis=0))
        out = np.array([*point[:2], 0.0]) / np.linalg.norm(point[:2])
        inside = point + 0.03 * out if solid.kind == 'cube' else np.array([*solid.pose.position[:2], point[2]])
        found.append((point, inside))
    return min(found, key=lambda two: float(np.linalg.norm(two[0] - NEAREST)))


def requests(planner: MotionPlanner, at: np.ndarray):
    """Ways to send the tool to a point without obstacles: outwards, more or less level, and turned about its axis."""
    place = (float(at[0]), float(at[1]), max(float(at[2]), 0.08))
    for tilt, roll in product((1.57, 1.9, 2.3, 1.2), (0.0, 1.57, 0.8, -0.8)):
        level = Pose.from_rpy((0, 0, 0), (0, tilt, float(np.arctan2(at[1], at[0]))))
        pose = Pose(place) @ level @ Pose.from_rpy((0, 0, 0), (0, 0, roll))
        yield PlanRequest(planner.profile.home, ToolPose(pose), opening=0.0)


def blind(planner: MotionPlanner, request: PlanRequest) -> tuple[PlanRequest, tuple[float, ...]] | None:
    """The request with the arm positions at its end, planned as if nothing were there, or None if the tool cannot come there."""
    try:
        return request, planner.plan(request).points[-1].positions
    except PlanError:
        return None


def test_no_arm_reaches_farther_than_said(planner):
    """What is beyond is only seen. Random arm positions, the origin of each link, and as much again for the hand's length."""
    rng, kinematics = np.random.default_rng(0), planner.kinematics
    farthest = 0.0
    for _ in range(400):
        arm = rng.uniform(kinematics.low, kinematics.high)
        tool = kinematics.tool_pose(arm)
        farthest = max(farthest, float(np.linalg.norm(np.asarray(tool.position) - SHOULDER)))
    assert 0.6 < farthest < REACH

import os
import socket
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from vlm_bench_sim.core.command import Chunk, Point, ToolPose, check_points
from vlm_bench_sim.core.errors import PlanError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.core.protocols import PlanCode, PlanRequest
from vlm_bench_sim.motion import planning
from vlm_bench_sim.motion.planner import _within
from vlm_bench_sim.motion.search import LIGHT

DOWN = (np.pi, 0.0, 0.0)


def down(x: float, y: float, z: float, yaw: float = 0.0) -> Pose:
    return Pose.from_rpy((x, y, z), (np.pi, 0.0, yaw))


def free(planner, x, y, z, **more) -> PlanRequest:
    return PlanRequest(planner.profile.home, ToolPose(down(x, y, z)), **more)


def code_of(planner, request) -> tuple[PlanCode, str]:
    with pytest.raises(PlanError) as caught:
        planner.plan(request)
    return caught.value.code, str(caught.value)


def end(planner, chunk: Chunk) -> Pose:
    return planner.kinematics.tool_pose(chunk.points[-1].positions)


def test_a_free_move_ends_at_the_target(planner):
    request = free(planner, 0.5, 0.2, 0.1)
    chunk = planner.plan(request)
    check_points(chunk.points, 7)
    assert chunk.points[0].positions == request.start
    assert end(planner, chunk).distance(request.target.pose) < 1e-4 and end(planner, chunk).angle(request.target.pose) < 1e-3


def test_a_straight_move_stays_on_its_line(planner):
    start = planner.plan(free(planner, 0.5, 0.2, 0.15)).points[-1].positions
    chunk = planner.plan(PlanRequest(start, ToolPose(down(0.5, 0.2, 0.03), straight=True)))
    for point in chunk.points:
        assert planner.kinematics.tool_pose(point.positions).position[:2] == pytest.approx((0.5, 0.2), abs=2e-4)


def test_slower_takes_longer(planner):
    full, half = (planner.plan(PlanRequest(planner.profile.home, ToolPose(down(0.5, 0.2, 0.1), speed=s))) for s in (1.0, 0.5))
    assert half.points[-1].time_ns > 1.3 * full.points[-1].time_ns


@pytest.mark.parametrize('straight', [False, True])
def test_out_of_reach(planner, straight):
    code, words = code_of(planner, PlanRequest(planner.profile.home, ToolPose(down(1.3, 0.0, 0.2), straight)))
    assert code == PlanCode.UNREACHABLE and '1.300' in words


@pytest.mark.parametrize('straight', [False, True])
def test_goal_in_the_table(planner, straight):
    start = planner.plan(free(planner, 0.5, 0.0, 0.1)).points[-1].positions
    code, words = code_of(planner, PlanRequest(start, ToolPose(down(0.5, 0.0, -0.02), straight)))
    assert code == PlanCode.GOAL_IN_COLLISION and 'table' in words


def test_goal_in_a_prop_unless_the_gripper_may_touch_it(planner, make_prop):
    block = make_prop('block', 'cube', (0.1, 0.1, 0.1), 0.5, 0.0)
    request = free(planner, 0.5, 0.0, 0.08, obstacles=(block,))
    code, words = code_of(planner, request)
    assert code == PlanCode.GOAL_IN_COLLISION and 'block' in words
    planner.plan(replace(request, target=replace(request.target, allowed=('block',))))


def test_start_deep_in_a_prop(planner, make_prop):
    tool = planner.kinematics.tool_pose(planner.profile.home)
    block = make_prop('block', 'cube', (0.1, 0.1, 0.1)).at(tool)
    code, words = code_of(planner, free(planner, 0.5, 0.2, 0.1, obstacles=(block,)))
    assert code == PlanCode.START_IN_COLLISION and 'block' in words


def test_no_way_within_the_budget(planner, monkeypatch):
    request = around_a_wall(planner, seed=1, size=(0.5, 0.04, 0.45))
    planner.plan(request)
    monkeypatch.setattr(planning, '_BUDGET', 1)
    code, words = code_of(planner, request)
    assert code == PlanCode.NO_PATH and 'start and goal are free' in words


def test_a_blocked_straight_line_is_no_path(planner, make_prop):
    wall = make_prop('wall', 'cube', (0.3, 0.03, 0.3), 0.5, 0.0)
    start = planner.plan(free(planner, 0.5, -0.2, 0.15, obstacles=(wall,))).points[-1].positions
    code, words = code_of(planner, PlanRequest(start, ToolPose(down(0.5, 0.2, 0.15), straight=True), (wall,)))
    assert code == PlanCode.NO_PATH and 'straight' in words


@pytest.mark.parametrize('start', [(0.0,) * 6, (float('nan'),) * 7])
def test_a_start_that_is_none_is_refused(planner, start):
    assert code_of(planner, PlanRequest(start, ToolPose(down(0.5, 0, 0.2))))[0] == PlanCode.FAILED


@pytest.mark.parametrize('speed', [0.0, 1.5, float('nan')])
def test_a_speed_that_is_none_is_refused(planner, speed):
    assert code_of(planner, PlanRequest(planner.profile.home, ToolPose(down(0.5, 0, 0.2), speed=speed)))[0] == PlanCode.FAILED


def test_what_is_held_may_rest_on_the_table_at_start_and_goal_but_not_dig_into_it(planner, make_prop):
    held = make_prop('held', 'cube', (0.04, 0.04, 0.04)).at(Pose((0.0, 0.0, 0.001)))
    start = planner.plan(free(planner, 0.5, 0.0, 0.019)).points[-1].positions  # 2 mm into the table
    lift = PlanRequest(start, ToolPose(down(0.5, 0.0, 0.15), straight=True), held=held, opening=0.04)
    up = planner.plan(lift)
    planner.plan(PlanRequest(up.points[-1].positions, ToolPose(down(0.4, 0.2, 0.019)), held=held, opening=0.04))
    code, words = code_of(planner, replace(lift, target=ToolPose(down(0.5, 0.1, 0.010), straight=True)))
    assert code == PlanCode.GOAL_IN_COLLISION and 'held' in words


def test_fingers_that_touch_the_prop_they_released_may_leave(planner, make_prop):
    cube = make_prop('cube', 'cube', (0.042, 0.042, 0.042), 0.5, 0.0)
    above = planner.plan(free(planner, 0.5, 0.0, 0.12)).points[-1].positions
    start = planner.plan(PlanRequest(above, ToolPose(down(0.5, 0.0, 0.02), True, ('cube',)), (cube,), opening=0.06)).points[-1].positions
    planner.plan(PlanRequest(start, ToolPose(down(0.5, 0.0, 0.12), straight=True), (cube,), opening=0.040))  # 1 mm into each pad
    sideways = PlanRequest(start, ToolPose(down(0.5, 0.06, 0.02), straight=True), (cube,), opening=0.040)
    assert code_of(planner, sideways)[0] in (PlanCode.NO_PATH, PlanCode.GOAL_IN_COLLISION)


def test_check_says_why_not_and_what_it_costs(planner, make_prop):
    request = free(planner, 0.5, 0.0, 0.2, obstacles=(make_prop('block', 'cube', (0.1, 0.1, 0.1), 0.5, 0.2),))
    there, back = ToolPose(down(0.5, 0.0, 0.2)), ToolPose(planner.kinematics.tool_pose(request.start))
    one, two = planner.check(request, (there,)), planner.check(request, (there, back))
    assert one.feasible and two.feasible and two.cost > one.cost > 0.1
    blocked = planner.check(request, (there, ToolPose(down(0.5, 0.2, 0.05))))
    assert not blocked.feasible and 'Pose 2 of 2' in blocked.reason and 'block' in blocked.reason
    assert (one.reached, two.reached, blocked.reached) == (1, 2, 1) and blocked.cost == one.cost
    assert two.arms[:1] == one.arms == blocked.arms
    for arm, target in zip(two.arms, (there, back), strict=True):
        assert planner.kinematics.tool_pose(arm).distance(target.pose) < 1e-4


def test_a_question_about_a_line_that_cannot_be_followed_costs_no_long_search(planner, monkeypatch):
    tries, inverse = [], type(planner.kinematics).inverse

    def counted(self, target, near, rng, count=4, tries_=30):
        tries.append(tries_)
        return inverse(self, target, near, rng, count, tries_)

    monkeypatch.setattr(type(planner.kinematics), 'inverse', counted)
    request = free(planner, 1.4, 0.0, 0.3)
    answer = planner.check(request, (replace(request.target, straight=True),))
    assert not answer.feasible and 'cannot reach' in answer.reason
    assert sum(tries) <= sum(seeds for _, seeds in LIGHT)


def test_plans_without_the_network(planner, monkeypatch, make_prop):
    def refuse(*_args, **_keywords):
        raise AssertionError('Planning opened a socket.')

    for name in ('socket', 'create_connection', 'getaddrinfo'):
        monkeypatch.setattr(socket, name, refuse)
    wall = make_prop('wall', 'cube', (0.3, 0.04, 0.3), 0.5, 0.0)
    start = planner.plan(free(planner, 0.5, -0.25, 0.1, obstacles=(wall,))).points[-1].positions
    planner.plan(PlanRequest(start, ToolPose(down(0.5, 0.25, 0.1)), (wall,)))


_FRESH = """
from test_planner import bits
from vlm_bench_sim.motion.planner import MotionPlanner
from vlm_bench_sim.profiles import robot
print(bits(MotionPlanner(robot('panda'))))
"""


def bits(planner) -> str:
    return sha256(repr(planner.plan(around_a_wall(planner, seed=7))).encode()).hexdigest()


def around_a_wall(planner, seed: int, size=(0.3, 0.04, 0.3)) -> PlanRequest:
    wall = Prop('wall', 'cube', size, Color('red', (1.0, 0.0, 0.0)), 1.0, pose=Pose((0.5, 0.0, size[2] / 2)))
    seedling = np.asarray(planner.profile.home)
    start = planner.kinematics.solve(down(0.5, -0.25, 0.1), seedling)
    return PlanRequest(tuple(start.tolist()), ToolPose(down(0.5, 0.25, 0.1)), (wall,), seed=seed)


def test_the_same_request_gives_the_same_bits_in_a_fresh_process_and_after_others(planner):
    environment = os.environ | {'PYTHONHASHSEED': '1', 'PYTHONPATH': os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    fresh = subprocess.run([sys.executable, '-c', _FRESH], env=environment, check=True, capture_output=True, text=True).stdout
    planner.plan(free(planner, 0.4, -0.3, 0.2, seed=9))
    planner.plan(around_a_wall(planner, seed=8))
    assert fresh.strip() == bits(planner)
    assert len(fresh) == 65


def test_no_point_lies_beyond_a_joints_limit_however_the_curve_bulges(planner):
    low, high = planner.kinematics.low, planner.kinematics.high
    inside, beyond = tuple((low + high) / 2), tuple(np.where(np.arange(len(low)) == 6, high + 1.2e-3, (low + high) / 2))
    chunk = Chunk((Point(0, inside), Point(50_000_000, beyond), Point(100_000_000, inside)))
    kept = _within(chunk, low, high)
    assert [kept.points[0], kept.points[2]] == [chunk.points[0], chunk.points[2]]
    assert kept.points[1].positions == (*inside[:6], high[6])


@pytest.mark.parametrize('straight', [False, True])
def test_a_table_that_stands_higher_or_lower_is_kept_clear_of(planner, straight):
    start = planner.plan(free(planner, 0.5, 0.0, 0.15)).points[-1].positions
    target = ToolPose(down(0.5, 0.0, 0.03), straight)
    planner.plan(PlanRequest(start, target))
    code, words = code_of(planner, PlanRequest(start, target, floor=0.05))
    assert code == PlanCode.GOAL_IN_COLLISION and 'table' in words
    assert not planner.check(PlanRequest(start, target, floor=0.05), (target,)).feasible
    planner.plan(PlanRequest(start, ToolPose(down(0.5, 0.0, -0.02), straight), floor=-0.05))

"""Planning under motion constraints: what is kept, what is refused, and that it is the same everywhere."""

import os
import socket
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from math import pi, radians
from pathlib import Path

import numpy as np
import pytest

from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.constraint import Deviation, MotionConstraint, Orientation, Position, about_hinge, along_line, upright
from vlm_bench_sim.core.errors import PlanError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.core.protocols import PlanCode, PlanRequest
from vlm_bench_sim.core.trajectory import Trajectory
from vlm_bench_sim.motion.constrained import planned
from vlm_bench_sim.motion.manifold import Bound

CUP = Prop('cup', 'cylinder', (0.05, 0.05, 0.08), Color('red', (1.0, 0.0, 0.0)), 0.1, pose=Pose.from_rpy((0, 0, 0.03), (pi, 0, 0)))
FACING = (0.0, pi / 2, 0.0)
"""The tool points away from the robot, as at a drawer or a door."""


def down(x: float, y: float, z: float, yaw: float = 0.0) -> Pose:
    return Pose.from_rpy((x, y, z), (pi, 0.0, yaw))


def at(planner, pose: Pose) -> tuple[float, ...]:
    return planner.plan(PlanRequest(planner.profile.home, ToolPose(pose))).points[-1].positions


def wall(height: float = 0.3) -> Prop:
    size = (0.3, 0.04, height)
    return Prop('wall', 'cube', size, Color('red', (1.0, 0.0, 0.0)), 1.0, pose=Pose((0.5, 0.0, size[2] / 2)))


def over_the_wall(planner, constraint: MotionConstraint, seed: int = 0) -> PlanRequest:
    start = planner.kinematics.solve(down(0.5, -0.25, 0.2), np.asarray(planner.profile.home))
    target = ToolPose(down(0.5, 0.25, 0.2), constraint=constraint)
    return PlanRequest(tuple(start.tolist()), target, (wall(),), CUP, seed, 0.05)


def poses(planner, chunk, per_period: int = 5) -> list[Pose]:
    """Where the controller's cubics lead the tool, sampled finely."""
    trajectory = Trajectory((np.asarray(chunk.points[0].positions), np.zeros(7)), chunk.points)
    times = np.linspace(0, trajectory.end_ns, per_period * len(chunk.points)).astype(int)
    return [planner.kinematics.tool_pose(trajectory.sample(int(time))[0]) for time in times]


def code_of(planner, request) -> tuple[PlanCode, str]:
    with pytest.raises(PlanError) as caught:
        planner.plan(request)
    return caught.value.code, str(caught.value)


def test_a_cup_goes_over_a_wall_upright(planner):
    request = over_the_wall(planner, upright(CUP.pose))
    way = poses(planner, planner.plan(request))
    tilts = [np.arccos((pose @ CUP.pose).rotation[2, 2]) for pose in way]
    assert max(tilts) < radians(10)
    assert max(pose.position[2] for pose in way) > 0.3 + 0.05  # the cup reaches 7 cm below the tool
    assert way[-1].distance(request.target.pose) < 1e-4
    unbound = poses(planner, planner.plan(replace(request, target=replace(request.target, constraint=None))))
    assert max(np.arccos((pose @ CUP.pose).rotation[2, 2]) for pose in unbound) > radians(10)  # it does not stay so by itself


@pytest.mark.parametrize('orientation', [Orientation.AXIS, Orientation.FREE])
def test_a_tool_stays_in_its_plane_around_an_obstacle(planner, make_prop, orientation):
    height, post = 0.25, make_prop('post', 'cube', (0.06, 0.06, 0.5), 0.55, 0.0)
    start = planner.kinematics.solve(down(0.55, -0.2, height), np.asarray(planner.profile.home))
    plane = MotionConstraint(Position.PLANE, orientation, down(0.0, 0.0, height), tolerance=Deviation(0.002, radians(2)))
    request = PlanRequest(tuple(start.tolist()), ToolPose(down(0.55, 0.2, height), constraint=plane), (post,))
    way = poses(planner, planner.plan(request))
    assert max(abs(pose.position[2] - height) for pose in way) < 0.002
    if orientation is Orientation.AXIS:
        assert min(pose.rotation[2, 2] for pose in way) < -0.99 and max(pose.rotation[2, 2] for pose in way) < -np.cos(radians(2))
    assert min(np.hypot(pose.position[0] - 0.55, pose.position[1]) for pose in way) > 0.05  # and goes around


def drawer(planner) -> PlanRequest:
    start = Pose.from_rpy((0.62, 0.1, 0.35), FACING)
    constraint = along_line(start, (-1.0, 0.0, 0.0), 0.2)
    return PlanRequest(at(planner, start), ToolPose(constraint.path[-1], constraint=constraint, speed=0.5))


def door(planner) -> PlanRequest:
    start = Pose.from_rpy((0.6, -0.1, 0.5), FACING)
    constraint = about_hinge(start, (0.6, 0.2, 0.0), (0.0, 0.0, 1.0), -radians(35))
    return PlanRequest(at(planner, start), ToolPose(constraint.path[-1], constraint=constraint, speed=0.5))


def test_a_drawer_follows_its_line(planner):
    way = poses(planner, planner.plan(drawer(planner)))
    assert max(np.hypot(pose.position[1] - 0.1, pose.position[2] - 0.35) for pose in way) < 0.002
    assert max(pose.angle(way[0]) for pose in way) < radians(1)
    assert way[-1].position == pytest.approx((0.42, 0.1, 0.35), abs=1e-4)
    steps = np.diff([pose.position[0] for pose in way])
    assert (steps <= 1e-9).all()  # never back


def test_a_door_follows_its_arc(planner):
    way = poses(planner, planner.plan(door(planner)))
    for pose in way:
        x, y, z = pose.position
        turned = np.arctan2(x - 0.6, 0.2 - y)
        assert np.hypot(x - 0.6, y - 0.2) == pytest.approx(0.30, abs=0.002) and z == pytest.approx(0.5, abs=0.002)
        assert pose.angle(Pose.from_rpy((0, 0, 0), (0, 0, turned)) @ way[0]) < radians(1)
    assert np.arctan2(way[-1].position[0] - 0.6, 0.2 - way[-1].position[1]) == pytest.approx(-radians(35), abs=1e-3)


def test_a_path_may_be_taken_up_where_it_was_left(planner):
    request = drawer(planner)
    half = planner.plan(request).points[len(planner.plan(request).points) // 2].positions
    way = poses(planner, planner.plan(replace(request, start=half)))
    assert way[0].position[0] == pytest.approx(planner.kinematics.tool_pose(half).position[0])
    assert way[-1].position[0] == pytest.approx(0.42, abs=1e-4)
    back = replace(request, start=half, target=replace(request.target, pose=request.target.constraint.path[0]))
    code, words = code_of(planner, back)
    assert code == PlanCode.INVALID_POSE and 'Reverse the path' in words


def test_an_end_off_the_constraint_is_named(planner):
    request = drawer(planner)
    off = replace(request, target=replace(request.target, pose=request.target.pose.shifted((0.0, 0.0, 0.01))))
    code, words = code_of(planner, off)
    assert code == PlanCode.INVALID_POSE and '10.0 mm' in words and 'on the line' in words
    tilted = replace(over_the_wall(planner, upright(CUP.pose)), start=at(planner, Pose.from_rpy((0.5, -0.25, 0.3), (pi - 0.3, 0.0, 0.0))))
    code, words = code_of(planner, tilted)
    assert code == PlanCode.NO_PATH and 'starts 0.0 mm and 17.2°' in words


def test_a_blocked_line_has_no_way(planner, make_prop):
    start = Pose.from_rpy((0.6, 0.2, 0.5), FACING)
    constraint = along_line(start, (0.0, -1.0, 0.0), 0.4)
    post = make_prop('post', 'cube', (0.04, 0.04, 0.6), 0.6, 0.0)
    request = PlanRequest(at(planner, start), ToolPose(constraint.path[-1], constraint=constraint))
    planner.plan(request)
    code, words = code_of(planner, replace(request, obstacles=(post,)))
    assert code == PlanCode.NO_PATH and 'something is in the way' in words and 'the tool on the line' in words


def test_a_line_out_of_reach_says_so(planner):
    start = Pose.from_rpy((0.62, 0.1, 0.35), FACING)
    constraint = along_line(start, (1.0, 0.0, 0.0), 0.6)
    request = PlanRequest(at(planner, start), ToolPose(constraint.path[-1], constraint=constraint))
    assert code_of(planner, request)[0] == PlanCode.UNREACHABLE


def test_a_goal_in_the_table_says_so(planner):
    constraint = upright(CUP.pose)
    request = PlanRequest(at(planner, down(0.5, 0.0, 0.2)), ToolPose(down(0.5, 0.1, 0.03), constraint=constraint), held=CUP, opening=0.05)
    code, words = code_of(planner, request)
    assert code == PlanCode.GOAL_IN_COLLISION and 'cup' in words


def test_straight_and_upright_at_once_goes_straight_or_not_at_all(planner):
    request = over_the_wall(planner, upright(CUP.pose))
    straight = replace(request, target=replace(request.target, straight=True))
    assert code_of(planner, straight)[0] == PlanCode.NO_PATH
    way = poses(planner, planner.plan(replace(straight, obstacles=())))
    assert max(np.hypot(pose.position[0] - 0.5, pose.position[2] - 0.2) for pose in way) < 1e-3


def test_a_chain_is_asked_about_with_its_paths(planner):
    request = drawer(planner)
    handle = ToolPose(request.target.constraint.path[0])
    one = planner.check(replace(request, start=planner.profile.home), (handle, request.target))
    assert one.feasible and one.cost > 0.5
    far = along_line(handle.pose, (1.0, 0.0, 0.0), 0.6)
    beyond = planner.check(replace(request, start=planner.profile.home), (handle, ToolPose(far.path[-1], constraint=far)))
    assert not beyond.feasible and 'Pose 2 of 2' in beyond.reason


@pytest.mark.parametrize('orientation', list(Orientation)[:3])
@pytest.mark.parametrize('position', list(Position)[:4])
def test_equations_are_zero_exactly_where_the_check_is_content(kinematics, position, orientation):
    limit = Deviation(0.05, 0.3)
    reference = kinematics.tool_pose(kinematics.profile.home)
    constraint = MotionConstraint(position, orientation, reference, axis=(0, 1, 0), direction=(1, 0, 1), tolerance=limit)
    bound, rng, met = Bound(kinematics, constraint, limit=limit), np.random.default_rng(2), 0
    for _ in range(200):
        q = np.asarray(kinematics.profile.home) + rng.normal(size=7) * rng.choice([0.03, 0.3])
        content = constraint.check(kinematics.tool_pose(q)).within(limit)
        assert content == (not bound.residual(q).any())
        met += content
    assert met == 200 if bound.size == 0 else 20 < met < 180


def test_the_jacobian_is_that_of_the_equations(kinematics):
    home = np.asarray(kinematics.profile.home)
    for orientation in (Orientation.AXIS, Orientation.FIXED):
        constraint = MotionConstraint(Position.LINE, orientation, kinematics.tool_pose(home + 1e-4), direction=(1, 2, 3))
        bound = Bound(kinematics, constraint, limit=Deviation(1e-12, 1e-12))
        step = 1e-6
        measured = [(bound.residual(home + step * e) - bound.residual(home - step * e)) / (2 * step) for e in np.eye(7)]
        assert bound.jacobian(home) == pytest.approx(np.transpose(measured), abs=2e-3)


def test_projection_lands_on_the_constraint(kinematics):
    rng, home = np.random.default_rng(5), np.asarray(kinematics.profile.home)
    constraint = upright(Pose.from_rpy((0, 0, 0), (pi, 0, 0)))
    bound, landed = Bound(kinematics, constraint, limit=Deviation(1.0, radians(1))), 0
    for _ in range(100):
        q = bound.project(home + rng.uniform(-0.5, 0.5, 7))
        if q is not None:
            landed += 1
            assert constraint.check(kinematics.tool_pose(q)).angle < radians(1.01) and kinematics.limit_margin(q) >= 0
    assert landed > 90


def test_constrained_planning_needs_no_network(planner, monkeypatch):
    def refuse(*_args, **_keywords):
        raise AssertionError('Planning opened a socket.')

    for name in ('socket', 'create_connection', 'getaddrinfo'):
        monkeypatch.setattr(socket, name, refuse)
    planner.plan(over_the_wall(planner, upright(CUP.pose)))
    planner.plan(door(planner))


_FRESH = """
from test_constrained import bits
from vlm_bench_sim.motion.planner import MotionPlanner
from vlm_bench_sim.profiles import robot
print(bits(MotionPlanner(robot('panda'))))
"""


def bits(planner) -> str:
    plans = planner.plan(door(planner)), planner.plan(over_the_wall(planner, upright(CUP.pose), seed=7))
    return sha256(repr(plans).encode()).hexdigest()


def test_the_same_request_gives_the_same_bits_in_a_fresh_process_and_after_others(planner):
    environment = os.environ | {'PYTHONHASHSEED': '1', 'PYTHONPATH': os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    fresh = subprocess.run([sys.executable, '-c', _FRESH], env=environment, check=True, capture_output=True, text=True).stdout
    planner.plan(over_the_wall(planner, upright(CUP.pose), seed=3))
    assert fresh.strip() == bits(planner)
    assert len(fresh) == 65


def test_another_seed_searches_another_way(planner):
    first, second = (planner.plan(over_the_wall(planner, upright(CUP.pose), seed)) for seed in (1, 2))
    assert first != second and planned(planner.kinematics, first, upright(CUP.pose)).angle < radians(10)

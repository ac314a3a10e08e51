"""Motion constraints over DDS: planned for, kept by the joint states, checked on the way, and refused where they make no sense."""

from math import degrees, radians

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from policy_client import PolicyClient
from running_bench import PANDA, RunningBench
from stand_in import StandIn

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.constraint import MotionConstraint, about_hinge, along_line, upright
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.core.protocols import PlanRequest
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.motion.constrained import deviation
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.nodes.driving.arm_requests import chain, read_target
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.constraints import constraint
from vlm_bench_sim.ros.convert import fill, interface
from vlm_bench_tasks.nodes.acting.motions import move_fields
from vlm_bench_tasks.nodes.acting.ros_planner import plan_fields

pytestmark = pytest.mark.ros
SUCCEEDED, ABORTED = 4, 6
OK, NO_PATH, INVALID_POSE, CONSTRAINT_BROKEN, INVALID_CONSTRAINT = 1, 104, 105, 109, 110
GIVEN = 1
DOWN = (1.0, 0.0, 0.0, 0.0)
LEFT, RIGHT = Pose((0.4, 0.3, 0.15), DOWN), Pose((0.45, -0.3, 0.15), DOWN)
MUG = Pose((0.0, 0.0, 0.02), DOWN)
WALL = {'pose': fields.pose(Pose((0.55, 0.0, 0.2))), 'size': fields.vector((0.5, 0.04, 0.4))}
HELD = {'pose': fields.pose(MUG), 'size': fields.vector((0.08, 0.08, 0.1))}
AROUND = {'collision_scene': GIVEN, 'boxes': [WALL], 'held_box': [HELD]}


def move(pose, kept=None, **more):
    return {'target': fields.pose_stamped(pose, 0), 'constraint': [] if kept is None else [constraint(kept)]} | more


def recorded(client):
    """The arm positions that were told on /joint_states, one row each."""
    return [[fields.read_joints(state)[name].position for name in PANDA.joints] for state in client.heard(names.JOINT_STATES)]


def done(bench, asked):
    """Carry out a move and return every arm position on its way."""
    bench.settle()
    bench.forget()
    answer = bench.client.send(names.MOVE_TCP, asked).result()
    assert (answer.status, answer.result.result.result) == (SUCCEEDED, OK), answer.result.result.error_message
    bench.wait(lambda: bench.client.heard(names.TICK), 'a tick')
    bench.settle()
    bench.wait(lambda: len(bench.client.heard(names.JOINT_STATES)) >= len(bench.ticks), 'a joint state for each tick')
    return recorded(bench.client)


def greatest_tilt(arms):
    """How far the mug leaned at worst, degrees."""
    kinematics = Kinematics(PANDA)
    heights = [(kinematics.tool_pose(arm) @ MUG).rotation[2, 2] for arm in arms]
    return degrees(np.arccos(np.clip(min(heights), -1.0, 1.0)))


def test_a_mug_stays_upright_over_a_wall_only_when_it_is_asked_to(bench):
    done(bench, move(LEFT))
    assert greatest_tilt(done(bench, move(RIGHT, **AROUND))) > 15
    upright_move = move(LEFT, upright(MUG, within=radians(10)), **AROUND)
    arms = done(bench, upright_move)
    assert len(arms) > 20
    assert greatest_tilt(arms) < 10
    assert bench.now.tool.distance(LEFT) < 0.01


def test_a_line_is_kept_within_2_mm_and_1_degree(bench):
    done(bench, move(LEFT))
    start = bench.now.tool
    kept = along_line(start, (1.0, 0.0, 0.0), 0.15)
    arms = done(bench, move(kept.path[-1], kept, speed=0.5))
    off = deviation(Kinematics(PANDA), np.asarray(arms), kept)
    assert off.within(kept.tolerance), off.words()
    strayed = deviation(Kinematics(PANDA), np.asarray(done(bench, move(RIGHT))), kept)
    assert not strayed.within(kept.tolerance), 'another move is seen to leave it'


SENSELESS = {
    'a position that does not exist': {'position': 7},
    'a path of one pose': {'position': 4, 'path': [fields.pose(LEFT)]},
    'a line without a direction': {'position': 2},
    'a tolerance of nothing': {'angle_tolerance': 0.0},
    'NaN': {'reference': fields.pose(Pose((float('nan'), 0.0, 0.0)))},
}


def test_what_makes_no_sense_is_refused_with_its_number_by_both(bench):
    for why, senseless in SENSELESS.items():
        answer = bench.client.send(names.MOVE_TCP, move(LEFT) | {'constraint': [senseless]}).result()
        assert (answer.status, answer.result.result.result) == (ABORTED, INVALID_CONSTRAINT), why
        assert answer.result.result.error_message, why
        answer = bench.client.ask(names.PLAN, {'poses': [fields.pose(LEFT)], 'constraints': [senseless]}, again=True)
        assert (answer.result.result, answer.feasible) == (INVALID_CONSTRAINT, False), why
    assert [tick.seq for tick in bench.ticks] == [0]


def test_what_cannot_be_kept_is_said(bench):
    here = bench.now.tool
    far = along_line(here.shifted((0.0, 0.0, 0.1)), (1.0, 0.0, 0.0), 0.1)
    answer = bench.client.send(names.MOVE_TCP, move(far.path[-1], far)).result()
    assert (answer.status, answer.result.result.result) == (ABORTED, NO_PATH)
    assert 'starts 100.0 mm' in answer.result.result.error_message
    aside = along_line(here, (1.0, 0.0, 0.0), 0.1)
    answer = bench.client.send(names.MOVE_TCP, move(LEFT, aside)).result()
    assert (answer.status, answer.result.result.result) == (ABORTED, INVALID_POSE)
    assert bench.still()


def test_a_plan_minds_the_path_of_each_pose_and_wants_one_for_each(bench):
    here = bench.now.tool
    near, far = (along_line(here, (1.0, 0.0, 0.0), way) for way in (0.1, 2.0))
    poses = [fields.pose(near.path[-1])]
    assert bench.client.ask(names.PLAN, {'poses': poses, 'constraints': [constraint(near)]}, again=True).feasible
    answer = bench.client.ask(names.PLAN, {'poses': [fields.pose(far.path[-1])], 'constraints': [constraint(far)]})
    assert (answer.result.result, answer.feasible) == (OK, False)
    answer = bench.client.ask(names.PLAN, {'poses': poses, 'constraints': [constraint(near)] * 2})
    assert answer.result.result == INVALID_POSE and '2 entries of constraints' in answer.result.error_message


@pytest.fixture(scope='module')
def driven(module_domain, tmp_path_factory):
    """The arm node alone, with a driver that is not ours."""
    driver, client = StandIn(module_domain, PANDA), PolicyClient(module_domain, name='far_policy')
    bench = RunningBench(module_domain, tmp_path_factory.mktemp('arm'), only=('arm_node',))
    client.listen(names.JOINT_STATES)
    client.wait(
        lambda: client.ask(names.PLAN, {'poses': [fields.pose(LEFT)]}, again=True, seconds=60).feasible, 'the arm node to hear joints'
    )
    yield driver, client
    client.close()
    driver.close()
    bench.stop()


def test_any_driver_is_moved_without_a_simulator(driven):
    driver, client = driven
    driver.strays[:] = 0.0
    kept = along_line(Kinematics(PANDA).tool_pose(driver.arm), (0.0, 0.0, -1.0), 0.1)
    answer = client.send(names.MOVE_TCP, move(kept.path[-1], kept, speed=0.5)).result()
    assert (answer.status, answer.result.result.result) == (SUCCEEDED, OK), answer.result.result.error_message
    assert Kinematics(PANDA).tool_pose(driver.arm).distance(kept.path[-1]) < 1e-3
    assert fields.read_pose(answer.result.reached.pose).distance(kept.path[-1]) < 1e-2


def test_a_driver_that_leaves_what_is_to_be_kept_is_stopped_and_the_goal_says_so(driven):
    driver, client = driven
    driver.strays[:] = 0.0
    assert client.send(names.MOVE_TCP, move(LEFT)).result().status == SUCCEEDED
    before, driver.strays[0] = driver.canceled, 0.2
    kept = along_line(LEFT, (0.0, 0.0, 1.0), 0.3)
    answer = client.send(names.MOVE_TCP, move(kept.path[-1], kept, speed=0.01)).result()  # seconds are left to stop it
    assert (answer.status, answer.result.result.result) == (ABORTED, CONSTRAINT_BROKEN)
    assert 'strayed' in answer.result.result.error_message and 'line' in answer.result.result.error_message
    assert driver.canceled == before + 1
    assert np.abs(Kinematics(PANDA).tool_pose(driver.arm).distance(kept.path[-1])) > 0.05, 'it holds on its way'
    driver.strays[:] = 0.0


def test_a_driver_that_strays_where_nothing_is_to_be_kept_is_let_be(driven):
    driver, client = driven
    driver.strays[0] = 0.2
    assert client.send(names.MOVE_TCP, move(RIGHT)).result().status == SUCCEEDED
    driver.strays[:] = 0.0


COMMANDS = {
    'free': ToolPose(LEFT),
    'a grasp': ToolPose(LEFT, straight=True, allowed=('cube',), speed=0.5),
    'upright': ToolPose(LEFT, constraint=upright(MUG)),
    'a drawer': ToolPose(LEFT, speed=0.5, constraint=along_line(LEFT, (1.0, 0.0, 0.0), 0.1)),
    'a door': ToolPose(LEFT, constraint=about_hinge(LEFT, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), 0.4)),
    'nothing in so many words': ToolPose(LEFT, constraint=MotionConstraint()),
}


@pytest.mark.parametrize('which', COMMANDS)
def test_what_the_oracle_commands_arrives_as_the_same_value(which):
    goal = fill(interface(names.MOVE_TCP.type).Goal(), move_fields(COMMANDS[which], seq=3, seed=4))
    assert read_target(goal) == COMMANDS[which]


def test_what_the_oracle_asks_arrives_as_the_same_chain():
    steps = tuple(ToolPose(RIGHT, straight=line, constraint=kept) for line, kept in ((False, None), (True, upright(MUG))))
    cup = Prop('cup', 'cube', (0.05, 0.05, 0.1), Color('red', (1.0, 0.0, 0.0)), 0.1, pose=MUG)
    asked = fill(interface(names.PLAN.type).Request(), plan_fields(PlanRequest((), steps[0], held=cup), steps, seq=3))
    assert chain(asked) == steps


def test_a_state_is_acknowledged_once_the_joint_states_of_its_time_have_come(driven):
    """Or a path could begin where the last episode ended."""
    driver, client = driven
    client.listen(names.ACK)
    minute = 60 * fields.SECOND_NS  # longer than anybody gets no time

    def newest():
        return fields.read_stamp(client.heard(names.JOINT_STATES)[-1].header.stamp)

    client.say(names.SCENE, {'token': 'new', 'scene': codec.dumps(Scene(())), 'robot': 'panda'})
    told = newest() + 2 * minute
    client.say(names.WORLD_STATE, fields.world_state(Snapshot(0, 0, {}, Pose(), 0.08), ns=told, token='new', state_hash=''))
    driver._began -= minute  # its clock leaps
    client.wait(lambda: newest() >= told - minute, 'nearly its time')
    client.rest(0.5)
    assert not client.heard(names.ACK)
    driver._began -= minute
    client.wait(lambda: client.heard(names.ACK), 'the acknowledgement')
    assert {(ack.participant, ack.token, ack.seq) for ack in client.heard(names.ACK)} == {('arm_node', 'new', 0)}

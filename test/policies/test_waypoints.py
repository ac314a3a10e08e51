"""The expert says what it does: a sentence, a pose and a unit task for each step, in the bag."""

import json
from dataclasses import replace
from itertools import pairwise
from math import pi, radians

import numpy as np
import pytest

from test.films import CUBE, TRAY, snapshot
from test.plays import Film, bench, episode
from vlm_bench_sim.bags.writer import BagWriter
from vlm_bench_sim.core.codec import dumps, loads
from vlm_bench_sim.core.codes import EventKind
from vlm_bench_sim.core.command import Stop, ToolPose, Wait
from vlm_bench_sim.core.constraint import about_hinge, along_line, upright
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.core.mechanisms import Joint, Link, Mechanism
from vlm_bench_sim.core.objects.balance import BEAM, LEFT, balance
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Body, JointState
from vlm_bench_sim.ros import names
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.dataset.waypoints import waypoints
from vlm_bench_tasks.goals.logic import Not, then
from vlm_bench_tasks.goals.mechanisms import Opened
from vlm_bench_tasks.goals.placing import Inside, On
from vlm_bench_tasks.goals.scales import Carried, Level
from vlm_bench_tasks.goals.units import numbered_leaves
from vlm_bench_tasks.judging.messages import event_fields
from vlm_bench_tasks.judging.report import Event
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.policies.waypoints import Situation, Waypoint, waypoint

DOWN = (pi, 0.0, 0.0)
HIGH = Pose.from_rpy((0.5, -0.2, 0.30), DOWN)
NOW = replace(snapshot(), tool=HIGH)
HOLDING = replace(NOW, held='object_1')
GOAL = Inside(CUBE, TRAY)


def to(x: float, y: float, z: float, rpy=DOWN, **given) -> ToolPose:
    return ToolPose(Pose.from_rpy((x, y, z), rpy), **given)


SPONGE = replace(CUBE, name='sponge_1', kind='sponge', noun='sponge', pose=Pose((0.3, 0.3, 0.02)))
SCENE = Scene((CUBE, TRAY, SPONGE))


def said(command, now=NOW, plan=GOAL):
    now = replace(now, bodies={'sponge_1': Body(SPONGE.pose)} | now.bodies)
    found = waypoint(0, command, Situation(SCENE, numbered_leaves(plan), now, NOW))
    return found and found.sentence


@pytest.mark.parametrize(
    ('command', 'now', 'sentence'),
    [
        (to(0.5, -0.2, 0.12), NOW, 'move to the top of the red object'),
        (to(0.6, -0.2, 0.05), NOW, 'move to the front of the red object'),
        (to(0.4, -0.2, 0.05), NOW, 'move to the rear of the red object'),
        (to(0.5, -0.1, 0.05), NOW, 'move to the left of the red object'),
        (to(0.5, -0.3, 0.05), NOW, 'move to the right of the red object'),
        (to(0.5, -0.2, 0.02, straight=True), NOW, 'reach for the red object'),
        (to(0.5, -0.2, 0.40, straight=True), NOW, 'move away from the red object'),
        (Grip(0.05), NOW, 'open the hand for the red object'),
        (Grip(0.0), NOW, 'grasp the red object'),
        (Seal(on=True), NOW, 'grasp the red object'),
        (to(0.5, -0.2, 0.40, straight=True), HOLDING, 'move upward'),
        (to(0.5, 0.2, 0.20), HOLDING, 'move the red object above the blue container'),
        (to(0.5, -0.2, 0.10, straight=True), HOLDING, 'move the red object into the blue container'),
        (to(0.5, -0.2, 0.30, (pi, radians(60.0), 0.0)), HOLDING, 'rotate the red object'),
        (to(0.5, 0.2, 0.30, constraint=upright()), HOLDING, 'move the red object upright to the blue container'),
        (Grip(0.0), replace(NOW, tool=HIGH.shifted((-0.2, 0.5, -0.28))), 'grasp the red sponge'),
        (to(0.5, 0.2, 0.2), replace(NOW, held='sponge_1'), 'move the red sponge above the red object'),
        (to(0.6, -0.2, 0.30, constraint=along_line(HIGH, (1.0, 0.0, 0.0), 0.1)), HOLDING, 'move the red object along a line'),
        (Grip(0.08), HOLDING, 'release the red object'),
        (Seal(on=False), HOLDING, 'release the red object'),
        (Wait(1.0), NOW, None),
        (Stop(), NOW, None),
    ],
)
def test_each_command_has_its_sentence(command, now, sentence):
    assert said(command, now) == sentence


def test_the_sentence_is_about_the_part_of_the_plan_that_is_next():
    there = replace(HOLDING, held='', bodies=NOW.bodies | {'object_1': snapshot(cube=Pose((0.5, 0.2, 0.024))).bodies['object_1']})
    plan = then(GOAL, On(TRAY, CUBE), Not(GOAL))
    down = to(0.5, 0.2, 0.20)
    assert said(down, replace(NOW, held='object_1'), plan) == 'move the red object above the blue container'
    assert said(down, replace(there, held='container_1'), plan) == 'move the blue container above the red object'


def test_a_plate_of_a_balance_is_named_and_its_beam_is_not_taken():
    scale = balance('scale')
    now = replace(HOLDING, mechanisms=dict.fromkeys(scale.joints, JointState(0.0, 1.0)))
    load, level = Carried(CUBE, scale, (LEFT,)), Level(scale, BEAM)
    assert said(to(0.5, 0.2, 0.20), now, load) == 'move the red object above the left plate of the balance scale'
    assert said(to(0.5, -0.2, 0.10, straight=True), now, load) == 'move the red object onto the left plate of the balance scale'
    assert said(to(0.5, -0.2, 0.40, straight=True), replace(now, held=''), level) == 'move away from the red object'


def test_furniture_is_taken_by_its_handle():
    def piece(kind: str, link: str) -> Opened:
        joint = Joint(kind, Pose(), (1.0, 0.0, 0.0), 0.0, 0.2)
        return Opened(Mechanism('it', (Link('body', (CUBE,)), Link(link, (replace(CUBE, name='front'),), 'body', joint))), link, 0.1, 0.2)

    drawer, door = piece('prismatic', 'top'), piece('revolute', 'door')
    shut = replace(NOW, mechanisms={'it/top': JointState(0.0), 'it/door': JointState(0.0)})
    held = replace(shut, held='it/door')
    assert said(to(0.5, 0.0, 0.2), shut, drawer) == 'move to the handle of the top drawer'
    assert said(Grip(0.0), shut, drawer) == 'grasp the handle of the top drawer'
    arc = about_hinge(HIGH, (0.5, 0.0, 0.0), (0.0, 0.0, 1.0), 0.5)
    assert said(ToolPose(arc.path[-1], constraint=arc), held, door) == 'rotate the handle of the door around its hinge'
    assert waypoint(3, Grip(0.08), Situation(SCENE, ((0, door),), held, shut)).unit == 'M2'


@pytest.fixture(scope='module')
def bag(tmp_path_factory):
    """The first episode, played by the oracle and recorded."""
    film, recorder = Film(), Recorder(bench(), episode(), folder=tmp_path_factory.mktemp('bags'))
    run = bench().run(episode(), policy('oracle'), film, recorder)
    return recorder.close(run.report), film


def test_a_bag_holds_the_steps_of_the_expert(bag):
    path, film = bag
    steps = waypoints(path)
    assert [step.step for _, step in steps] == list(range(len(steps)))
    assert [seq for seq, _ in steps] == sorted({seq for seq, _ in steps})
    assert [step.unit for _, step in steps] == ['Control'] * 4 + ['M1'] * 4 + ['Control']
    sentences = [step.sentence for _, step in steps]
    assert sentences[3:5] == [f'grasp the {episode().goal.prop.color.name} object', 'move upward']
    assert [(event.seq, loads(event.text)) for event in film.events if event.kind is EventKind.WAYPOINT] == list(steps)


def test_the_tool_comes_to_where_a_waypoint_says(bag):
    path, film = bag
    steps = waypoints(path)
    for (_, step), (later, _) in pairwise(steps):
        now = film.snapshots[later]
        assert now.tool.distance(step.tool) < 0.005, step.sentence
        assert np.degrees(now.tool.angle(step.tool)) < 2.0, step.sentence


def test_who_is_no_expert_leaves_no_waypoints(tmp_path):
    recorder = Recorder(bench(), episode(), folder=tmp_path)
    run = bench().run(replace(episode(), horizon=1.0), policy('still'), recorder)
    assert waypoints(recorder.close(run.report)) == ()


def test_a_waypoint_that_is_none_is_an_error(tmp_path):
    writer = BagWriter(tmp_path, 'odd', custom={})
    writer.write_value(names.EVENTS, event_fields(Event(0, EventKind.WAYPOINT, 'x', dumps(Pose())), 'token'))
    with pytest.raises(BagError, match='found that of a Pose'):
        waypoints(writer.close({}))


def test_a_waypoint_is_written_and_read_again():
    step = Waypoint(2, 'grasp it', 'Control', HIGH, 0.0, upright(), leaf=1, subtask='it is there')
    assert loads(dumps(step)) == step


def test_a_waypoint_from_before_there_were_labels_has_no_clause():
    step = Waypoint(2, 'grasp it', 'Control', HIGH, 0.0)
    told = json.loads(dumps(step))
    del told['leaf'], told['subtask']
    assert loads(json.dumps(told)) == step

"""Words of moving and touching, on both sides of every tolerance; and what happened between two snapshots."""

from dataclasses import replace
from math import pi, radians

import numpy as np
import pytest

from test.films import CUBE, TRAY, snapshot
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Pose, vector
from vlm_bench_sim.core.snapshot import TABLE, Body
from vlm_bench_tasks.goals.moving import Leaning, Moved, Raised, Toppled, Toward, Turned
from vlm_bench_tasks.goals.touching import Flying, Grasped, Reached, Touching

START = snapshot()
HERE = CUBE.pose
LONG = replace(CUBE, size=(0.08, 0.04, 0.04))


def turned(yaw: float) -> Pose:
    return Pose.from_rpy(HERE.position, (0.0, 0.0, radians(yaw)))


def leaning(degrees: float) -> Pose:
    return Pose.from_rpy(HERE.position, (radians(degrees), 0.0, 0.0))


@pytest.mark.parametrize(
    ('goal', 'pose', 'holds'),
    [
        (Moved(CUBE, 0.10), HERE.shifted((0.0601, 0.0801, 0.0)), True),
        (Moved(CUBE, 0.10), HERE.shifted((0.0599, 0.0799, 0.0)), False),
        (Moved(CUBE, 0.10), HERE.shifted((0.0, 0.0, 0.5)), False),  # lifting is not moving along
        (Raised(CUBE, 0.2, within=0.05), HERE.shifted((0.0, 0.0, 0.1501)), True),
        (Raised(CUBE, 0.2, within=0.05), HERE.shifted((0.0, 0.0, 0.1499)), False),
        (Raised(CUBE, 0.2, within=0.05), HERE.shifted((0.0, 0.0, 0.2499)), True),
        (Raised(CUBE, 0.2, within=0.05), HERE.shifted((0.0, 0.0, 0.2501)), False),
        (Raised(CUBE, 0.2, within=0.05), HERE.shifted((0.0, 0.0, 0.1500)), False),  # an error of exactly 5 cm is too much
        (Raised(CUBE, 0.2, within=0.05), HERE.shifted((0.0, 0.0, 0.2500)), False),
        (Leaning(CUBE, radians(45.0)), leaning(30.01), True),
        (Leaning(CUBE, radians(45.0)), leaning(30.0), False),
        (Leaning(CUBE, radians(45.0)), leaning(-59.99), True),  # whichever way it leans
        (Leaning(CUBE, radians(45.0)), leaning(60.0), False),
        (Leaning(CUBE, radians(180.0)), leaning(165.1), True),
        (Leaning(CUBE, radians(180.0)), leaning(-165.1), True),
        (Leaning(CUBE, radians(180.0)), leaning(164.9), False),
        (Toppled(CUBE), leaning(45.1), True),
        (Toppled(CUBE), leaning(44.9), False),
        (Toppled(CUBE), turned(90.0), False),
        (Turned(CUBE, radians(30.0)), turned(25.1), True),
        (Turned(CUBE, radians(30.0)), turned(24.9), False),
        (Turned(CUBE, radians(30.0)), turned(34.9), True),
        (Turned(CUBE, radians(30.0)), turned(35.1), False),
        (Turned(CUBE, radians(30.0)), turned(-60.0), False),  # a cube looks the same a quarter turn on, but was turned the other way
        (Turned(LONG, radians(30.0)), turned(-150.0), False),
        (Turned(LONG, radians(-30.0)), turned(30.0), False),
        # The tray stands 0.4 m along +y: 30 % of that is 0.12 m.
        (Toward(CUBE, TRAY), HERE.shifted((0.0, 0.1201, 0.0)), True),
        (Toward(CUBE, TRAY), HERE.shifted((0.0, 0.1199, 0.0)), False),
        (Toward(CUBE, TRAY, share=0.2), HERE.shifted((0.150, 0.151, 0.0)), True),  # 44.8° aside
        (Toward(CUBE, TRAY, share=0.2), HERE.shifted((0.151, 0.150, 0.0)), False),
        (Toward(CUBE, TRAY), HERE.shifted((0.0, -0.2, 0.0)), False),
    ],
)
def test_both_sides_of_a_tolerance(goal, pose, holds):
    now = snapshot(cube=pose)
    assert goal.holds(now, START) is holds
    assert goal.distance(now, START) == 0.0 if holds else goal.distance(now, START) >= 0.0
    assert not goal.holds(START, START)


def test_what_is_brought_nearer_was_not_pushed_to():
    brought = HERE.shifted((0.0, 0.2, 0.0))
    now = replace(snapshot(), bodies={**START.bodies, 'container_1': Body(brought)})
    nudged = replace(now, bodies={**now.bodies, 'object_1': Body(HERE.shifted((0.0, 0.001, 0.0)))})
    assert not any(Toward(CUBE, TRAY).holds(seen, START) for seen in (now, nudged))
    assert Toward(CUBE, TRAY).distance(nudged, START) == pytest.approx(0.119)


def test_touching_now_and_between_two_snapshots():
    hit, by_robot = Touching(CUBE, TRAY), Touching(CUBE)
    now = snapshot(touching=(('container_1', 'object_1'),))
    assert hit.holds(now, START)
    assert not by_robot.holds(now, START)
    between = replace(snapshot(), touched=(('object_1', 'robot'),))
    assert by_robot.happened(between, START)
    assert not by_robot.holds(between, START)
    assert Touching(CUBE, TABLE).holds(snapshot(touching=(('object_1', 'table'),)), START)
    assert (by_robot.words(), Touching(CUBE, TABLE).words()) == ('the red object touches the robot', 'the red object touches the table')


def test_touching_is_as_far_as_the_two_are_apart():
    assert Touching(CUBE, TABLE).distance(snapshot(cube=HERE.shifted((0, 0, 0.1))), START) == pytest.approx(0.1)
    apart = 0.4 - (3 * 0.02**2) ** 0.5 - (0.1**2 + 0.0625**2 + 0.025**2) ** 0.5
    assert Touching(CUBE, TRAY).distance(START, START) == pytest.approx(apart, abs=1e-3)
    assert Touching(CUBE, TRAY).distance(snapshot(touching=(('container_1', 'object_1'),)), START) == 0.0


def test_grasped_now_and_between_two_snapshots():
    goal = Grasped(CUBE)
    assert goal.holds(snapshot(held='object_1'), START)
    assert not goal.holds(snapshot(held='container_1'), START)
    assert goal.happened(replace(snapshot(), grasped=('object_1',), released=('object_1',)), START)
    assert not goal.happened(snapshot(), START)
    assert goal.distance(START, START) == pytest.approx(START.tool.distance(HERE))


FLIGHT = Body(HERE.shifted((0.0, 0.0, 0.1)), linear=vector(0.8 * (np.asarray(START.pose('container_1').position) - HERE.position)))
"""On its way to the container, and far below the tool."""


@pytest.mark.parametrize(
    ('now', 'flies'),
    [
        (snapshot(), False),
        (replace(snapshot(), bodies={**START.bodies, 'object_1': FLIGHT}), True),
        (replace(snapshot(), bodies={**START.bodies, 'object_1': FLIGHT}, held='object_1'), False),
        (replace(snapshot(), bodies={**START.bodies, 'object_1': FLIGHT}, touched=(('object_1', 'table'),)), False),
        (replace(snapshot(), bodies={**START.bodies, 'object_1': FLIGHT}, touching=(('object_1', 'robot'),)), False),
        (replace(snapshot(), bodies={**START.bodies, 'object_1': FLIGHT}, tool=FLIGHT.pose.shifted((0.0, 0.0, 0.09))), False),
        (replace(snapshot(), bodies={**START.bodies, 'object_1': replace(FLIGHT, linear=vector(np.multiply(FLIGHT.linear, -1.0)))}), False),
        (replace(snapshot(), bodies={**START.bodies, 'object_1': replace(FLIGHT, linear=vector(np.multiply(FLIGHT.linear, 0.1)))}), False),
    ],
)
def test_what_flies_is_touched_by_nothing_far_from_the_tool_and_comes_nearer(now, flies):
    goal = Flying(CUBE, TRAY)
    assert goal.holds(now, START) is flies
    assert goal.props() == (CUBE, TRAY)


@pytest.mark.parametrize(('x', 'degrees', 'holds'), [(0.0499, 9.9, True), (0.0501, 0.0, False), (0.0, 10.1, False)])
def test_the_tool_reaches_a_pose_within_distance_and_angle(x, degrees, holds):
    goal = Reached(Pose((0.5, 0.0, 0.3)), near=0.05, turn=radians(10.0))
    now = replace(START, tool=Pose.from_rpy((0.5 + x, 0.0, 0.3), (radians(degrees), 0.0, 0.0)))
    assert goal.holds(now, START) is holds
    assert goal.props() == ()


def test_without_a_roll_only_the_direction_of_the_tool_counts():
    goal = Reached(Pose.from_rpy((0.5, 0.0, 0.3), (pi, 0.0, 0.0)), turn=radians(10.0), roll=False)
    for roll in (0.0, 0.5, pi):
        upright = replace(START, tool=Pose.from_rpy((0.5, 0.0, 0.3), (pi, 0.0, roll)))
        leant = Pose.from_rpy((0.5, 0.0, 0.3), (pi + radians(11.0), 0.0, 0.0))
        leaning = replace(START, tool=leant @ Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, roll)))
        assert goal.holds(upright, START) and goal.distance(leaning, START) == pytest.approx(0.1 * radians(1.0))
    assert not replace(goal, roll=True).holds(upright, START)


@pytest.mark.parametrize(('angle', 'within'), [(-0.1, 0.2), (3.2, 0.2), (float('nan'), 0.2), (1.0, 0.0), (1.0, float('nan'))])
def test_a_lean_that_cannot_be_is_refused(angle, within):
    with pytest.raises(SceneError, match=r'Give an angle from 0 \(upright\) to π'):
        Leaning(CUBE, angle, within)


def test_a_number_is_that_of_the_pools():
    assert (Raised(CUBE, 0.2).number, Leaning(CUBE, radians(135.0)).number, Moved(CUBE, 0.1).number) == (0.2, pytest.approx(135.0), None)

from math import cos, pi, radians, sin

import numpy as np
import pytest

from vlm_bench_sim.core.codec import dumps, loads
from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.constraint import Deviation, MotionConstraint, Orientation, Position, about_hinge, along_line, upright, worst
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.geometry import Pose

DOWN = Pose.from_rpy((0.5, 0.1, 0.3), (pi, 0.0, 0.4))
HINGE, RADIUS = (0.8, 0.3, 0.2), 0.35


def moved(x: float = 0.0, y: float = 0.0, z: float = 0.0, rpy=(0.0, 0.0, 0.0)) -> Pose:
    """DOWN shifted in the world, and turned by rpy about its own axes."""
    return DOWN.shifted((x, y, z)) @ Pose.from_rpy((0.0, 0.0, 0.0), rpy)


@pytest.mark.parametrize(
    ('position', 'direction', 'shift', 'distance'),
    [
        (Position.FREE, (0, 0, 1), (0.3, 0.2, 0.1), 0.0),
        (Position.PLANE, (0, 0, 1), (0.3, 0.2, 0.01), 0.01),
        (Position.PLANE, (0, 2, 2), (0.7, 0.02, 0.0), 0.02 * cos(pi / 4)),
        (Position.LINE, (0, 0, 1), (0.03, 0.04, 0.5), 0.05),
        (Position.LINE, (-3, 0, 0), (0.3, 0.003, -0.004), 0.005),
        (Position.FIXED, (0, 0, 1), (0.01, 0.02, -0.02), 0.03),
    ],
)
def test_distance_is_measured_only_where_the_position_is_held(position, direction, shift, distance):
    constraint = MotionConstraint(position, reference=DOWN, direction=direction)
    assert constraint.check(moved(*shift, rpy=(1.0, 0.5, 2.0))).distance == pytest.approx(distance, abs=1e-12)
    assert constraint.check(moved(*shift, rpy=(1.0, 0.5, 2.0))).angle == 0.0


@pytest.mark.parametrize(
    ('orientation', 'axis', 'rpy', 'angle'),
    [
        (Orientation.FREE, (0, 0, 1), (1.0, 0.5, 2.0), 0.0),
        (Orientation.AXIS, (0, 0, 1), (0.0, 0.0, 2.5), 0.0),
        (Orientation.AXIS, (0, 0, 5), (0.1, 0.0, 0.0), 0.1),
        (Orientation.AXIS, (0, 1, 0), (0.0, 3.0, 0.0), 0.0),
        (Orientation.AXIS, (0, 1, 0), (pi, 0.0, 0.0), pi),
        (Orientation.FIXED, (0, 0, 1), (0.0, 0.0, 2.5), 2.5),
        (Orientation.FIXED, (0, 0, 1), (0.0, -0.001, 0.0), 0.001),
    ],
)
def test_angle_is_measured_only_where_the_orientation_is_held(orientation, axis, rpy, angle):
    constraint = MotionConstraint(orientation=orientation, reference=DOWN, axis=axis)
    assert constraint.check(moved(0.2, 0.1, 0.3, rpy)) == Deviation(0.0, pytest.approx(angle, abs=1e-9))


def test_what_is_held_upside_down_is_upright_when_the_tool_points_down():
    held = Pose.from_rpy((0.0, 0.02, 0.05), (pi, 0.0, 1.0))
    constraint = upright(held, within=radians(10))
    assert constraint.check(DOWN @ held.inverse() @ held).angle == pytest.approx(0.0, abs=1e-9)
    for tilt, kept in ((9.9, True), (10.1, False)):
        off = constraint.check(moved(rpy=(0.0, radians(tilt), 0.0)))
        assert off.angle == pytest.approx(radians(tilt)) and off.within(constraint.tolerance) is kept
    assert constraint.check(Pose()).angle == pytest.approx(pi)


def on_the_arc(angle: float, radius: float = RADIUS) -> tuple[float, float, float]:
    return (HINGE[0] - radius * cos(angle), HINGE[1] - radius * sin(angle), 0.45)


@pytest.mark.parametrize('angle', [radians(60), -radians(95), radians(1)])
def test_a_door_turns_handle_and_hand_about_its_hinge(angle):
    start = Pose.from_rpy(on_the_arc(0.0), (0.3, pi / 2, 0.0))
    constraint = about_hinge(start, HINGE, (0.0, 0.0, 2.0), angle)
    assert constraint.path[0].distance(start) < 1e-12
    for share in np.linspace(0.0, 1.0, 23):
        turn = share * angle
        pose = Pose(on_the_arc(turn), (Pose.from_rpy((0, 0, 0), (0, 0, turn)) @ start).orientation)
        off = constraint.check(pose)
        assert off.distance < 1.1e-4 and off.angle < radians(0.1)
        assert constraint.check(pose.shifted((0.0, 0.0, 0.01))).distance == pytest.approx(0.01, abs=2e-4)
        turned = constraint.check(pose @ Pose.from_rpy((0, 0, 0), (radians(5), 0, 0)))
        assert turned.angle == pytest.approx(radians(5), abs=radians(0.1))
    assert constraint.path[-1].position == pytest.approx(on_the_arc(angle), abs=1e-12)
    beside = Pose(on_the_arc(angle / 2, RADIUS + 0.02), constraint.track.at(constraint.track.end / 2).orientation)
    assert constraint.check(beside).distance == pytest.approx(0.02, abs=2e-4)


def test_a_drawer_is_pulled_along_its_line_without_turning():
    constraint = along_line(DOWN, (-2.0, 0.0, 0.0), 0.2)
    assert constraint.path[-1].position == pytest.approx((0.3, 0.1, 0.3)) and constraint.path[-1].orientation == DOWN.orientation
    assert constraint.check(moved(-0.11)) == Deviation(0.0, pytest.approx(0.0, abs=1e-9))
    assert constraint.check(moved(-0.11, 0.003, 0.004, (0.0, 0.0, 0.02))) == Deviation(pytest.approx(0.005), pytest.approx(0.02))


def test_turning_in_place_is_a_path_too():
    path = (DOWN, moved(rpy=(1.2, 0.0, 0.0)))
    constraint = MotionConstraint(Position.PATH, Orientation.BY_POSITION, path=path)
    for angle in (0.0, 0.31, 0.9, 1.2):
        assert constraint.check(moved(rpy=(angle, 0.0, 0.0))).angle == pytest.approx(0.0, abs=1e-3)
    assert constraint.check(moved(rpy=(1.5, 0.0, 0.0))).angle == pytest.approx(0.3, abs=1e-3)
    assert constraint.check(moved(0.01, rpy=(0.6, 0.0, 0.0))).distance == pytest.approx(0.01)


def test_places_on_a_path_count_up_on_the_way():
    constraint = MotionConstraint(Position.PATH, Orientation.BY_POSITION, path=(DOWN, moved(0.1), moved(0.1, 0.1, rpy=(0, 0, 1.0))))
    places = [constraint.place(pose) for pose in (moved(), moved(0.05), moved(0.1), moved(0.1, 0.05, rpy=(0, 0, 0.5)), constraint.path[-1])]
    assert places[:3] == pytest.approx([0.0, 0.5, 1.0]) and places == sorted(places) and places[-1] == constraint.track.end


def test_a_path_of_positions_lets_the_tool_turn():
    constraint = MotionConstraint(Position.PATH, Orientation.FREE, path=(DOWN, moved(0.2)))
    assert constraint.check(moved(0.1, 0.002, rpy=(1.0, 2.0, 3.0))) == Deviation(pytest.approx(0.002), 0.0)


@pytest.mark.parametrize(
    'constraint',
    [
        MotionConstraint(),
        upright(Pose.from_rpy((0.01, 0.02, 0.03), (3.0, 0.1, 0.2)), 0.1),
        along_line(DOWN, (1.0, 2.0, 3.0), 0.2),
        about_hinge(DOWN, HINGE, (0.0, 0.1, 1.0), 1.0),
        MotionConstraint(Position.PLANE, Orientation.FIXED, DOWN, direction=(1, 1, 1), tolerance=Deviation(0.01, 0.2)),
    ],
)
def test_json_keeps_every_bit(constraint):
    target = ToolPose(DOWN, constraint=constraint)
    assert loads(dumps(target)) == target
    assert loads(dumps(target)).constraint.check(Pose()) == constraint.check(Pose())


@pytest.mark.parametrize(
    ('wrong', 'words'),
    [
        ({'position': Position.PATH}, 'two or more poses'),
        ({'position': Position.PATH, 'path': (DOWN,)}, 'found 1'),
        ({'position': Position.LINE, 'orientation': Orientation.BY_POSITION}, 'two or more poses'),
        ({'position': Position.LINE, 'path': (DOWN, Pose())}, 'no path'),
        ({'direction': (0.0, 0.0, 0.0)}, 'direction'),
        ({'axis': (0.0, float('nan'), 1.0)}, 'direction'),
        ({'tolerance': Deviation(0.0, 0.1)}, 'above 0'),
        ({'tolerance': Deviation(0.1, float('inf'))}, 'above 0'),
        ({'reference': Pose((0.0, 0.0, float('nan')))}, 'finite'),
    ],
)
def test_nonsense_is_refused(wrong, words):
    with pytest.raises(CommandError, match=words):
        MotionConstraint(**wrong)


def test_it_says_what_it_asks():
    assert upright(within=radians(10)).words() == (
        'the tool anywhere, with its axis (0.00, 0.00, 1.00) along (0.00, 0.00, 1.00), within 2.0 mm and 10.0°'
    )
    assert 'on the line along (1.00, 0.00, 0.00), in the orientation of the path' in along_line(DOWN, (5.0, 0.0, 0.0), 0.1).words()
    assert 'in the plane normal to' in MotionConstraint(Position.PLANE, Orientation.FIXED).words()


def test_the_worst_of_many_takes_each_part_for_itself():
    assert worst([Deviation(0.1, 0.2), Deviation(0.3, 0.1)]) == Deviation(0.3, 0.2)
    assert worst([]) == Deviation(0.0, 0.0)
    assert Deviation(0.2, 0.4).scaled(0.5) == Deviation(0.1, 0.2)
    assert Deviation(0.001, 0.3).share(Deviation(0.002, 0.2)) == pytest.approx(1.5)

"""Goals for joints that are numbers: strict windows, what is refused, and what counts as standing still."""

from dataclasses import replace

import pytest

from test.films import snapshot
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.mechanisms import Mechanism
from vlm_bench_sim.core.objects.furniture import furniture
from vlm_bench_sim.core.snapshot import ROBOT, JointState, Snapshot, pair
from vlm_bench_tasks.goals.mechanisms import JointAt, Opened, led_to

CHEST, CABINET = furniture('chest0', 'chest'), furniture('cabinet2', 'cabinet')
TOP = CHEST.joints['chest/top']


def at(share: float, piece: Mechanism = CHEST, link: str = 'top', **more) -> Snapshot:
    joint = piece.joints[piece.full(link)]
    return replace(snapshot(), mechanisms={piece.full(link): JointState(joint.lower + share * (joint.upper - joint.lower))}, **more)


@pytest.mark.parametrize(
    ('share', 'holds'),
    [(0.5, True), (0.401, True), (0.4, False), (0.399, False), (0.599, True), (0.6, False), (0.75, False), (0.25, False)],
)
def test_9_9_points_off_pass_and_10_fail(share, holds):
    goal = JointAt(CHEST, 'top', 0.5)
    assert goal.holds(at(share), at(0.0)) is holds
    assert goal.distance(at(0.25), at(0.0)) == pytest.approx(0.15)


def test_the_neighbouring_goal_fails():
    for piece, link in ((CHEST, 'top'), (CABINET, 'left')):
        for share in (0.0, 0.25, 0.5, 0.75, 1.0):
            held = [
                JointAt(piece, link, other).holds(at(share, piece, link), at(0.0, piece, link)) for other in (0.0, 0.25, 0.5, 0.75, 1.0)
            ]
            assert held.count(True) == 1


def test_the_hand_may_still_hold_the_piece():
    touching = (pair('chest/top', ROBOT),)
    assert JointAt(CHEST, 'top', 0.5).holds(at(0.5, touching=touching, held='chest/top'), at(0.0))
    there = TOP.upper / 2
    assert not Opened(CHEST, 'top', there - 0.01, there + 0.01).holds(at(0.5, touching=touching), at(0.0))


@pytest.mark.parametrize('share', [1.1, -0.1, float('nan'), float('inf')])
def test_a_goal_beyond_the_joint_is_refused(share):
    with pytest.raises(SceneError, match=r'chest/top was given the share .* Give a number from 0 \(closed\) to 1 \(open\)'):
        JointAt(CHEST, 'top', share)


def test_a_link_that_does_not_move_is_refused():
    with pytest.raises(SceneError, match='chest/body is fixed'):
        JointAt(CHEST, 'body', 0.5)


@pytest.mark.parametrize('share', [0.5, 0.55, 0.4])
def test_a_start_within_the_goal_is_refused(share):
    begun = CHEST.started(top=TOP.upper / 2)
    with pytest.raises(SceneError, match=r'chest/top starts 50 % open, and the goal is .*: nothing would be left to do'):
        led_to(begun, 'top', share)
    assert led_to(begun, 'top', 0.75).share == 0.75


def test_standing_still_is_measured_against_where_a_hold_began():
    drawer, door = JointAt(CHEST, 'top', 0.5), JointAt(CABINET, 'left', 0.5)
    for goal, near, far in ((drawer, 0.0004, 0.0006), (door, 0.004, 0.005)):
        position = goal.target
        before, moved, strayed = (replace(snapshot(), mechanisms={goal.full: JointState(position + by)}) for by in (0.0, near, -far))
        assert not goal.strayed(moved, before) and goal.strayed(strayed, before)


def test_a_goal_says_which_link_of_what():
    assert JointAt(CHEST, 'top', 0.5).words() == 'the top drawer of the cabinet is 50 % open, less than 10 points off'
    assert JointAt(furniture('chest1', 'chest'), 'top_left', 0.25).words().startswith('the top left drawer of the cabinet is 25 % open')

"""A bag as frames: what was seen, where the robot was sent next, and what came of it, at the same moments."""

from dataclasses import replace
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from test.rewritten_bag import rewritten
from vlm_bench_sim.bags.reader import Bag, open_bag
from vlm_bench_sim.core.command import Chunk, Hold, Joints, Point
from vlm_bench_sim.core.errors import BagError, ConfigError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.core.snapshot import JointState, Snapshot
from vlm_bench_sim.core.timing import PERIOD_NS
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.profiles import robot
from vlm_bench_sim.render.jpeg import pixels
from vlm_bench_sim.ros import names
from vlm_bench_tasks.dataset.exports.frames import POSE, Wish, frames
from vlm_bench_tasks.dataset.exports.set_points import set_points


def quaternions_agree(a, b):
    return np.abs(np.sum(a * b, axis=1)) > 1 - 1e-5


def test_a_frame_shows_the_state_of_its_period(recorded):
    _, ((path, run, seen), *_) = recorded
    found = frames(path, Wish(fps=10))
    at = range(0, run.report.seq, 2)
    assert len(found) == len(at)
    states = [(*seen.snapshots[seq].arm(found.profile.joints), seen.snapshots[seq].opening) for seq in at]
    assert found.columns['observation.state'] == pytest.approx(np.asarray(states), abs=1e-6)
    assert found.columns['tool_pose'][:, :3] == pytest.approx(np.asarray([seen.snapshots[seq].tool.position for seq in at]), abs=1e-6)
    assert found.names['observation.state'] == (*found.profile.joints, 'gripper.opening')


@pytest.mark.parametrize('index', [0, 1], ids=['steady', 'noisy'])
def test_what_was_applied_is_the_set_point_at_the_next_frame(recorded, index):
    """Folded from the bag's commands, it is what the world's own controller was at when it was recorded."""
    path, run, seen = recorded[1][index]
    found = frames(path, Wish(fps=20))
    then = [*range(1, run.report.seq), run.report.seq]
    ours = found.columns['applied.action'][:, :-1]
    assert np.abs(ours - np.asarray([seen.commanded[seq] for seq in then])).max() < 2e-3  # until the first command the arm sags a little
    assert np.abs(ours - np.asarray([seen.commanded[seq] for seq in then])).mean() < 1e-5


def test_what_was_asked_for_differs_from_what_was_applied_where_hands_are_unsteady(recorded):
    (steady, *_), (noisy, *_), _ = recorded[1]
    same, other = (frames(path, Wish()).columns for path in (steady, noisy))
    assert np.array_equal(same['action'], same['applied.action'])
    off = np.abs(other['action'] - other['applied.action'])[:, :-1].max()
    assert 1e-3 < off < 0.1


def test_actions_lead_where_the_robot_then_is(recorded):
    found = frames(recorded[1][0][0], Wish(fps=10)).columns
    assert np.abs(found['action'][:-1, :-1] - found['observation.state'][1:, :-1]).max() < 0.02


def test_a_pose_is_the_joints_said_otherwise(recorded):
    found = frames(recorded[1][0][0], Wish(fps=10, action=POSE))
    columns = found.columns
    assert found.names['action'] == ('tool.x', 'tool.y', 'tool.z', 'tool.qx', 'tool.qy', 'tool.qz', 'tool.qw', 'gripper.opening')
    assert columns['action'].shape[1] == 8
    joints = frames(recorded[1][0][0], Wish(fps=10)).columns['action']
    kinematics = Kinematics(robot('panda'))
    poses = [kinematics.tool_pose(row[:-1]) for row in joints]
    assert np.abs(columns['action'][:, :3] - [pose.position for pose in poses]).max() < 1e-6
    assert quaternions_agree(columns['action'][:, 3:7], np.array([pose.orientation for pose in poses])).all()
    assert np.abs(columns['action'][:-1, :3] - columns['tool_pose'][1:, :3]).max() < 0.01
    assert (columns['action'][:, 3] >= 0).all()
    assert np.abs(np.diff(columns['tool_pose'][:, 3:], axis=0)).max() < 0.3  # nothing jumps from one frame to the next


def test_the_gripper_is_what_it_was_last_asked_for(recorded):
    hand = frames(recorded[1][0][0], Wish(fps=20)).columns['action'][:, -1]
    assert hand.min() == 0.0  # to grasp is to close as far as it goes
    assert hand[0] == pytest.approx(0.08, abs=1e-3)
    assert len(set(hand)) <= 5


def test_only_the_last_frame_ends_the_episode_and_says_whether_it_succeeded(recorded):
    (good, run, _), _, (bad, failed, _) = recorded[1]
    for path, of, success in ((good, run, True), (bad, failed, False)):
        columns = frames(path, Wish(fps=5)).columns
        assert columns['next.done'].tolist() == [False] * (len(columns['next.done']) - 1) + [True]
        assert columns['next.success'].tolist()[-1] is success
        assert not columns['next.success'][:-1].any()
        assert columns['next.reward'][-1] == pytest.approx(of.report.reward)


def test_pictures_are_those_of_their_moment(recorded):
    """At 20 frames a second each picture of a camera at 10 is held for two; of what is asked for alone, no other is read."""
    path = recorded[1][0][0]
    found = frames(path, Wish(fps=20, cameras=('wrist',)))
    assert set(found.pictures) == {'wrist'}
    stored = [bytes(m.data) for _, _, m in open_bag(path).messages(names.COLOR_JPEG.camera('wrist').name)]
    assert list(found.pictures['wrist']) == [stored[i // 2] for i in range(len(found))]
    colors = pixels(stored[0])
    assert (colors.shape, colors.dtype) == ((48, 64, 3), np.uint8)
    assert np.array_equal(colors[..., ::-1], cv2.imdecode(np.frombuffer(stored[0], np.uint8), cv2.IMREAD_COLOR))


@pytest.mark.parametrize(
    ('wish', 'words'),
    [
        ({'fps': 3}, '3 frames a second were requested.* Choose one of 1, 2, 4, 5, 10, 20'),
        ({'fps': 0}, '0 frames a second'),
        ({'action': 'pos'}, 'mean pose'),
        ({'fps': 10, 'action': 'delta_pose'}, 'Choose --fps 20, or the action space joints or pose'),
    ],
)
def test_a_wish_that_nothing_fits_says_what_does(wish, words):
    with pytest.raises((BagError, ConfigError), match=words):
        Wish(**wish)


def test_a_camera_that_is_not_there_is_named(recorded):
    with pytest.raises(BagError, match=r'/cameras/wirst/.*Did you mean /cameras/wrist/'):
        frames(recorded[1][0][0], Wish(cameras=('wirst',)))


@pytest.mark.parametrize(
    ('keep', 'words'),
    [
        (lambda topic, _: topic != names.COMMANDED.name, 'holds nothing on /truth/commanded'),
        (lambda topic, _: topic != names.REPORT.name, 'holds nothing on /task/report'),
        (lambda topic, number: topic != names.WORLD_STATE.name or number != 7, 'lacks a state of the world between the periods 0 and'),
        (lambda topic, number: '/front/color/image' not in topic or number > 3, "no picture of the camera 'front' at the start"),
    ],
    ids=['commands', 'report', 'states', 'pictures'],
)
def test_a_bag_that_lacks_what_a_frame_needs_says_what(recorded, tmp_path, keep, words):
    path = rewritten(recorded[1][2][0], tmp_path, keep=keep)
    with pytest.raises(BagError, match=words):
        frames(path, Wish())


def test_a_report_of_more_periods_than_the_bag_has_is_refused_at_once(recorded, monkeypatch):
    messages = Bag.messages

    def spoilt(bag, *topics):
        for topic, stamp, message in messages(bag, *topics):
            yield topic, stamp, replace(message, seq=2**32 - 1) if topic == names.REPORT.name else message

    monkeypatch.setattr(Bag, 'messages', spoilt)
    with pytest.raises(BagError, match=r'lacks a state of the world between the periods 0 and 4294967295. Leave the bag out'):
        frames(recorded[1][2][0], Wish())


def test_an_action_that_cannot_be_read_names_the_bag(recorded, monkeypatch):
    path = recorded[1][0][0]
    messages = Bag.messages

    def spoilt(bag, *topics):
        for topic, stamp, message in messages(bag, *topics):
            yield topic, stamp, SimpleNamespace(seq=1, action='{"type": ') if topic == names.COMMANDED.name else message

    monkeypatch.setattr(Bag, 'messages', spoilt)
    with pytest.raises(BagError, match=rf'{path.name} holds an action on /truth/commanded that cannot be read: .* Leave the bag out'):
        frames(path, Wish())


def still(profile, periods: int, *, opening: float = 0.04):
    joints = {name: JointState(q) for name, q in zip(profile.joints, profile.home, strict=True)}
    return [Snapshot(seq, 12 * seq, joints, Pose(), opening) for seq in range(periods)]


def test_a_set_point_is_held_when_the_arm_is_told_to():
    profile = robot('panda')
    goal = tuple(q + 0.1 for q in profile.home)
    way = Chunk((Point(4 * PERIOD_NS, goal),))
    points = set_points(profile, still(profile, 8), {1: [way], 3: [Hold('arm')]}, judged=False)
    assert points[:2, 0] == pytest.approx([profile.home[0]] * 2)
    assert points[3:, 0] == pytest.approx([profile.home[0] + 0.05] * 5)


def test_a_motion_that_is_given_up_counts_only_where_it_was():
    """The arm never moves: what was asked for stays asked for, while the controller gives up at its tolerance."""
    profile = robot('panda')
    goal = tuple(q + 0.1 for q in profile.home)
    snapshots, way = still(profile, 30), {0: [Joints(goal)]}
    assert set_points(profile, snapshots, way, judged=False)[-1, :-1] == pytest.approx(goal)
    assert set_points(profile, snapshots, way, judged=True)[-1, :-1] == pytest.approx(profile.home)


def test_fingers_are_sent_to_an_opening_and_cups_suck_or_do_not():
    fingers, cups = robot('panda'), robot('panda_vacuum')
    asked = {1: [Grip(0.0)], 3: [Hold('gripper')]}
    assert set_points(fingers, still(fingers, 6), asked, judged=False)[:, -1].tolist() == [0.04, 0.04, 0.0, 0.0, 0.04, 0.04]
    sealed = {1: [Seal(on=True)], 3: [Seal(on=False)]}
    assert set_points(cups, still(cups, 6), sealed, judged=False)[:, -1].tolist() == [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]

"""What the expert advised beside another policy, as a column of the exports."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from vlm_bench_sim.core.command import Joints, Stop, ToolPose, Wait
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.core.snapshot import JointState, Snapshot
from vlm_bench_sim.profiles import robot
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.actions.spaces import pose_numbers
from vlm_bench_tasks.dataset.exports import lerobot, plain
from vlm_bench_tasks.dataset.exports.choice import whole
from vlm_bench_tasks.dataset.exports.expert import advised
from vlm_bench_tasks.dataset.exports.frames import EXPERT, JOINTS, POSE, Wish, frames
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.dataset.waypoints import advice
from vlm_bench_tasks.policies.adviser import Adviser
from vlm_bench_tasks.policy import Player
from vlm_bench_tasks.run import Bench

DOWN = (1.0, 0.0, 0.0, 0.0)
AWAY = Pose((0.35, -0.3, 0.35), DOWN)


class Strays(Player):
    """Waits, goes where nothing is, closes its hand and gives up."""

    def reset(self, context) -> None:
        self.left = iter((Wait(0.1), ToolPose(AWAY), Grip(0.0)))

    def act(self, observation):
        return next(self.left, Stop())


@pytest.fixture(scope='module')
def bags(tmp_path_factory):
    """Two bags of an episode without pictures: one with an adviser beside the policy, one without."""
    bench, episode, found = Bench(), catalogue.build('vlmbench/pick_place', 'seen', 0), []
    for adviser in (Adviser(), None):
        recorder = Recorder(bench, episode, folder=tmp_path_factory.mktemp('bags'))
        found.append(recorder.close(bench.run(episode, Strays(), recorder, adviser=adviser).report))
    bench.close()
    return found


def test_each_frame_holds_the_newest_advice(bags):
    found, words = frames(bags[0], Wish(fps=20, action=POSE)), advice(bags[0])
    column = found.columns[EXPERT]
    assert (column.shape, column.dtype) == ((len(found), 8), np.float32)
    assert found.names[EXPERT] == found.names['action']
    told = [(seq, command.pose) for seq, command in words if isinstance(command, ToolPose) and seq < len(found)]
    assert told and told[0][0] == 0
    for (seq, pose), (until, _) in zip(told, [*told[1:], (len(found), None)], strict=True):
        assert np.array_equal(column[seq:until, :7], np.tile(np.float32(pose_numbers(pose)), (until - seq, 1)))
    assert np.linalg.norm(column[-1, :3] - AWAY.position) > 0.05, 'it is not what the policy did'


def test_advice_is_left_out_where_actions_are_joints_and_where_nobody_gave_any(bags):
    assert EXPERT not in frames(bags[0], Wish(action=JOINTS)).columns
    assert EXPERT not in frames(bags[1], Wish(action=POSE)).columns


def test_both_exports_hold_the_column(bags, tmp_path):
    wish = Wish(action=POSE)
    ours = frames(bags[0], wish).columns[EXPERT]
    for name, export in (('lerobot', lerobot.export), ('numpy', lambda *a: plain.export(*a, root=bags[0]))):
        with whole(tmp_path / name) as part:
            assert len(list(export(bags[:1], part, wish))) == 1
    rows = pq.read_table(tmp_path / 'lerobot/data/chunk-000/file-000.parquet')[EXPERT].to_pylist()
    assert np.array_equal(np.float32(rows), ours)
    assert json.loads((tmp_path / 'lerobot/meta/info.json').read_text())['features'][EXPERT]['shape'] == [8]
    with np.load(tmp_path / 'numpy' / f'{bags[0].name}.npz', allow_pickle=False) as stored:
        assert np.array_equal(stored[EXPERT], ours)


@pytest.mark.parametrize('order', [(0, 1), (1, 0)])
def test_a_dataset_with_advice_in_some_bags_is_refused(bags, tmp_path, order):
    paths = [bags[i] for i in order]
    with pytest.raises(BagError, match=rf'{bags[0].name} holds advice of the expert, but .*{bags[1].name} does not. Export'):
        list(lerobot.export(paths, tmp_path, Wish(action=POSE)))


def still(profile, periods):
    joints = {name: JointState(q) for name, q in zip(profile.joints, profile.home, strict=True)}
    return [Snapshot(seq, 12 * seq, joints, Pose((0.4, 0.0, 0.3), DOWN), 0.04) for seq in range(periods)]


def test_pose_and_gripper_each_stay_until_the_next_word_about_them():
    fingers, cups = robot('panda'), robot('panda_vacuum')
    at = Pose((0.5, 0.1, 0.2), DOWN)
    found = advised(fingers, still(fingers, 6), [(1, Grip(0.0)), (2, Wait(0.1)), (3, ToolPose(at)), (5, Stop())])
    assert found[:, -1].tolist() == [0.04, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert found[:3, :3].tolist() == [[0.4, 0.0, 0.3]] * 3
    assert found[3:, :3].tolist() == [[0.5, 0.1, 0.2]] * 3
    assert advised(cups, still(cups, 4), [(1, Seal(on=True)), (3, Seal(on=False))])[:, -1].tolist() == [0.0, 1.0, 1.0, 0.0]


def test_advice_in_joint_positions_is_refused():
    profile = robot('panda')
    with pytest.raises(BagError, match='Advice at control period 1 must be a tool pose; found joint positions'):
        advised(profile, still(profile, 2), [(1, Joints(profile.home))])

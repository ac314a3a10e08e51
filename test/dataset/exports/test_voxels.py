"""Key frames as voxels and tool poses: by made-up states, and by bags of the expert."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

pytest.importorskip('moderngl')

from vlm_bench_sim.bags.reader import open_bag
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.snapshot import JointState, Snapshot
from vlm_bench_sim.core.voxels import GRIDS
from vlm_bench_sim.profiles import robot
from vlm_bench_sim.ros.fields import read_snapshot
from vlm_bench_tasks.actions.spaces import pose_numbers
from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.dataset.exports.voxels import Cube, closed, key_frames

GRID = GRIDS['peract']


def kept(*positions):
    """The control periods of the key frames of an arm whose joints have all these positions, rad."""
    panda = robot('panda')
    states = [Snapshot(i, 12 * i, {name: JointState(q) for name in panda.joints}, Pose(), 0.08) for i, q in enumerate(positions)]
    return [now.seq for now in key_frames(panda, states)]


@pytest.mark.parametrize(
    ('positions', 'seqs'),
    [
        ((0.0, 0.1, 0.2, 0.2, 0.2, 0.3, 0.3), [0, 4, 6]),
        ((0.0, 0.0, 0.0, 0.1, 0.1), [0, 4]),
        ((0.0, 0.1, 0.1, 0.1, 0.2), [0, 3, 4]),
        ((0.0, 0.0, 0.0), [0, 2]),
        ((0.0, 0.1, 0.2), [0, 2]),
        ((0.0,), [0]),
    ],
    ids=['two rests', 'rest at first', 'broken off on its way', 'never moves', 'never rests', 'one state'],
)
def test_a_key_frame_is_where_a_rest_ends(positions, seqs):
    assert kept(*positions) == seqs


def test_a_hand_is_closed_if_it_holds_something_or_its_fingers_are_together():
    assert [closed(Snapshot(0, 0, {}, Pose(), opening, held)) for opening, held in ((0.08, ''), (0.06, 'a'), (0.002, ''))] == [
        False,
        True,
        True,
    ]


@pytest.mark.parametrize(('cube', 'says'), [({'grid': 'perakt'}, 'peract'), ({'cameras': 'none'}, 'camera')])
def test_what_cannot_be_drawn_is_refused(cube, says):
    with pytest.raises(ConfigError, match=says):
        Cube(**cube)


@pytest.fixture(scope='module')
def exported(recorded, tmp_path_factory):
    folder, _ = recorded
    to = tmp_path_factory.mktemp('voxels') / 'out'
    done = CliRunner().invoke(app, ['export', 'voxels', str(folder), str(to), '--size', '128x128'])
    assert done.exit_code == 0, done.output
    return {path.stem: np.load(path) for path in to.rglob('*.npz')}


def test_the_way_of_the_expert_is_told_from_rest_to_rest(recorded, exported):
    for path, _, _ in recorded[1][:2]:
        file, states = exported[path.name], [read_snapshot(message) for _, _, message in open_bag(path).messages('/truth/world_state')]
        assert file['tool'].shape == file['next.tool'].shape and len(file['tool']) >= 4
        assert np.array_equal(file['tool'][1:], file['next.tool'][:-1]) and np.array_equal(file['closed'][1:], file['next.closed'][:-1])
        taken = next(state for state in states if state.held)
        grasp = int(np.argmax(file['next.closed']))
        assert np.abs(file['next.tool'][grasp, :3] - taken.tool.position).max() < 0.01
        assert not file['closed'][0] and not file['next.closed'][-1] and file['next.closed'].any()
        assert file['tool'][0].tolist() == pytest.approx(pose_numbers(states[0].tool))


def test_the_voxels_show_the_thing_where_it_stands_and_later_where_the_hand_is(recorded, exported):
    path = recorded[1][0][0]
    file, states = exported[path.name], [read_snapshot(message) for _, _, message in open_bag(path).messages('/truth/world_state')]
    held = next(state.held for state in states if state.held)
    of = [file['voxel.at'][file['voxel.frame'] == frame] for frame in range(len(file['tool']))]
    assert all(len(at) > 1000 and (at < GRID.cells).all() for at in of)
    assert len(file['voxel.color']) == len(file['voxel.at'])
    there = np.abs(of[0] - GRID.voxel(states[0].pose(held).position)).max(axis=1) <= 3
    assert there.any()
    wrist = np.abs(file['camera_pose.wrist'][:, :3] - file['tool'][:, :3]).max(axis=1)
    assert (wrist < 0.12).all() and np.ptp(file['camera_pose.wrist'][:, 2]) > 0.05  # it moves with the hand
    assert np.ptp(file['camera_pose.front'], axis=0).max() == 0.0 and file['intrinsics.front'].shape == (3, 3)
    hand = [np.abs(at - GRID.voxel(tuple(tool[:3]))).max(axis=1) <= 5 for at, tool in zip(of, file['tool'], strict=True)]
    assert all(near.any() for near in hand)


def test_a_file_says_what_was_asked(exported):
    about = json.loads(str(next(iter(exported.values()))['metadata']))
    assert about['cube'] == {'grid': 'peract', 'cameras': 'vlmbench', 'width': 128, 'height': 128}
    assert about['grid'] == {'low': list(GRID.low), 'side': GRID.side, 'cells': GRID.cells} and about['bag']['instruction']

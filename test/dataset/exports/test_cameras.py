"""What exports say of cameras: poses as the world had them, intrinsics, and depths that lie on what is known to be there."""

import json
import shutil

import numpy as np
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from test.back_projection import in_the_world, off_a_prop, off_the_table
from test.rewritten_bag import rewritten
from vlm_bench_sim.bags.reader import episode_truth, open_bag
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.core.noise import strayed
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.profiles import cameras, robot
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.fields import read_image
from vlm_bench_tasks.actions.spaces import pose_numbers
from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.dataset.exports import lerobot, plain
from vlm_bench_tasks.dataset.exports.choice import whole
from vlm_bench_tasks.dataset.exports.frames import Wish, frames
from vlm_bench_tasks.dataset.exports.summary import QUANTILES, summary_of_depths
from vlm_bench_tasks.episode import Episode

OFF = 0.002  # m; depths are in whole mm
CAMERAS = ('front', 'wrist')


def episode_of(path):
    return Episode.from_json(episode_truth(open_bag(path)).episode)


@pytest.mark.parametrize('index', [0, 1], ids=['steady', 'perturbed'])
def test_poses_are_those_that_the_world_gives_at_the_period(recorded, index):
    """Those of the perturbed one are where its cameras stand, as /tf_static tells."""
    path, run, seen = recorded[1][index]
    found, kinematics = frames(path, Wish(fps=10)), Kinematics(robot('panda'))
    for camera in cameras('vlmbench:front,wrist'):
        moved = strayed(camera, episode_of(path).seeded_perturbation)
        assert (moved == camera) is (index == 0)
        states = [{name: joint.position for name, joint in seen.snapshots[seq].joints.items()} for seq in range(0, run.report.seq, 2)]
        theirs = np.array([pose_numbers(moved.world_pose(kinematics.link_poses(joints))) for joints in states])
        ours = found.columns[f'camera_pose.{camera.name}']
        assert (ours.dtype, found.names[f'camera_pose.{camera.name}']) == (np.float32, ('x', 'y', 'z', 'qx', 'qy', 'qz', 'qw'))
        assert np.abs(ours - theirs).max() < 1e-6
        assert bool(np.ptp(ours[:, :3], axis=0).max() > 0.1) is (camera.name == 'wrist')


def test_a_pose_is_of_the_moment_of_the_picture(recorded):
    """At 20 frames a second a picture of a camera at 10 is held for two, and with it the pose from which it was taken."""
    found = frames(recorded[1][0][0], Wish(fps=20, depth=True))
    poses = found.columns['camera_pose.wrist']
    even = len(poses) // 2 * 2
    assert np.array_equal(poses[0:even:2], poses[1:even:2])
    assert all(found.depths['wrist'][i] is found.depths['wrist'][i + 1] for i in range(0, even, 2))


def test_intrinsics_are_those_of_the_camera(recorded):
    found = frames(recorded[1][0][0], Wish())
    for camera in cameras('vlmbench:front,wrist', 64, 48):
        assert np.array_equal(found.intrinsics[camera.name], camera.intrinsics)
    assert found.depths == {}


def of_numpy(path, folder):
    list(plain.export([path], folder, Wish(fps=10, depth=True), root=path))
    with np.load(folder / f'{path.name}.npz', allow_pickle=False) as stored:
        return {c: (stored[f'depth.{c}'], stored[f'intrinsics.{c}'], stored[f'camera_pose.{c}']) for c in CAMERAS}


def of_lerobot(path, folder):
    with whole(folder / 'dataset') as part:
        list(lerobot.export([path], part, Wish(fps=10, depth=True)))
    rows = pq.read_table(folder / 'dataset/data/chunk-000/file-000.parquet')
    features = json.loads((folder / 'dataset/meta/info.json').read_text())['features']
    found = {}
    for camera in CAMERAS:
        assert features[f'depth.{camera}'] == {'dtype': 'float32', 'shape': [48, 64], 'names': ['height', 'width']}
        assert features[f'intrinsics.{camera}'] == {'dtype': 'float32', 'shape': [4], 'names': ['fx', 'fy', 'cx', 'cy']}
        assert features[f'camera_pose.{camera}']['shape'] == [7]
        depth, poses = (np.float32(rows[f'{what}.{camera}'].to_pylist()) for what in ('depth', 'camera_pose'))
        fx, fy, cx, cy = rows[f'intrinsics.{camera}'][0].as_py()
        found[camera] = depth, np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1]]), poses
    return found


@pytest.mark.parametrize('index', [0, 1], ids=['steady', 'perturbed'])
@pytest.mark.parametrize('route', [of_numpy, of_lerobot])
def test_depths_lie_on_the_table_and_on_the_props(recorded, tmp_path, route, index):
    path, run, _ = recorded[1][index]
    scene, exported = episode_of(path).scene, route(path, tmp_path)
    for camera, (depth, intrinsics, poses) in exported.items():
        assert (depth.dtype, depth.shape, len(poses)) == (np.float32, (len(range(0, run.report.seq, 2)), 48, 64), len(depth))
        ids = [read_image(m) for _, _, m in open_bag(path).messages(names.SEGMENTATION.camera(camera).name)]
        points = [in_the_world(depth[i], intrinsics, poses[i]) for i in range(len(depth))]
        off = [off_the_table(scene, ids[i], points[i]) for i in range(len(depth)) if (ids[i] == scene.ids['table']).sum() > 40]
        assert len(off) > 0.7 * len(depth) and max(off) < OFF
        seen = [prop for prop in scene.props if (ids[0] == scene.ids[prop.name]).sum() > 3]
        assert seen and all(off_a_prop(scene, prop, ids[0], points[0]) < OFF for prop in seen)
        assert (depth[0][ids[0] == 0] == 0).all(), 'nothing is 0'


def test_depth_that_a_bag_does_not_hold_is_refused_in_words(recorded, tmp_path):
    path = rewritten(recorded[1][2][0], tmp_path / 'bags', keep=lambda topic, _: '/front/aligned_depth' not in topic)
    with pytest.raises(BagError, match=r'holds nothing on /cameras/front/aligned_depth_to_color/image_raw.* Export without --depth, or'):
        frames(path, Wish(depth=True))
    for kind in ('lerobot', 'numpy'):
        words = ['export', kind, str(path), str(tmp_path / kind), '--failures']
        done = CliRunner().invoke(app, [*words, '--depth'])
        assert (done.exit_code, 'Depth was requested' in done.output) == (2, True), done.output
        assert CliRunner().invoke(app, words).exit_code == 0
        shutil.rmtree(tmp_path / kind)
        assert CliRunner().invoke(app, [*words, '--depth', '--cameras', 'wrist']).exit_code == 0


def test_depth_of_a_bag_without_pictures_is_refused_in_words(recorded, tmp_path):
    path = rewritten(recorded[1][2][0], tmp_path, keep=lambda topic, _: not topic.startswith('/cameras/'))
    with pytest.raises(BagError, match=r'Depth was requested, but .* holds no pictures. Export without --depth, or record with cameras'):
        frames(path, Wish(depth=True))
    assert not frames(path, Wish()).intrinsics


def test_a_picture_without_its_depth_is_refused(recorded, tmp_path):
    path = rewritten(recorded[1][2][0], tmp_path, keep=lambda topic, number: '/wrist/aligned_depth' not in topic or number != 2)
    with pytest.raises(BagError, match=r"no depth of the camera 'wrist' for its picture at 0\.\d\d s. Leave the bag or the camera out"):
        frames(path, Wish(depth=True))


@pytest.mark.parametrize('lacks', [names.TF.name, names.TF_STATIC.name, names.COLOR_INFO.camera('wrist').name])
def test_what_a_bag_does_not_tell_of_a_camera_is_left_out_and_a_dataset_is_of_one_kind(recorded, tmp_path, lacks):
    whole_one = recorded[1][2][0]
    path = rewritten(whole_one, tmp_path / 'bags', keep=lambda topic, _: topic != lacks)
    found = frames(path, Wish())
    assert ('wrist' in found.intrinsics) is ('camera_info' not in lacks)
    assert ('camera_pose.wrist' in found.columns) is ('/tf' not in lacks)
    assert ('camera_pose.front' in found.columns) is (lacks != names.TF_STATIC.name)
    with pytest.raises(
        BagError, match=r'holds the data for .* \(camera_info and transforms\), but .*again does not. Export them separately'
    ):
        list(lerobot.export([whole_one, path], tmp_path / 'out', Wish()))


def test_a_summary_of_depths_is_over_the_pixels_that_see_something():
    depths = np.random.default_rng(0).integers(0, 3000, (4, 20, 30)).astype(np.float32) / 1000
    found, seen = summary_of_depths(list(depths)), depths[depths > 0].astype(float)
    assert (found['count'].tolist(), found['mean'].shape) == ([4], (1, 1))
    for name, value in (('min', seen.min()), ('max', seen.max()), ('mean', seen.mean()), ('std', seen.std())):
        assert found[name].item() == pytest.approx(value, abs=1e-6), name
    for name, part in QUANTILES.items():
        assert found[name].item() == pytest.approx(np.quantile(seen, part), abs=3e-3), name
    assert summary_of_depths([np.zeros((2, 2), np.float32)])['max'].item() == 0.0

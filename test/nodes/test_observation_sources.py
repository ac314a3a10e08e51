"""What a policy as a node is shown on a real arm, whose cameras know no instance ids, and that nothing of before is shown."""

import time
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.snapshot import JointState
from vlm_bench_sim.profiles import robot
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.convert import message
from vlm_bench_tasks.nodes.acting import observation_sources
from vlm_bench_tasks.nodes.acting.observation_sources import PublicSource

PANDA, CAMERA, BEFORE, NOW = robot('panda'), 'front', 500, 1_000
JOINTS = {name: JointState(0.02) for name in (*PANDA.joints, *PANDA.gripper.joints)}


TRIPOD = Camera(CAMERA, Pose((0.0, 0.0, 0.1), (1.0, 0.0, 0.0, 0.0)), link='tripod', width=3, height=2)
HEAD, PAN = Pose((0.3, 0.0, 1.2)), Pose.from_rpy((0.0, 0.5, 0.0), (0.0, 0.0, 0.7))
MOUNTED = [fields.transform('pan', 'tripod', HEAD, 0), fields.transform('tripod', TRIPOD.frame, TRIPOD.pose, 0)]


def image(encoding, pixels, ns):
    step = pixels.nbytes // 2
    content = {
        'header': fields.header(ns, TRIPOD.frame),
        'encoding': encoding,
        'height': 2,
        'width': 3,
        'step': step,
        'data': pixels.tobytes(),
    }
    return message(names.COLOR.type, content)


def test_a_real_camera_shows_color_and_metres_and_nothing_of_the_episode_before():
    heard = {}
    node = SimpleNamespace(subscribe=lambda row, take: heard.setdefault(row.name, take))
    source = PublicSource(node, PANDA, cameras=(CAMERA,), lockstep=False, ids=False)
    source.watch(lambda: None)
    color, depth = (row.camera(CAMERA).name for row in (names.COLOR, names.DEPTH))
    assert names.SEGMENTATION.camera(CAMERA).name not in heard
    tick = SimpleNamespace(header=SimpleNamespace(stamp=SimpleNamespace(sec=0, nanosec=NOW)), token='a', seq=1, step=12)
    for ns in (BEFORE, NOW):
        assert source.at(tick) is None, 'nothing of this episode has come yet'
        heard[names.JOINT_STATES.name](message(names.JOINT_STATES.type, fields.joint_state(JOINTS, ns)))
        heard[names.TCP_POSE.name](message(names.TCP_POSE.type, fields.pose_stamped(Pose((0.1, 0.2, 0.3)), ns)))
        heard[color](image('rgb8', np.full((2, 3, 3), 7, np.uint8), ns))
        heard[depth](image('16UC1', np.full((2, 3), 1500, np.uint16), ns))
        heard[names.COLOR_INFO.camera(CAMERA).name](message(names.COLOR_INFO.type, fields.camera_info(TRIPOD, ns)))
    assert source.at(tick) is None, 'nobody has told where the camera stands'
    for row, transforms in ((names.TF_STATIC, MOUNTED), (names.TF, [fields.transform('world', 'pan', PAN, NOW)])):
        heard[row.name](message(row.type, fields.tf_message(transforms)))
    seen = source.at(tick)
    known = source.calibrations()[CAMERA]
    assert (known.name, known.width, known.height, known.link, known.pose) == (CAMERA, 3, 2, 'tripod', TRIPOD.pose)
    assert known.intrinsics.tolist() == TRIPOD.intrinsics.tolist()
    assert seen.camera_poses == {CAMERA: PAN @ (HEAD @ TRIPOD.pose)}
    picture = seen.pictures[CAMERA]
    assert (picture.color.shape, picture.color.max(), picture.ids.max()) == ((2, 3, 3), 7, 0)
    assert picture.depth == pytest.approx(np.full((2, 3), 1.5))
    assert (seen.tool, seen.opening, seen.truth) == (Pose((0.1, 0.2, 0.3)), pytest.approx(0.04), None)


def test_a_camera_of_which_nobody_tells_where_it_stands_is_named_and_shown_without_a_pose(monkeypatch):
    heard, said = {}, []
    log = SimpleNamespace(warning=said.append)
    node = SimpleNamespace(subscribe=lambda row, take: heard.setdefault(row.name, take), log=log)
    source = PublicSource(node, PANDA, cameras=(CAMERA,), lockstep=True)
    source.watch(lambda: None)
    tick = SimpleNamespace(header=SimpleNamespace(stamp=SimpleNamespace(sec=0, nanosec=NOW)), token='a', seq=1, step=12)
    heard[names.JOINT_STATES.name](message(names.JOINT_STATES.type, fields.joint_state(JOINTS, NOW)))
    heard[names.TCP_POSE.name](message(names.TCP_POSE.type, fields.pose_stamped(Pose((0.1, 0.2, 0.3)), NOW)))
    heard[names.COLOR.camera(CAMERA).name](image('rgb8', np.full((2, 3, 3), 7, np.uint8), NOW))
    heard[names.DEPTH.camera(CAMERA).name](image('16UC1', np.full((2, 3), 1500, np.uint16), NOW))
    assert source.at(tick) is None and not said, 'it may still come'
    now = time.monotonic()
    monkeypatch.setattr(observation_sources.time, 'monotonic', lambda: now + 5.1)
    for _ in range(2):
        seen = source.at(tick)
        assert seen.pictures.keys() == {CAMERA} and seen.camera_poses == source.calibrations() == {}
    (warning,) = said
    assert 'no calibration and no pose of front' in warning and names.COLOR_INFO.camera(CAMERA).name in warning


def test_the_time_for_calibrations_begins_when_all_else_is_there(monkeypatch):
    """On a busy machine the pictures alone may take longer: a policy that began without a calibration would see another episode."""
    heard, said = {}, []
    node = SimpleNamespace(subscribe=lambda row, take: heard.setdefault(row.name, take), log=SimpleNamespace(warning=said.append))
    source = PublicSource(node, PANDA, cameras=(CAMERA,), lockstep=True)
    source.watch(lambda: None)
    tick = SimpleNamespace(header=SimpleNamespace(stamp=SimpleNamespace(sec=0, nanosec=NOW)), token='a', seq=1, step=12)
    assert source.at(tick) is None
    now = time.monotonic()
    monkeypatch.setattr(observation_sources.time, 'monotonic', lambda: now + 6.0)
    heard[names.JOINT_STATES.name](message(names.JOINT_STATES.type, fields.joint_state(JOINTS, NOW)))
    heard[names.TCP_POSE.name](message(names.TCP_POSE.type, fields.pose_stamped(Pose((0.1, 0.2, 0.3)), NOW)))
    heard[names.COLOR.camera(CAMERA).name](image('rgb8', np.full((2, 3, 3), 7, np.uint8), NOW))
    heard[names.DEPTH.camera(CAMERA).name](image('16UC1', np.full((2, 3), 1500, np.uint16), NOW))
    assert source.at(tick) is None and not said
    monkeypatch.setattr(observation_sources.time, 'monotonic', lambda: now + 11.1)
    assert source.at(tick) is not None and said

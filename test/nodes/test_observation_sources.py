"""What a policy as a node is shown on a real arm, whose cameras know no instance ids, and that nothing of before is shown."""

from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.snapshot import JointState
from vlm_bench_sim.profiles import robot
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.convert import message
from vlm_bench_tasks.nodes.observation_sources import PublicSource

PANDA, CAMERA, BEFORE, NOW = robot('panda'), 'front', 500, 1_000
JOINTS = {name: JointState(0.02) for name in (*PANDA.joints, *PANDA.gripper.joints)}


def image(encoding, pixels, ns):
    step = pixels.nbytes // 2
    content = {'header': fields.header(ns), 'encoding': encoding, 'height': 2, 'width': 3, 'step': step, 'data': pixels.tobytes()}
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
    seen = source.at(tick)
    picture = seen.pictures[CAMERA]
    assert (picture.color.shape, picture.color.max(), picture.ids.max()) == ((2, 3, 3), 7, 0)
    assert picture.depth == pytest.approx(np.full((2, 3), 1.5))
    assert (seen.tool, seen.opening, seen.truth) == (Pose((0.1, 0.2, 0.3)), pytest.approx(0.04), None)

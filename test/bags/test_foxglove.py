"""Foxglove's own readers open our bags: the container, the definitions in it, and every message.

To run this, in a folder of yours: `npm install @mcap/core @mcap/nodejs @mcap/support @foxglove/rosmsg @foxglove/rosmsg2-serialization`,
and put its `node_modules` into NODE_PATH.
"""

import json
import shutil
import subprocess
from pathlib import Path

import cv2
import numpy as np
import pytest
import yaml

from vlm_bench_sim.bags.reader import open_bag
from vlm_bench_sim.bags.writer import BagWriter
from vlm_bench_sim.core.timing import PERIOD_NS
from vlm_bench_sim.profiles import cameras
from vlm_bench_sim.ros import fields
from vlm_bench_sim.ros.names import APPLIED, CLOCK, COLOR_INFO, COLOR_JPEG, DEPTH, EPISODE_TRUTH, REPORT, WORLD_STATE

SCRIPT = Path(__file__).with_name('read_with_foxglove.cjs')


def node(*words):
    return subprocess.run(['node', *map(str, words)], capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture(scope='module')
def installed():
    """Skip, and say how to get them, where the readers are not installed."""
    if not shutil.which('node') or node('-e', "require('@mcap/nodejs'); require('@foxglove/rosmsg2-serialization')").returncode:
        pytest.skip('needs node and the npm packages that the head of this file names')


def record(folder, episode):
    """A bag with every kind of field that ours hold: strings, arrays, nested messages, pictures."""
    camera = cameras('vlmbench:front', 16, 12)[0]
    _, jpeg = cv2.imencode('.jpg', np.zeros((12, 16, 3), np.uint8))
    depth = {'header': fields.header(1, camera.frame), 'height': 12, 'width': 16, 'encoding': '16UC1', 'step': 32, 'data': bytes(384)}
    with BagWriter(folder, 'x', custom={'task': 'a/b'}) as bag:
        bag.write_value(EPISODE_TRUTH, {'token': 't', 'seed': 7, 'episode': '{"é": 1}'})
        for snapshot in episode:
            ns = PERIOD_NS * (snapshot.seq + 1)
            bag.write_value(CLOCK, {'clock': fields.stamp(ns)})
            bag.write_value(APPLIED, {'header': fields.header(ns), 'token': 't', 'seq': snapshot.seq, 'index': snapshot.seq, 'action': ''})
            bag.write_value(WORLD_STATE, fields.world_state(snapshot, ns=ns, token='t', state_hash='0' * 64))
            bag.write_value(COLOR_JPEG.camera('front'), fields.compressed_image(jpeg.tobytes(), ns, frame=camera.frame))
            bag.write_value(COLOR_INFO.camera('front'), fields.camera_info(camera, ns))
            bag.write_value(DEPTH.camera('front'), depth | {'header': fields.header(ns, camera.frame)})
        bag.write_value(REPORT, {'token': 't', 'verdict': 1, 'leaves': [{'words': 'the star is in the tray', 'holds': True}]})
    return folder / 'x'


def test_they_read_every_message_of_every_topic(installed, tmp_path, episode):
    path = record(tmp_path, episode)
    done = node(SCRIPT, path / 'x_0.mcap')
    assert done.returncode == 0, done.stderr
    found, ours = json.loads(done.stdout), open_bag(path)
    assert (found['profile'], found['messages']) == ('ros2', ours.count)
    assert {name: (topic['type'], topic['count']) for name, topic in found['topics'].items()} == {
        name: (topic.type, topic.count) for name, topic in ours.topics.items()
    }
    for name, topic in found['topics'].items():
        assert (topic['definition'], topic['encoding'], topic['ordered']) == ('ros2msg', 'cdr', True)
        assert yaml.safe_load(topic['qos']) == [dict(profile) for profile in ours.topics[name].qos]
    assert found['topics']['/cameras/front/color/image_raw/compressed']['jpegs'] == len(episode)

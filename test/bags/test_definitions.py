"""Definitions and CDR without ROS."""

import json
import os
import sysconfig
from pathlib import Path

import numpy as np
import pytest

from vlm_bench_sim.bags.definitions import definition, deserialise, serialise, type_hash
from vlm_bench_sim.bags.prefix import seq, stamp_ns, token
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.profiles import robot
from vlm_bench_sim.ros import fields
from vlm_bench_sim.ros.names import recorded

TYPES = sorted({row.type for row in recorded(robot('panda'), ('front',))})
SHARES = [Path(p) / 'share' for p in [sysconfig.get_path('data'), *os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)] if p]


@pytest.mark.parametrize('type_', TYPES)
def test_every_type_of_a_bag_has_its_whole_definition(type_):
    text = definition(type_)
    assert '=' * 80 not in text.split('\n')[0]
    given = {part.split('\n')[0].removeprefix('MSG: ') for part in text.split('=' * 80 + '\n')[1:]}
    own = {'string', 'bool', 'byte', 'char'} | {f'{k}{b}' for k in ('int', 'uint') for b in (8, 16, 32, 64)} | {'float32', 'float64'}
    for line in text.split('\n'):
        words = line.split('#')[0].split()
        if len(words) >= 2 and words[0] != 'MSG:' and '=' not in line.split('#')[0]:
            used = words[0].split('[')[0].split('<')[0]
            assert used in own or used in given or f'vlm_bench_msgs/{used}' in given, line


@pytest.mark.parametrize('type_', TYPES)
def test_type_hashes_are_those_of_the_ros_installation(type_):
    package, _, name = type_.split('/')
    files = [share / package / 'msg' / f'{name}.json' for share in SHARES]
    found = next((f for f in files if f.is_file()), None)
    if found is None:
        pytest.skip(f'{package} is not built or not sourced')
    hashes = {row['type_name']: row['hash_string'] for row in json.loads(found.read_text())['type_hashes']}
    assert type_hash(type_) == hashes[type_]


def test_our_definitions_say_their_units():
    assert '# full width between the fingers, m' in definition('vlm_bench_msgs/msg/WorldState')


def test_what_is_not_given_keeps_its_default():
    message = deserialise('sensor_msgs/msg/CameraInfo', serialise('sensor_msgs/msg/CameraInfo', {'width': 3}))
    assert (message.width, message.height, message.distortion_model) == (3, 0, '')
    np.testing.assert_array_equal(message.k, np.zeros(9))
    assert deserialise('geometry_msgs/msg/Pose', serialise('geometry_msgs/msg/Pose', {})).orientation.w == 1.0


@pytest.mark.parametrize(
    ('type_', 'given', 'words'),
    [
        ('vlm_bench_msgs/msg/Tic', {}, 'Did you mean vlm_bench_msgs/msg/Tick'),
        ('vlm_bench_msgs/msg/Tick', {'sequence': 1}, "no field 'sequence'"),
        ('vlm_bench_msgs/msg/Tick', {'seq': -1}, 'does not fit'),
        ('vlm_bench_msgs/msg/Tick', {'token': 5}, 'does not fit'),
        ('sensor_msgs/msg/CameraInfo', {'k': [0.0] * 8}, 'does not fit'),
    ],
)
def test_what_does_not_fit_is_named(type_, given, words):
    with pytest.raises(BagError, match=words):
        serialise(type_, given)


def test_bytes_that_are_no_message_are_refused():
    whole = serialise('vlm_bench_msgs/msg/Event', {'token': 'abc', 'text': 'cause'})
    for length in range(len(whole)):
        with pytest.raises(BagError, match=r'damaged|are not'):
            deserialise('vlm_bench_msgs/msg/Event', whole[:length])


STAMPED = fields.header(3_000_000_004, 'any frame')


@pytest.mark.parametrize(
    ('type_', 'given', 'expected'),
    [
        ('vlm_bench_msgs/msg/WorldState', {'header': STAMPED}, 3_000_000_004),
        ('rosgraph_msgs/msg/Clock', {'clock': fields.stamp(5)}, 5),
        ('tf2_msgs/msg/TFMessage', {'transforms': [{'header': STAMPED}, {}]}, 3_000_000_004),
        ('tf2_msgs/msg/TFMessage', {'transforms': []}, None),
        ('vlm_bench_msgs/msg/Tick', {'header': fields.header(0)}, None),
        ('vlm_bench_msgs/msg/Event', {'token': 'abcdefgh', 'seq': 2**60}, None),
        ('std_msgs/msg/String', {'data': 'abcdefghijklmnop'}, None),
        ('vlm_bench_msgs/msg/Labels', {'token': 'x', 'labels': [{'id': 1}]}, None),
    ],
)
def test_the_stamp_is_read_from_the_bytes(type_, given, expected):
    data = serialise(type_, given)
    assert stamp_ns(type_, data) == expected
    assert stamp_ns(type_, data[:5]) is None


@pytest.mark.parametrize('frame', ['', 'a', 'ab', 'abc', 'abcd', 'abcde'])
@pytest.mark.parametrize('asked', ['', 't', '0123456789abcdef'])
def test_the_token_is_read_from_the_bytes(frame, asked):
    assert token('vlm_bench_msgs/msg/Event', serialise('vlm_bench_msgs/msg/Event', {'token': asked})) == asked
    data = serialise('vlm_bench_msgs/msg/Tick', {'header': fields.header(1, frame), 'token': asked, 'seq': 2**63 + 7})
    assert token('vlm_bench_msgs/msg/Tick', data) == asked
    assert seq('vlm_bench_msgs/msg/Tick', data) == 2**63 + 7
    event = serialise('vlm_bench_msgs/msg/Event', {'token': asked, 'seq': 9})
    assert seq('vlm_bench_msgs/msg/Event', event) == 9
    assert seq('vlm_bench_msgs/msg/Event', event[: 12 + len(asked)]) is None


def test_what_has_no_token_has_none():
    assert token('vlm_bench_msgs/msg/Ack', serialise('vlm_bench_msgs/msg/Ack', {'participant': 'p', 'token': 't'})) is None
    assert token('std_msgs/msg/String', serialise('std_msgs/msg/String', {'data': 'x'})) is None
    assert token('vlm_bench_msgs/msg/Event', serialise('vlm_bench_msgs/msg/Event', {'token': 'abc'})[:9]) is None

"""The contract for rosetta speaks of topics that exist, by their types, with what the bench offers on them."""

from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
import yaml

from vlm_bench_sim.assets import config
from vlm_bench_sim.bags.definitions import store
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.timing import CONTROL_HZ
from vlm_bench_sim.profiles import camera_sets, robot
from vlm_bench_sim.ros import names, rosetta
from vlm_bench_tasks.judging.messages import report_fields
from vlm_bench_tasks.judging.report import Report

CONTRACT = yaml.safe_load(config('rosetta.yaml').read_text())
PANDA = robot(CONTRACT['robot_type'])
TOPICS = {row.name: row for row in names.recorded(PANDA, camera_sets()['vlmbench'])}
KEYED = {key: entry for part in ('observations', 'actions', 'rewards', 'signals') for key, entry in CONTRACT[part].items()}
CHANNELS = [entry['channel'] for entry in (*KEYED.values(), *CONTRACT['adjunct'])]


@pytest.mark.parametrize('channel', CHANNELS, ids=[channel['topic'] for channel in CHANNELS])
def test_a_channel_is_a_topic_of_the_bench_as_a_bag_holds_it(channel):
    row = TOPICS[channel['topic']]
    assert channel['type'] == row.type
    if offered := channel.get('qos'):
        assert (offered['reliability'], offered['depth']) == ('reliable', row.depth)
        assert (offered.get('durability') == 'transient_local') == row.latched


@pytest.mark.parametrize('key', KEYED)
def test_what_is_aligned_by_its_header_has_one(key):
    assert KEYED[key]['align'] == {'strategy': 'hold', 'timeline': 'header'}
    assert 'header' in [name for name, _ in store().fielddefs[KEYED[key]['channel']['type']][1]]


def test_the_state_is_the_robots_arm_and_a_finger():
    wanted = [f'position.{joint}' for joint in (*PANDA.joints, PANDA.gripper.joints[0])]
    assert CONTRACT['observations']['observation.state']['select'] == wanted


def test_keys_are_those_of_our_own_export():
    assert set(KEYED) == {
        'observation.state', 'observation.images.front', 'observation.images.wrist', 'action', 'next.reward', 'next.success'
    }  # fmt: skip
    assert CONTROL_HZ % CONTRACT['fps'] == 0


def test_every_function_it_names_is_there():
    named = [channel[kind] for channel in CHANNELS for kind in ('encoder', 'decoder') if kind in channel]
    assert len(named) == 3
    for module, _, function in (path.partition(':') for path in named):
        assert callable(getattr(import_module(module), function))


def test_a_twist_is_one_that_the_arm_takes():
    pytest.importorskip('geometry_msgs.msg', reason='needs ROS 2 messages')
    order = CONTRACT['actions']['action']['select']
    sent = rosetta.encode_twist(np.arange(1.0, 7.0), SimpleNamespace(names=order), stamp_ns=1_500_000_000)
    assert (sent.header.frame_id, sent.header.stamp.sec, sent.header.stamp.nanosec) == ('world', 1, 500_000_000)
    read = [getattr(getattr(sent.twist, part), axis) for part, axis in (path.split('.')[1:] for path in order)]
    assert read == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


@pytest.mark.parametrize('verdict', Verdict)
def test_reward_and_success_are_the_reports(verdict):
    said = SimpleNamespace(**report_fields(Report(verdict=verdict, reward=0.25), 0))
    assert rosetta.decode_reward(said, None).tolist() == [0.25]
    assert rosetta.decode_success(said, None).tolist() == [verdict is Verdict.SUCCESS]

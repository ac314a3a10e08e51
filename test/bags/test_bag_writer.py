"""A bag holds what was written, appears whole or not at all, and opens with other people's readers."""

import errno
import os
import subprocess
import sys

import pytest
import yaml
from mcap.reader import make_reader
from rosbags.highlevel import AnyReader
from rosbags.interfaces import QosDurability, QosReliability

from vlm_bench_sim.bags.definitions import definition, serialise, type_hash
from vlm_bench_sim.bags.folder import bag_name, check_folder
from vlm_bench_sim.bags.reader import open_bag, snapshots
from vlm_bench_sim.bags.recover import recover
from vlm_bench_sim.bags.writer import BagWriter
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.core.timing import PERIOD_NS as PERIOD
from vlm_bench_sim.profiles import robot
from vlm_bench_sim.ros import fields
from vlm_bench_sim.ros.names import CLOCK, EPISODE_TRUTH, EVENTS, INSTRUCTION, REPORT, STATUS, TF, TF_STATIC, WORLD_STATE, recorded

CUSTOM = {
    'task': 'vlmbench/pick_place',
    'split': 'seen',
    'seed': '7',
    'instruction': 'Put the "red" star\n into the tray: now',
    'token': '12e45678',
}


def record(folder, episode, name='x'):
    with BagWriter(folder, name, custom=CUSTOM) as bag:
        bag.write_value(EPISODE_TRUTH, {'token': 't', 'seed': 7})
        for snapshot in episode:
            ns = PERIOD * (snapshot.seq + 1)
            bag.write_value(WORLD_STATE, fields.world_state(snapshot, ns=ns, token='t', state_hash=f'{snapshot.seq:064x}'))
            bag.write_value(CLOCK, {'clock': fields.stamp(ns)})
        return bag.close({'verdict': 'success'})


def test_every_snapshot_comes_back_to_the_bit(tmp_path, episode):
    assert list(snapshots(open_bag(record(tmp_path, episode)))) == episode


def test_rosbags_opens_the_bag_with_qos_definitions_and_hashes(tmp_path, episode):
    path = record(tmp_path, episode)
    with AnyReader([path]) as reader:  # checks each type hash against the definition in the file
        rows = {c.topic: c for c in reader.connections}
        assert set(rows) == {'/truth/episode', '/truth/world_state', '/clock'}
        latched, plain = (rows[t].ext.offered_qos_profiles[0] for t in ('/truth/episode', '/truth/world_state'))
        assert (latched.durability, latched.depth, latched.reliability) == (QosDurability.TRANSIENT_LOCAL, 1, QosReliability.RELIABLE)
        assert (plain.durability, plain.depth) == (QosDurability.VOLATILE, 100)
        assert rows['/truth/world_state'].msgdef.data == definition('vlm_bench_msgs/msg/WorldState')
        assert rows['/clock'].digest == type_hash('rosgraph_msgs/msg/Clock')
        seqs = [reader.deserialize(data, c.msgtype).seq for c, _, data in reader.messages([rows['/truth/world_state']])]
    assert seqs == list(range(len(episode)))


def test_the_mcap_reader_opens_the_bag_with_qos_definitions_and_checksums(tmp_path, episode):
    path = record(tmp_path, episode)
    with (path / 'x_0.mcap').open('rb') as stream:
        reader = make_reader(stream, validate_crcs=True)
        assert reader.get_header().profile == 'ros2'
        seen = {channel.topic for schema, channel, message in reader.iter_messages() if message.log_time == message.publish_time}
        assert seen == {'/truth/episode', '/truth/world_state', '/clock'}
        summary = reader.get_summary()
        assert summary.statistics.message_count == 2 * len(episode) + 1
        for channel in summary.channels.values():
            schema = summary.schemas[channel.schema_id]
            assert (channel.message_encoding, schema.encoding, schema.data.decode()) == ('cdr', 'ros2msg', definition(schema.name))
            assert yaml.safe_load(channel.metadata['offered_qos_profiles'])[0]['reliability'] == 'reliable'


def test_custom_data_keeps_each_string(tmp_path, episode):
    custom = open_bag(record(tmp_path, episode)).custom
    assert custom == CUSTOM | {'verdict': 'success', 'lerobot.operator_prompt': CUSTOM['instruction']}
    with AnyReader([tmp_path / 'x']) as reader:
        assert reader.readers[0].storage.metadata.custom == custom  # YAML 1.2 reads 12e45678 without quotes as a number


@pytest.mark.parametrize(
    'nasty', ['\0\x1b[31m\u2028', 'x' * 10_000, '- {a: &b [!!python/object:os.system]}\n---\n#', '\udcff', '🤖 é', 'null', '']
)
def test_an_instruction_from_outside_cannot_break_the_metadata(tmp_path, nasty):
    with BagWriter(tmp_path, 'x', custom={'instruction': nasty}) as bag:
        bag.write_value(CLOCK, {'clock': fields.stamp(5)})
    expected = nasty if nasty != '\udcff' else '\\udcff'
    assert open_bag(tmp_path / 'x').custom['instruction'] == expected
    with AnyReader([tmp_path / 'x']) as reader:
        assert reader.readers[0].storage.metadata.custom['instruction'] == expected


def test_custom_data_holds_strings_only(tmp_path):
    with pytest.raises(BagError, match=r"'seed' is 7"):
        BagWriter(tmp_path, 'x', custom={'seed': 7})


def test_metadata_is_version_9(tmp_path, episode):
    about = yaml.safe_load((record(tmp_path, episode) / 'metadata.yaml').read_text())['rosbag2_bagfile_information']
    assert (about['version'], about['storage_identifier'], about['relative_file_paths']) == (9, 'mcap', ['x_0.mcap'])
    assert about['message_count'] == about['files'][0]['message_count'] == 2 * len(episode) + 1
    assert about['starting_time']['nanoseconds_since_epoch'] == PERIOD
    assert about['duration']['nanoseconds'] == PERIOD * (len(episode) - 1)
    assert about['topics_with_message_count'][0]['topic_metadata']['offered_qos_profiles'][0]['durability'] == 'transient_local'


def test_log_time_is_the_headers_stamp(tmp_path, episode):
    for topic, stamp, message in open_bag(record(tmp_path, episode)).messages(WORLD_STATE.name, CLOCK.name):
        time = message.header.stamp if topic == WORLD_STATE.name else message.clock
        assert stamp == time.sec * 10**9 + time.nanosec


def test_what_has_no_stamp_takes_the_newest(tmp_path):
    with BagWriter(tmp_path, 'x') as bag:
        bag.write_value(INSTRUCTION, {'text': 'before the first stamp'})
        bag.write_value(TF_STATIC, {'transforms': [{'header': fields.header(11)}]})
        bag.write_value(CLOCK, {'clock': fields.stamp(1000)})
        bag.write_value(EVENTS, {'text': 'first'})
        bag.write_value(TF, {'transforms': [{'header': fields.header(2000)}]})
        bag.write_value(CLOCK, {'clock': fields.stamp(1500)})
        bag.write_value(EVENTS, {'text': 'second'})
        bag.write_value(STATUS, {'header': fields.header(2500)})
        bag.write_value(REPORT, {'header': fields.header(900)})
    stamps = [(topic, stamp) for topic, stamp, _ in open_bag(tmp_path / 'x').messages()]
    assert stamps == [
        ('/task/instruction', 1000),
        ('/tf_static', 1000),  # stamped long before the episode: it is repeated at the head
        ('/clock', 1000),
        ('/truth/events', 1000),
        ('/task/report', 1000),
        ('/clock', 1500),
        ('/tf', 2000),
        ('/truth/events', 2000),
        ('/task/status', 2500),
    ]


def test_a_stamp_that_anybody_may_write_is_not_believed(tmp_path):
    chunk = next(row for row in recorded(robot('panda'), ()) if row.name.endswith('joint_trajectory'))
    with BagWriter(tmp_path, 'x') as bag:
        bag.write_value(chunk, {'header': fields.header(1_700_000_000 * 10**9)})
        bag.write_value(CLOCK, {'clock': fields.stamp(1000)})
        bag.write_value(chunk, {'header': fields.header(0)})
    assert open_bag(tmp_path / 'x').end_ns == 1000


def test_messages_of_one_time_keep_their_order_over_chunks(tmp_path):
    with BagWriter(tmp_path, 'x') as bag:
        bag.write_value(CLOCK, {'clock': fields.stamp(7)})
        for i in range(40):
            bag.write_value(EVENTS, {'seq': i, 'text': 'x' * 100_000})
    bag = open_bag(tmp_path / 'x')
    with (tmp_path / 'x' / 'x_0.mcap').open('rb') as stream:
        assert len(make_reader(stream).get_summary().chunk_indexes) == 5
    assert [m.seq for _, _, m in bag.messages(EVENTS.name)] == list(range(40))


def test_the_folder_appears_only_when_the_bag_is_whole(tmp_path):
    bag = BagWriter(tmp_path, 'x')
    bag.write_value(CLOCK, {'clock': fields.stamp(1)})
    assert [p.name for p in tmp_path.iterdir()] == ['.x.part']
    bag.close()
    assert [p.name for p in tmp_path.iterdir()] == ['x']
    with pytest.raises(BagError, match='closed'):
        bag.write_value(CLOCK, {'clock': fields.stamp(2)})


def test_an_error_in_the_episode_leaves_no_bag(tmp_path):
    with pytest.raises(ZeroDivisionError), BagWriter(tmp_path, 'x') as bag:
        bag.write_value(CLOCK, {'clock': fields.stamp(1)})
        raise ZeroDivisionError
    assert not (tmp_path / 'x').exists()


def test_a_bag_is_never_written_over(tmp_path, episode):
    before = (record(tmp_path, episode) / 'x_0.mcap').read_bytes()
    with pytest.raises(BagError, match='its name is invalid'):
        record(tmp_path, episode)
    assert (tmp_path / 'x' / 'x_0.mcap').read_bytes() == before


@pytest.mark.parametrize('name', ['', '.', '..', '../x', 'a/b', '/x'])
def test_a_name_cannot_leave_the_folder(tmp_path, name):
    with pytest.raises(BagError, match='its name is invalid'):
        BagWriter(tmp_path / 'inner', name)
    assert list(tmp_path.rglob('*.part')) == []


@pytest.mark.parametrize('moment', ['chunk', 'close', 'rename'])
def test_a_full_disk_leaves_no_bag(tmp_path, monkeypatch, moment):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    bag = BagWriter(tmp_path, 'x')
    bag.write_value(CLOCK, {'clock': fields.stamp(1)})
    big = serialise(EVENTS.type, {'text': 'x' * 800_000})
    monkeypatch.setattr(os, 'rename' if moment == 'rename' else 'fsync', full)
    if moment == 'rename':
        monkeypatch.setattr('pathlib.Path.rename', full)
    with pytest.raises(BagError, match='No space left on device'):
        bag.write(EVENTS, big) if moment == 'chunk' else bag.close({'verdict': 'success'})
    with pytest.raises(BagError, match='closed or has failed'):
        bag.write(EVENTS, big)
    assert not (tmp_path / 'x').exists()


LIMITED = """
import resource, sys
from pathlib import Path
from vlm_bench_sim.bags.writer import BagWriter
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.core.timing import PERIOD_NS as PERIOD
from vlm_bench_sim.ros import fields
from vlm_bench_sim.ros.names import CLOCK, EVENTS
import random
resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, 1_500_000))
bag = BagWriter(Path(sys.argv[1]), 'x')
bag.write_value(CLOCK, {'clock': fields.stamp(1)})
rng = random.Random(0)
try:
    for i in range(100):
        bag.write_value(EVENTS, {'seq': i, 'text': rng.randbytes(50_000).hex()})
    bag.close()
except BagError as error:
    sys.exit(f'{error}')
"""


def test_a_quota_that_is_reached_is_an_error_and_leaves_no_bag(tmp_path):
    run = subprocess.run([sys.executable, '-c', LIMITED, str(tmp_path)], capture_output=True, text=True, check=False)
    assert run.returncode == 1 and 'File too large' in run.stderr, run.stderr
    assert [p.name for p in tmp_path.iterdir()] == ['.x.part']
    assert f'is in {tmp_path / ".x.part"} and can be recovered' in run.stderr
    assert recover(tmp_path / '.x.part').messages > 10


def test_a_folder_is_made_and_left_clean(tmp_path):
    assert check_folder(tmp_path / 'a' / 'b') == tmp_path / 'a' / 'b'
    assert list((tmp_path / 'a' / 'b').iterdir()) == []


def test_a_folder_that_cannot_be_written_is_refused_before_the_episode(tmp_path):
    (tmp_path / 'file').write_text('')
    with pytest.raises(BagError, match=r'Not a directory.*another folder'):
        check_folder(tmp_path / 'file' / 'bags')
    with pytest.raises(BagError, match='another folder'):
        check_folder(tmp_path.__class__('/proc/vlm_bench'))  # read-only, for root too
    with pytest.raises(BagError, match='another folder'):
        BagWriter(tmp_path / 'file' / 'bags', 'x')


def test_a_disk_that_is_nearly_full_is_refused(tmp_path, monkeypatch):
    usage = type('Usage', (), {'free': 199_000_000})
    monkeypatch.setattr('shutil.disk_usage', lambda _: usage)
    with pytest.raises(BagError, match='199 MB are free, but 200 MB are needed'):
        check_folder(tmp_path)


def test_a_bags_name_says_the_episode():
    assert bag_name('vlmbench/pick_place', 'seen', 7, '0123456789abcdef') == 'vlmbench-pick_place_seen_7_01234567'

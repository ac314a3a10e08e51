"""A damaged bag is an error that says what to do, and never a wrong message."""

import random
import re
import shlex
import shutil

import pytest
import yaml

from vlm_bench_sim.bags.reader import episode_truth, events, open_bag, report, snapshots, state_hashes
from vlm_bench_sim.bags.writer import BagWriter
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.core.timing import PERIOD_NS as PERIOD
from vlm_bench_sim.ros import fields
from vlm_bench_sim.ros.names import CLOCK, EPISODE_TRUTH, EVENTS, REPORT, WORLD_STATE


@pytest.fixture
def bag(tmp_path, episode):
    """The folder of a whole bag."""
    with BagWriter(tmp_path, 'x', custom={'task': 'a/b'}) as writer:
        writer.write_value(EPISODE_TRUTH, {'token': 't', 'seed': 7, 'episode': '{}'})
        for snapshot in episode:
            ns = PERIOD * (snapshot.seq + 1)
            writer.write_value(WORLD_STATE, fields.world_state(snapshot, ns=ns, token='t', state_hash=f'{snapshot.seq:064x}'))
            if snapshot.seq in (3, 5):
                writer.write_value(EVENTS, {'token': 't', 'seq': snapshot.seq, 'kind': 4, 'text': 'too early'})
        writer.write_value(REPORT, {'token': 't', 'verdict': 1, 'progress': 0.75})
    return tmp_path / 'x'


def test_the_truth_of_the_episode_is_found(bag, episode):
    opened = open_bag(bag)
    assert episode_truth(opened).seed == 7
    assert report(opened).progress == 0.75
    assert [(e.seq, e.kind, e.text) for e in events(opened)] == [(3, 4, 'too early'), (5, 4, 'too early')]
    assert state_hashes(opened)[5] == f'{5:064x}'
    assert opened.count == len(episode) + 4 and opened.custom['task'] == 'a/b'
    assert (opened.start_ns, opened.end_ns) == (PERIOD, PERIOD * len(episode))


def test_topics_tell_type_count_and_qos(bag, episode):
    topic = open_bag(bag).topics['/truth/world_state']
    assert (topic.type, topic.count, topic.qos[0]['depth']) == ('vlm_bench_msgs/msg/WorldState', len(episode), 100)


def test_a_bag_without_truth_cannot_be_judged(tmp_path):
    with BagWriter(tmp_path, 'x') as writer:
        writer.write_value(CLOCK, {'clock': fields.stamp(1)})
    opened = open_bag(tmp_path / 'x')
    with pytest.raises(BagError, match='nothing on /truth/world_state'):
        list(snapshots(opened))
    with pytest.raises(BagError, match='nothing on /truth/episode'):
        episode_truth(opened)
    assert list(events(opened)) == []


def test_a_gap_in_the_periods_is_damage(tmp_path, episode):
    with BagWriter(tmp_path, 'x') as writer:
        for snapshot in episode[:4] + episode[5:]:
            writer.write_value(WORLD_STATE, fields.world_state(snapshot, ns=PERIOD * (snapshot.seq + 1), token='t', state_hash=''))
    with pytest.raises(BagError, match='period 5 follows period 3'):
        list(snapshots(open_bag(tmp_path / 'x')))


@pytest.mark.parametrize(
    ('path', 'words'), [('none', 'Name the folder'), ('.', 'Name the folder'), ('y', 'recover'), ('.y.part', 'recover')]
)
def test_what_is_no_bag_is_said_with_the_remedy(tmp_path, path, words):
    (tmp_path / '.y.part').mkdir()
    with pytest.raises(BagError, match=words):
        open_bag(tmp_path / path)


def test_a_bag_cut_at_any_place_is_damaged(bag):
    file = bag / 'x_0.mcap'
    whole = file.read_bytes()
    rng = random.Random(0)
    remedy = rf'is damaged: \S.* Recover the intact part with: vlm-bench recover {re.escape(shlex.quote(str(bag)))}$'
    for length in [0, 1, 8, len(whole) - 1, *(rng.randrange(len(whole)) for _ in range(30))]:
        file.write_bytes(whole[:length])
        with pytest.raises(BagError, match=remedy):
            list(open_bag(bag).messages())


def test_a_byte_changed_anywhere_is_damage_or_changes_nothing(bag):
    file = bag / 'x_0.mcap'
    whole = file.read_bytes()
    before = [(r.topic, r.stamp_ns, r.data) for r in open_bag(bag).raw()]
    rng = random.Random(1)
    refused = 0
    for _ in range(150):
        at = rng.randrange(len(whole))
        file.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << rng.randrange(8))]) + whole[at + 1 :])
        try:
            assert [(r.topic, r.stamp_ns, r.data) for r in open_bag(bag).raw()] == before, at
        except BagError:
            refused += 1
    assert refused > 50


@pytest.mark.parametrize('content', ['', '[]', 'rosbag2_bagfile_information: 5', 'a: [', '!!python/object/apply:os.getcwd []', '\x00'])
def test_broken_metadata_is_damage(bag, content):
    (bag / 'metadata.yaml').write_text(content)
    with pytest.raises(BagError, match='damaged'):
        open_bag(bag)


def test_a_missing_file_is_damage(bag):
    (bag / 'x_0.mcap').unlink()
    with pytest.raises(BagError, match='damaged'):
        open_bag(bag)


def change_metadata(bag, change):
    file = bag / 'metadata.yaml'
    content = yaml.safe_load(file.read_text())
    change(content['rosbag2_bagfile_information'])
    file.write_text(yaml.safe_dump(content))


def test_messages_that_are_announced_and_missing_are_damage(bag):
    def more(about):
        about['topics_with_message_count'][1]['message_count'] += 1

    change_metadata(bag, more)
    with pytest.raises(BagError, match='its metadata state'):
        list(snapshots(open_bag(bag)))


def test_another_version_of_a_type_is_not_read_as_ours(bag):
    def older(about):
        about['topics_with_message_count'][1]['topic_metadata']['type_description_hash'] = 'RIHS01_' + '0' * 64

    change_metadata(bag, older)
    opened = open_bag(bag)
    with pytest.raises(BagError, match='another version'):
        list(snapshots(opened))


def test_the_file_named_in_the_metadata_cannot_lie_outside_the_bag(bag, tmp_path):
    shutil.move(bag / 'x_0.mcap', tmp_path / 'x_0.mcap')

    def outside(about):
        about['relative_file_paths'] = ['../x_0.mcap']

    change_metadata(bag, outside)
    with pytest.raises(BagError, match='damaged'):
        open_bag(bag)

"""A bag is compared with its checksums from end to end: what changed is found, though the size and the index are as they were."""

import random

import pytest
from mcap.reader import make_reader
from mcap.stream_reader import StreamReader
from mcap.writer import Writer

from vlm_bench_sim.bags import storage
from vlm_bench_sim.bags.checksums import check
from vlm_bench_sim.bags.reader import open_bag
from vlm_bench_sim.bags.writer import BagWriter
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.core.timing import PERIOD_NS
from vlm_bench_sim.ros import fields, names


def written(folder, episode):
    with BagWriter(folder, 'x', custom={'task': 'stack', 'verdict': 'success', 'cause': 'a: "b"\n  c'}) as bag:
        for snapshot in episode:
            ns = PERIOD_NS * (snapshot.seq + 1)
            bag.write_value(names.JOINT_STATES, fields.joint_state(snapshot.joints, ns))
            bag.write_value(names.WORLD_STATE, fields.world_state(snapshot, ns=ns, token='t', state_hash=''))
    return folder / 'x'


@pytest.fixture
def bag(tmp_path, episode):
    return written(tmp_path, episode)


def test_what_is_whole_is_whole(bag):
    check(open_bag(bag))


def test_the_checksum_of_the_data_is_the_one_of_the_format(bag):
    """Which other readers of MCAP compare, too."""
    (file,) = bag.glob('*.mcap')
    with file.open('rb') as stream:
        ends = [
            record for record in StreamReader(stream, emit_chunks=True, validate_crcs=True).records if type(record).__name__ == 'DataEnd'
        ]
    assert [bool(end.data_section_crc) for end in ends] == [True]


@pytest.mark.parametrize('count', [1, 64])
def test_bytes_that_changed_anywhere_are_found(bag, count):
    (file,) = bag.glob('*.mcap')
    whole, chance = file.read_bytes(), random.Random(count)
    for start in [0, 5, 20, len(whole) - 9, len(whole) - 64, *(chance.randrange(len(whole) - 64) for _ in range(150))]:
        changed = bytes(byte ^ 0x5A for byte in whole[start : start + count])
        file.write_bytes(whole[:start] + changed + whole[start + count :])
        with pytest.raises(BagError, match='is damaged'):
            check(open_bag(bag))
    file.write_bytes(whole)
    check(open_bag(bag))


def test_another_verdict_in_the_metadata_is_found_and_another_layout_of_it_is_not_damage(bag):
    metadata = bag / 'metadata.yaml'
    text = metadata.read_text()
    metadata.write_text(text.replace('"success"', '"failure"'))
    with pytest.raises(BagError, match=r'metadata\.yaml differs'):
        check(open_bag(bag))
    metadata.write_text(text.replace('"success"', "'success'"))
    check(open_bag(bag))


def test_of_a_bag_without_a_checksum_of_all_data_those_of_the_chunks_are_compared(tmp_path, episode, monkeypatch):
    """As this project wrote them before."""

    def without(stream, *, chunk_size, enable_data_crcs):
        assert enable_data_crcs
        return Writer(stream, chunk_size=chunk_size)

    monkeypatch.setattr(storage, 'Writer', without)
    bag = written(tmp_path, episode)
    check(open_bag(bag))
    (file,) = bag.glob('*.mcap')
    with file.open('rb') as stream:
        chunks = make_reader(stream).get_summary().chunk_indexes
    whole = file.read_bytes()
    for chunk in chunks:
        middle = chunk.chunk_start_offset + chunk.chunk_length // 2
        file.write_bytes(whole[:middle] + bytes(64) + whole[middle + 64 :])
        with pytest.raises(BagError, match='is damaged'):
            check(open_bag(bag))


def test_a_file_that_ends_early_is_damaged(bag):
    opened = open_bag(bag)
    (file,) = bag.glob('*.mcap')
    for rest in (0, 30, file.stat().st_size // 2):
        file.write_bytes(file.read_bytes()[:rest])
        with pytest.raises(BagError, match='is damaged'):
            check(opened)

"""What a killed recorder had brought to the disk becomes a bag again."""

import signal
import subprocess
import sys

import pytest
from mcap.records import Chunk
from mcap.stream_reader import StreamReader
from rosbags.highlevel import AnyReader

from vlm_bench_sim.bags.reader import open_bag
from vlm_bench_sim.bags.recover import recover
from vlm_bench_sim.bags.storage import CHUNK_NS
from vlm_bench_sim.bags.writer import BagWriter
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.ros import fields
from vlm_bench_sim.ros.names import CLOCK, EVENTS

RECORDER = """
import sys, time
from pathlib import Path
from vlm_bench_sim.bags.writer import BagWriter
from vlm_bench_sim.ros import fields
from vlm_bench_sim.ros.names import CLOCK, EVENTS
bag = BagWriter(Path(sys.argv[1]), 'x', custom={'task': 'vlmbench/pick_place', 'seed': '7', 'instruction': 'go'})
seq = 0
while True:
    bag.write_value(CLOCK, {'clock': fields.stamp(50_000_000 * (seq + 1))})
    bag.write_value(EVENTS, {'seq': seq, 'text': f'{seq} ' * 2000})
    print(seq, flush=True)
    seq += 1
    time.sleep(0.002)
"""


def chunks_of(file):
    with file.open('rb') as stream:
        return [r for r in StreamReader(stream, emit_chunks=True).records if isinstance(r, Chunk)]


def killed(tmp_path, periods):
    """Kill -9 a recorder after that many periods; return how many it had written."""
    with subprocess.Popen([sys.executable, '-c', RECORDER, str(tmp_path)], stdout=subprocess.PIPE, text=True) as process:
        last = 0
        for line in process.stdout:
            last = int(line)
            if last == periods:
                process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    return last + 1


def test_a_recorder_killed_with_9_loses_no_more_than_its_last_chunk(tmp_path):
    written = killed(tmp_path, 150)
    assert [p.name for p in tmp_path.iterdir()] == ['.x.part']
    with pytest.raises(BagError, match='recover'):
        open_bag(tmp_path / 'x')
    saved = recover(tmp_path / '.x.part')
    assert [p.name for p in tmp_path.iterdir()] == ['x']
    bag = open_bag(saved.path)
    seqs = [m.seq for _, _, m in bag.messages(EVENTS.name)]
    assert seqs == list(range(len(seqs)))
    assert written - len(seqs) <= CHUNK_NS / 50_000_000 + 1  # a chunk spans at most two seconds of simulated time
    assert len(seqs) >= 100 and saved.chunks >= 2 and saved.messages == bag.count
    assert saved.seconds == pytest.approx((bag.end_ns - bag.start_ns) / 1e9)
    assert bag.custom['verdict'] == 'unobservable' and 'killed' in bag.custom['cause']
    assert (bag.custom['seed'], bag.custom['lerobot.operator_prompt']) == ('7', 'go')
    with AnyReader([saved.path]) as reader:
        assert reader.message_count == saved.messages
        assert all(c.ext.offered_qos_profiles for c in reader.connections)


def part(tmp_path, count):
    """Leave a part behind with `count` messages in chunks of their own."""
    bag = BagWriter(tmp_path, 'x', custom={'task': 'a/b'})
    for seq in range(count):
        bag.write_value(CLOCK, {'clock': fields.stamp(CHUNK_NS * (2 * seq + 1))})
        bag.write_value(CLOCK, {'clock': fields.stamp(CHUNK_NS * (2 * seq + 2))})
    bag.abort()
    return tmp_path / '.x.part'


def test_a_file_cut_at_any_place_gives_its_whole_chunks(tmp_path):
    folder = part(tmp_path / 'a', 4)
    whole = (folder / 'x_0.mcap').read_bytes()
    counts = []
    for length in range(0, len(whole) + 1, 37):
        here = tmp_path / f'{length}' / '.x.part'
        here.mkdir(parents=True)
        (here / 'x_0.mcap').write_bytes(whole[:length])
        try:
            saved = recover(here)
        except BagError as error:
            assert 'No whole chunk' in str(error)
            assert here.is_dir()
            counts.append(0)
            continue
        clocks = [m.clock.sec for _, _, m in open_bag(saved.path).messages(CLOCK.name)]
        assert clocks == [2 * i for i in range(1, len(clocks) + 1)]
        counts.append(saved.chunks)
    assert counts == sorted(counts) and set(counts) == {0, 1, 2, 3, 4}


def test_a_chunk_whose_bytes_changed_ends_the_recovery(tmp_path):
    folder = part(tmp_path, 4)
    file = folder / 'x_0.mcap'
    whole = bytearray(file.read_bytes())
    third = chunks_of_part(whole)[2]
    whole[whole.index(third.data) + len(third.data) // 2] ^= 0xFF
    file.write_bytes(whole)
    assert recover(folder).chunks == 2


def chunks_of_part(whole):
    """Chunks of a file without an end."""
    from io import BytesIO

    from mcap.exceptions import EndOfFile

    found = []
    try:
        for record in StreamReader(BytesIO(bytes(whole)), emit_chunks=True).records:
            if isinstance(record, Chunk):
                found.append(record)
    except EndOfFile:
        pass
    return found


def test_a_damaged_bag_is_recovered_beside_itself(tmp_path):
    with BagWriter(tmp_path, 'x', custom={'verdict': 'success'}) as bag:
        for seq in range(100):
            bag.write_value(CLOCK, {'clock': fields.stamp(50_000_000 * (seq + 1))})
    file = tmp_path / 'x' / 'x_0.mcap'
    file.write_bytes(file.read_bytes()[:-500])
    saved = recover(tmp_path / 'x')
    assert saved.path == tmp_path / 'x_recovered' and file.exists()
    assert open_bag(saved.path).count == saved.messages == 100
    assert open_bag(saved.path).custom['verdict'] == 'unobservable'
    with pytest.raises(BagError, match='Move the existing folder away'):
        recover(tmp_path / 'x')


def test_a_bag_that_is_being_written_is_left_alone(tmp_path):
    with BagWriter(tmp_path, 'x') as bag:
        bag.write_value(CLOCK, {'clock': fields.stamp(CHUNK_NS)})
        bag.write_value(CLOCK, {'clock': fields.stamp(3 * CHUNK_NS)})
        with pytest.raises(BagError, match='still being written'):
            recover(tmp_path / '.x.part')
    assert open_bag(tmp_path / 'x').count == 2


def test_what_holds_no_bag_is_refused(tmp_path):
    with pytest.raises(BagError, match='0 MCAP files'):
        recover(tmp_path)
    with pytest.raises(BagError, match='0 MCAP files'):
        recover(tmp_path / 'none')

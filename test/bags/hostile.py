"""Bags that inflate, most of a few kilobytes, and what every reader makes of them: python hostile.py FOLDER quick|slow."""

import json
import re
import shutil
import struct
import sys
import time
from pathlib import Path

import lz4.frame
import zstandard
from mcap.data_stream import RecordBuilder
from mcap.records import Channel, Chunk, ChunkIndex, DataEnd, Footer, Header, Message, Schema, Statistics

from vlm_bench_sim.bags.checksums import check
from vlm_bench_sim.bags.definitions import definition, serialise
from vlm_bench_sim.bags.metadata import FILE
from vlm_bench_sim.bags.reader import open_bag, snapshots
from vlm_bench_sim.bags.recover import recover
from vlm_bench_sim.bags.writer import BagWriter
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.ros import names
from vlm_bench_tasks.dataset.judge import judge
from vlm_bench_tasks.dataset.replay import replay

MAGIC = b'\x89MCAP0\r\n'
GIGABYTES = 3 << 30
ROW = names.WORLD_STATE
CHANNEL = Channel(id=1, topic=ROW.name, message_encoding='cdr', metadata={}, schema_id=1)
SCHEMA = Schema(id=1, data=definition(ROW.type).encode(), encoding='ros2msg', name=ROW.type)
READERS = {
    'raw': lambda path: list(open_bag(path).raw()),
    'snapshots': lambda path: list(snapshots(open_bag(path))),
    'check': lambda path: check(open_bag(path)),
    'judge': judge,
    'replay': replay,
    'recover': recover,
}


def rle(size, *, told):
    """Return a frame of zstandard that inflates to so many zeros, and says so or not; each block of 128 KiB takes four bytes."""
    block = 128 << 10
    head = b'\x28\xb5\x2f\xfd' + (b'\xe0' + struct.pack('<Q', size) if told else b'\x00\x58')
    count = size // block
    blocks = (struct.pack('<I', block << 3 | 1 << 1 | (number == count - 1))[:3] + b'\0' for number in range(count))
    return head + b''.join(blocks)


def messages(number, size, stamp=0):
    """Return so many records of messages of zeros, after their channel."""
    built = RecordBuilder()
    SCHEMA.write(built)
    CHANNEL.write(built)
    for sequence in range(number):
        Message(channel_id=1, log_time=stamp, data=bytes(size), publish_time=stamp, sequence=sequence).write(built)
    return built.end()


def zipped(inner, **other):
    fields = {'compression': 'zstd', 'data': zstandard.compress(inner), 'uncompressed_size': len(inner), 'uncompressed_crc': 0}
    return Chunk(**{'message_start_time': 0, 'message_end_time': 0, **fields, **other})


def bombs(*, slow):
    """Return the chunks of each hostile bag."""
    if slow:
        heavy = zipped(messages(90, 1 << 20))
        return {
            'chunks of one time': [heavy] * 8,
            'a thousand chunks': [heavy] * 1000,
            'times that lie': [zipped(messages(90, 1 << 20, stamp=1 << 60))] * 8,
            'a crowd of empty messages': [zipped(messages(1 << 20, 0))] * 4,
        }
    told, silent = rle(GIGABYTES, told=True), rle(GIGABYTES, told=False)
    lz4_told, lz4_silent = (lz4.frame.compress(bytes(1 << 28), store_size=store) for store in (True, False))
    return {
        'a chunk that says what it is': [zipped(b'', data=told, uncompressed_size=GIGABYTES)],
        'a wrong checksum': [zipped(b'', data=told, uncompressed_size=GIGABYTES, uncompressed_crc=7)],
        'a chunk that says it is small': [zipped(b'', data=told, uncompressed_size=1000)],
        'a frame that says nothing': [zipped(b'', data=silent, uncompressed_size=GIGABYTES)],
        'a small chunk whose frame says nothing': [zipped(b'', data=silent, uncompressed_size=1000)],
        'lz4': [zipped(b'', compression='lz4', data=lz4_told, uncompressed_size=1 << 20)],
        'lz4 that says nothing': [zipped(b'', compression='lz4', data=lz4_silent, uncompressed_size=1 << 20)],
        'another compression': [zipped(b'', compression='bomb', uncompressed_size=0)],
        'a record longer than its chunk': [zipped(b'\x05' + struct.pack('<Q', 1 << 40) + bytes(100))],
        'a channel that nothing describes': [zipped(messages(1, 8)[-39:])],
    }


def build(folder, name, chunks, honest):
    """Write the chunks in the place of those of an honest bag."""
    path = folder / name
    shutil.copytree(honest, path)
    said, indexes = RecordBuilder(), []
    Header('ros2', 'bomb').write(said)
    content = MAGIC + said.end()
    for chunk in chunks:
        chunk.write(said)
        record = said.end()
        indexes.append(
            ChunkIndex(
                chunk_length=len(record),
                chunk_start_offset=len(content),
                compression=chunk.compression,
                compressed_size=len(chunk.data),
                message_start_time=0,
                message_end_time=0,
                message_index_length=0,
                message_index_offsets={},
                uncompressed_size=chunk.uncompressed_size,
            )
        )
        content += record
    DataEnd(0).write(said)
    content += said.end()
    start = len(content)
    for record in (SCHEMA, CHANNEL, *indexes, Statistics(0, 1, {1: 1}, len(chunks), 1, 0, 0, 0, 1), Footer(start, 0, 0)):
        record.write(said)
    (file,) = path.glob('*.mcap')
    file.write_bytes(content + said.end() + MAGIC)
    return path


def laughing(folder, honest):
    """Write a bag whose metadata doubles itself forty times."""
    path = folder / 'metadata that laugh'
    shutil.copytree(honest, path)
    rows = ['  a0: &a0 [x, x]', *(f'  a{i}: &a{i} [*a{i - 1}, *a{i - 1}]' for i in range(1, 40))]
    text = (path / FILE).read_text()
    (path / FILE).write_text(f'laugh:\n{chr(10).join(rows)}\n' + text.replace('custom_data:', 'custom_data:\n    lol: *a39', 1))
    return path


def main():
    """Read all, and print what came of it."""
    folder, slow = Path(sys.argv[1]), sys.argv[2] == 'slow'
    with BagWriter(folder, 'honest', custom={'task': 'none'}) as writer:
        writer.write(ROW, serialise(ROW.type, {'token': 't', 'seq': 0}))
    paths = [build(folder, name, chunks, folder / 'honest') for name, chunks in bombs(slow=slow).items()]
    for path in (*paths, *((laughing(folder, folder / 'honest'),) if not slow else ())):
        for name, read in READERS.items():
            began = time.monotonic()
            try:
                said = f'read: {read(path)!r:.200}'
            except VlmBenchError as error:
                said = str(error)
            peak = int(re.search(r'VmHWM:\s+(\d+) kB', Path('/proc/self/status').read_text())[1]) * 1024  # ru_maxrss counts the parent, too
            print(json.dumps({'bag': path.name, 'reader': name, 'said': said, 'seconds': time.monotonic() - began, 'peak': peak}))


if __name__ == '__main__':
    main()

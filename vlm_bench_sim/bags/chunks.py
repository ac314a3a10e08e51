"""Reads the content of an MCAP file within bounds: nothing is decompressed before its size is known to be acceptable.

A chunk of our bags holds `storage.CHUNK_BYTES` and one message more. The largest message is a picture of 4096 × 4096 numbers.
"""

import heapq
from collections.abc import Collection, Iterator
from typing import BinaryIO

import lz4.frame
import zstandard
from mcap.opcode import Opcode
from mcap.reader import SeekingReader
from mcap.records import Channel, Chunk, ChunkIndex, McapRecord, Message, Schema
from mcap.stream_reader import StreamReader, get_chunk_data_stream
from mcap.summary import Summary

MOST_BYTES = 96 << 20
"""Limit for one record, one decompressed chunk, and the whole summary at the end of the file."""

_MOST_WAITING = 256 << 20
_MOST_TOGETHER, _MOST_RATIO = 4 << 30, 300  # segmentation images reach a ratio of about 200
_MOST_RECORDS = 1 << 18  # in a chunk; valid ones hold a tenth of it
_OVERHEAD = 400  # bytes of memory per message besides its data
_FOOTER_AND_MAGIC = 37


def summary_of(stream: BinaryIO) -> Summary:
    """Return the summary at the end of a file.

    Raises:
        ValueError: there is no summary, or it is too large; or another of `reader.DAMAGE`.
    """
    size = stream.seek(0, 2)
    reader = SeekingReader(_rewound(stream), validate_crcs=True, record_size_limit=MOST_BYTES)
    stream.seek(size - _FOOTER_AND_MAGIC + 9)
    start = int.from_bytes(stream.read(8), 'little')
    if start and size - start > MOST_BYTES:
        raise ValueError(f'its summary has {size - start} bytes; the limit is {MOST_BYTES}')
    found = reader.get_summary()
    if found is None:
        raise ValueError('it ends without an index')
    return found


def messages(stream: BinaryIO, topics: Collection[str]) -> Iterator[tuple[Schema | None, Channel, Message]]:
    """Yield the messages on these topics in order of log time.

    Raises:
        ValueError: a chunk is too large, or its checksum, size or times do not match its description; or another of `reader.DAMAGE`.
    """
    summary = summary_of(stream)
    size, count = stream.seek(0, 2), 0
    check_size(sum(index.uncompressed_size for index in summary.chunk_indexes), size)
    chunks = [index for index in summary.chunk_indexes if _holds(index, summary, topics)]
    waiting: list[tuple[int, int, int, Message]] = []
    heavy = 0
    for index in sorted(chunks, key=lambda index: (index.message_start_time, index.chunk_start_offset)):
        while waiting and waiting[0][0] < index.message_start_time:
            message = heapq.heappop(waiting)[-1]
            heavy -= len(message.data) + _OVERHEAD
            yield _described(message, summary)
        for number, message in enumerate(_messages(stream, index)):
            count += 1
            if summary.channels[message.channel_id].topic in topics:
                heapq.heappush(waiting, (message.log_time, index.chunk_start_offset, number, message))
                heavy += len(message.data) + _OVERHEAD
                if heavy > _MOST_WAITING:
                    raise ValueError(f'chunks with overlapping times hold more than {_MOST_WAITING} bytes of messages')
        check_count(count, size)
    while waiting:
        yield _described(heapq.heappop(waiting)[-1], summary)


def check_size(inflated_bytes: int, file_bytes: int) -> None:
    """Refuse a file whose chunks decompress to more than four gigabytes plus 300 times its size.

    Raises:
        ValueError: the size is too large.
    """
    if inflated_bytes > _MOST_TOGETHER + _MOST_RATIO * file_bytes:
        raise ValueError(f'its {file_bytes} bytes decompress to at least {inflated_bytes} bytes, which is too large')


def check_count(records: int, file_bytes: int) -> None:
    """Refuse a file with more records than its bytes plus a quarter of a million.

    Raises:
        ValueError: there are too many records.
    """
    if records > _MOST_RECORDS + file_bytes:
        raise ValueError(f'its {file_bytes} bytes hold at least {records} records, which is too many')


def records(chunk: Chunk) -> Iterator[McapRecord]:
    """Yield the schemas, channels and messages in a chunk.

    Raises:
        ValueError: the chunk is too large, or its checksum or size is wrong; or another of `reader.DAMAGE`.
    """
    stream, size = get_chunk_data_stream(inflated(chunk), validate_crc=True)
    count = 0
    while stream.count < size:
        count += 1
        if count > _MOST_RECORDS:
            raise ValueError(f'a chunk of {size} bytes holds more than {_MOST_RECORDS} records')
        opcode, length = stream.read1(), stream.read8()
        if length > size - stream.count:
            raise ValueError(f'a record of {length} bytes extends beyond its chunk of {size} bytes')
        if opcode == Opcode.MESSAGE:
            yield Message.read(stream, length)
        elif opcode == Opcode.CHANNEL:
            yield Channel.read(stream)
        elif opcode == Opcode.SCHEMA:
            yield Schema.read(stream)
        else:
            stream.read(length)


def inflated(chunk: Chunk) -> Chunk:
    """Return the decompressed chunk.

    Raises:
        ValueError: it is larger than `MOST_BYTES`, which is checked before it is decompressed, or its size is not the stated one.
    """
    data = chunk.data
    if chunk.uncompressed_size > MOST_BYTES:
        raise ValueError(f'a chunk decompresses to {chunk.uncompressed_size} bytes; the limit is {MOST_BYTES}')
    if chunk.compression == 'zstd':
        told = zstandard.get_frame_parameters(data).content_size
        if told not in (chunk.uncompressed_size, zstandard.CONTENTSIZE_UNKNOWN):
            raise ValueError(f'a chunk states {chunk.uncompressed_size} decompressed bytes, but its zstd frame states {told}')
        data = zstandard.decompress(data, max_output_size=chunk.uncompressed_size)
    elif chunk.compression == 'lz4':
        data = lz4.frame.LZ4FrameDecompressor().decompress(data, max_length=chunk.uncompressed_size + 1)
    elif chunk.compression:
        raise ValueError(f'its chunks are compressed with {chunk.compression!r:.40}; supported are zstd and lz4')
    if len(data) != chunk.uncompressed_size:
        raise ValueError(f'a chunk states {chunk.uncompressed_size} decompressed bytes, but holds {len(data)}')
    return Chunk(
        compression='', data=data, message_start_time=chunk.message_start_time, message_end_time=chunk.message_end_time,
        uncompressed_crc=chunk.uncompressed_crc, uncompressed_size=chunk.uncompressed_size,
    )  # fmt: skip


def _messages(stream: BinaryIO, index: ChunkIndex) -> Iterator[Message]:
    stream.seek(index.chunk_start_offset)
    chunk = next(StreamReader(stream, skip_magic=True, emit_chunks=True, record_size_limit=MOST_BYTES).records)
    if not isinstance(chunk, Chunk):
        raise ValueError(f'the index lists a chunk at byte {index.chunk_start_offset}; found a {type(chunk).__name__}')
    if chunk.uncompressed_size != index.uncompressed_size:
        raise ValueError(f'the index states {index.uncompressed_size} decompressed bytes for a chunk that states {chunk.uncompressed_size}')
    for record in records(chunk):
        if isinstance(record, Message):
            if not index.message_start_time <= record.log_time <= index.message_end_time:
                raise ValueError('a chunk holds a message outside its time range in the index')
            yield record


def _holds(index: ChunkIndex, summary: Summary, topics: Collection[str]) -> bool:
    """Return whether a chunk may hold messages on these topics; without an index of topics it may."""
    offsets = index.message_index_offsets
    return not offsets or any(summary.channels[number].topic in topics for number in offsets)


def _described(message: Message, summary: Summary) -> tuple[Schema | None, Channel, Message]:
    channel = summary.channels[message.channel_id]
    return summary.schemas[channel.schema_id] if channel.schema_id else None, channel, message


def _rewound(stream: BinaryIO) -> BinaryIO:
    stream.seek(0)
    return stream

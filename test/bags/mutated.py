"""The records of an MCAP file, changed, and put together again with an index and checksums that fit what they became."""

import struct
import zlib
from dataclasses import dataclass, replace

import zstandard
from mcap.data_stream import RecordBuilder
from mcap.records import Chunk, ChunkIndex, DataEnd, Footer, MessageIndex, Metadata, MetadataIndex
from mcap.stream_reader import StreamReader

MAGIC = b'\x89MCAP0\r\n'
_MESSAGE, _MESSAGE_HEAD = 5, 22  # opcode; bytes before the data: channel, sequence, two times


@dataclass(frozen=True)
class Parts:
    """What stands before the end of the data, without message indexes, and what describes it after it."""

    data: tuple
    summary: tuple


def parts(stream):
    """Return the parts of a file."""
    records, data, summary = list(StreamReader(stream, emit_chunks=True).records), [], []
    now = data
    for record in records:
        if isinstance(record, DataEnd):
            now = summary
        elif not isinstance(record, (MessageIndex, ChunkIndex, MetadataIndex, Footer)) and type(record).__name__ != 'SummaryOffset':
            now.append(record)
    return Parts(tuple(data), tuple(summary))


def assembled(whole):
    """Return the bytes of a file of these parts: every offset and every checksum outside the chunks is right."""
    content, indexes = MAGIC, []
    for record in whole.data:
        written = _bytes(record)
        if isinstance(record, Chunk):
            indexes.append(_chunk_index(record, len(content), len(written)))
        elif isinstance(record, Metadata):
            indexes.append(MetadataIndex(offset=len(content), length=len(written), name=record.name))
        content += written
    content += _bytes(DataEnd(zlib.crc32(content)))
    end = b''.join(map(_bytes, (*whole.summary, *indexes)))
    foot = _bytes(Footer(len(content), 0, 0))[:-4]
    return content + end + foot + struct.pack('<I', zlib.crc32(end + foot)) + MAGIC


def inner(chunk):
    """Return the records in a chunk, as bytes."""
    data, found, at = zstandard.decompress(chunk.data, max_output_size=chunk.uncompressed_size), [], 0
    while at < len(data):
        length = 9 + int.from_bytes(data[at + 1 : at + 9], 'little')
        found.append(data[at : at + length])
        at += length
    return found


def filled(chunk, records, *, right=True):
    """Return the chunk with other records, and with the checksum that they have, or that they had."""
    data = b''.join(records)
    crc = zlib.crc32(data) if right else chunk.uncompressed_crc
    return replace(chunk, data=zstandard.compress(data), uncompressed_size=len(data), uncompressed_crc=crc)


def flipped(data, at, mask):
    """Return the bytes with one of them changed."""
    at %= len(data)
    return data[:at] + bytes([data[at] ^ mask]) + data[at + 1 :]


def edited(items, edit, first, second):
    """Return a list in which one item is dropped, told twice, moved or changes places with another."""
    items, first, second = list(items), first % len(items), second % len(items)
    if edit == 'drop':
        del items[first]
    elif edit == 'twice':
        items.insert(second, items[first])
    elif edit == 'move':
        items.insert(second, items.pop(first))
    else:
        items[first], items[second] = items[second], items[first]
    return items


def messages_changed(records, first, second, mask):
    """Return the records of a chunk of which the data of one message differ in one byte."""
    numbers = [i for i, record in enumerate(records) if record[0] == _MESSAGE and len(record) > 9 + _MESSAGE_HEAD]
    number = numbers[first % len(numbers)]
    head, data = records[number][: 9 + _MESSAGE_HEAD], records[number][9 + _MESSAGE_HEAD :]
    return [*records[:number], head + flipped(data, second, mask), *records[number + 1 :]]


def _bytes(record):
    built = RecordBuilder()
    record.write(built)
    return built.end()


def _chunk_index(chunk, start, length):
    return ChunkIndex(
        chunk_length=length, chunk_start_offset=start, compression=chunk.compression, compressed_size=len(chunk.data),
        message_start_time=chunk.message_start_time, message_end_time=chunk.message_end_time, message_index_length=0,
        message_index_offsets={}, uncompressed_size=chunk.uncompressed_size,
    )  # fmt: skip

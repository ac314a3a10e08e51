"""Checks a whole bag against its checksums: damage need not change a file's size or its index."""

import os
import struct
import zlib
from pathlib import Path
from textwrap import indent
from typing import BinaryIO

from mcap.reader import SeekingReader
from mcap.records import Chunk
from mcap.stream_reader import StreamReader, get_chunk_data_stream

from vlm_bench_sim.bags.chunks import MOST_BYTES, check_size, inflated
from vlm_bench_sim.bags.metadata import FILE
from vlm_bench_sim.bags.reader import DAMAGE, Bag, damaged, parsed

NOTE = 'rosbag2'
"""Name of the MCAP metadata record that repeats metadata.yaml."""

_INFORMATION = 'rosbag2_bagfile_information'
_BLOCK = 1 << 20
_MAGIC = 8
_DATA_END = 13
"""Length in bytes of the record before the summary: opcode, length, checksum of everything before the record."""

_FOOTER = 29
"""Length in bytes of the record before the last magic: opcode, length, start of summary, start of its offsets, checksum."""


def check(bag: Bag) -> None:
    """Compare every byte of a bag with its checksums, and metadata.yaml with the copy in the file.

    Raises:
        BagError: the bag is damaged.
    """
    try:
        for file in bag.files:
            with file.open('rb') as stream:
                _check_file(stream)
        if len(bag.files) == 1:
            _check_metadata(bag)
    except DAMAGE as error:
        raise damaged(bag.path, error) from error


def _check_file(stream: BinaryIO) -> None:
    size = stream.seek(0, os.SEEK_END)
    stream.seek(size - _MAGIC - _FOOTER)
    start, _, expected = struct.unpack('<QQI', stream.read(_FOOTER)[9:])
    if not start or not expected:  # written by another program
        _check_chunks(stream)
        return
    if _sum(stream, start, size - _MAGIC - 4) != expected:
        raise ValueError('the summary at the end of the file does not match its checksum')
    stream.seek(start - 4)
    (expected,) = struct.unpack('<I', stream.read(4))
    if not expected:  # written by an older version without that checksum
        _check_chunks(stream)
    elif _sum(stream, 0, start - _DATA_END) != expected:
        raise ValueError('the data do not match their checksum')


def _sum(stream: BinaryIO, start: int, stop: int) -> int:
    """Return the CRC-32 of a part of a file."""
    stream.seek(start)
    found, left = 0, stop - start
    while left > 0:
        block = stream.read(min(_BLOCK, left))
        if not block:
            raise ValueError('the file ends early')
        found, left = zlib.crc32(block, found), left - len(block)
    return found


def _check_chunks(stream: BinaryIO) -> None:
    size, total = stream.seek(0, os.SEEK_END), 0
    stream.seek(0)
    for record in StreamReader(stream, emit_chunks=True, validate_crcs=True, record_size_limit=MOST_BYTES).records:
        if isinstance(record, Chunk):
            total += record.uncompressed_size
            check_size(total, size)
            get_chunk_data_stream(inflated(record), validate_crc=True)


def _check_metadata(bag: Bag) -> None:
    told = _told(bag.files[0])
    text = (bag.path / FILE).read_text(encoding='utf-8')
    if told is None or text == f'{_INFORMATION}:\n{indent(told, "  ")}':
        return
    if parsed(text)[_INFORMATION] != parsed(told):
        raise ValueError(f'{FILE} differs from its copy in the MCAP file')


def _told(file: Path) -> str | None:
    with file.open('rb') as stream:
        for record in SeekingReader(stream, record_size_limit=MOST_BYTES).iter_metadata():
            if record.name == NOTE:
                return str(record.metadata['serialized_metadata'])
    return None

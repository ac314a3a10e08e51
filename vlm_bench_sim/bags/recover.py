"""Turns the remains of a killed recorder into a proper bag."""

import fcntl
import shutil
import struct
from collections.abc import Collection, Iterator
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any

import zstandard
from mcap.exceptions import McapError
from mcap.records import Channel as ChannelRecord
from mcap.records import Chunk, McapRecord, Message, Metadata, Schema
from mcap.stream_reader import StreamReader

from vlm_bench_sim.bags.chunks import MOST_BYTES, check_count, check_size, records
from vlm_bench_sim.bags.definitions import store, type_hash
from vlm_bench_sim.bags.folder import file_of, part_of, publish
from vlm_bench_sim.bags.metadata import Channel, Summary, dump, information
from vlm_bench_sim.bags.storage import QOS_KEY, Storage
from vlm_bench_sim.bags.writer import EPISODE_NOTE
from vlm_bench_sim.core.errors import BagError

_DAMAGE = (McapError, struct.error, zstandard.ZstdError, ValueError, EOFError, OverflowError, RuntimeError, MemoryError)


@dataclass(frozen=True)
class Recovery:
    """The result: number of whole chunks and of their messages, seconds between first and last message, and the new bag."""

    chunks: int
    messages: int
    seconds: float
    path: Path


def recover(folder: Path) -> Recovery:
    """Rewrite everything up to the last whole chunk into a proper bag with the verdict unobservable.

    A folder `.x.part` becomes the bag `x`, and the part is removed. A damaged bag `x` becomes `x_recovered`, and `x` is kept.

    Raises:
        BagError: there is nothing to recover, the bag is still being written, or the new bag cannot be written.
    """
    source = _file(folder)
    left_over = folder.name.startswith('.') and folder.name.endswith('.part')
    final = folder.with_name(folder.name[1:-5] if left_over else f'{folder.name}_recovered')
    part = part_of(final.with_name(f'{final.name}.recovering'))
    if final.exists():
        raise BagError(f'{folder} cannot be recovered into {final}, which exists already. Move the existing folder away first.')
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        copy = _Copy(Storage(part / file_of(final)))
        _copy(source, copy)
        _finish(copy, part, final)
        if left_over:
            shutil.rmtree(folder)
    except OSError as error:
        raise BagError(
            f'{folder} could not be recovered into {final}: {error.strerror or error}. Free some space and try again.'
        ) from error
    return Recovery(copy.chunks, copy.messages, (copy.storage.end_ns - (copy.storage.start_ns or 0)) / 1e9, final)


@dataclass
class _Copy:
    storage: Storage
    _: KW_ONLY
    chunks: int = 0
    messages: int = 0
    custom: dict[str, str] = field(default_factory=dict)
    schemas: dict[int, Schema] = field(default_factory=dict)
    numbers: dict[int, int] = field(default_factory=dict)

    def take(self, record: Any) -> None:
        if isinstance(record, Schema):
            self.schemas[record.id] = record
        elif isinstance(record, ChannelRecord) and record.id not in self.numbers:
            self.numbers[record.id] = self._channel(record)
        elif isinstance(record, Message):
            self.storage.add(self.numbers[record.channel_id], record.log_time, record.data)
            self.messages += 1

    def _channel(self, record: ChannelRecord) -> int:
        schema = self.schemas[record.schema_id]
        digest = type_hash(schema.name) if schema.name in store().fielddefs else ''
        return self.storage.channel(Channel(record.topic, schema.name, digest, record.metadata.get(QOS_KEY, '[]')), schema.data.decode())


def _file(folder: Path) -> Path:
    files = sorted(folder.glob('*.mcap')) if folder.is_dir() else []
    if len(files) != 1:
        raise BagError(f'{folder} cannot be recovered: it holds {len(files)} MCAP files instead of one. Name the folder of one bag.')
    with files[0].open('rb') as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BagError(f'{folder} is still being written. Stop its recorder, which closes it properly.') from error
    return files[0]


def _copy(source: Path, copy: _Copy) -> None:
    size, inflated, count = source.stat().st_size, 0, 0
    with source.open('rb') as stream:
        for record in _whole(stream):
            if isinstance(record, Metadata) and record.name == EPISODE_NOTE:
                copy.custom.update(record.metadata)
            if not isinstance(record, Chunk):
                continue
            inflated += record.uncompressed_size
            try:
                check_size(inflated, size)
                inner = _described(record, copy.numbers)
                count += len(inner)
                check_count(count, size)
            except _DAMAGE:
                return
            for one in inner:
                copy.take(one)
            copy.chunks += 1


def _described(chunk: Chunk, channels: Collection[int]) -> list[McapRecord]:
    """Return the records of a chunk; its messages must be of channels that are known or begin in it."""
    found = list(records(chunk))
    known = {*channels, *(record.id for record in found if isinstance(record, ChannelRecord))}
    unknown = {record.channel_id for record in found if isinstance(record, Message)} - known
    if unknown:
        raise ValueError(f'the channels {sorted(unknown)} have messages but no description')
    return found


def _whole(stream: Any) -> Iterator[Any]:
    try:
        yield from StreamReader(stream, emit_chunks=True, record_size_limit=MOST_BYTES).records
    except _DAMAGE:
        return


def _finish(copy: _Copy, part: Path, final: Path) -> None:
    storage = copy.storage
    if not copy.messages:
        storage.drop()
        shutil.rmtree(part)
        raise BagError(f'No whole chunk is left of {final.name}: nothing can be recovered. Remove the folder and run the episode again.')
    cause = f'the recorder was killed, or the bag damaged; recovered {copy.chunks} chunks'
    custom = copy.custom | {'verdict': 'unobservable', 'cause': cause}
    summary = Summary(file_of(final), storage.start_ns or 0, storage.end_ns, storage.channels, custom)
    storage.note(EPISODE_NOTE, custom)
    storage.note('rosbag2', {'serialized_metadata': dump(information(summary))})
    storage.finish()
    publish(part, final, summary)

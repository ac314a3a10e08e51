"""An MCAP file that grows chunk by chunk: each chunk is on disk before the next begins."""

import fcntl
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from mcap.writer import Writer

from vlm_bench_sim.bags.definitions import definition
from vlm_bench_sim.bags.metadata import Channel

CHUNK_BYTES = 768 * 1024
CHUNK_NS = 2_000_000_000
"""Size and time span that end a chunk: a killed recorder loses no more."""

LIBRARY = 'vlm_bench'
QOS_KEY = 'offered_qos_profiles'


class Storage:
    """A new MCAP file with profile ros2, locked while it is written.

    Every method raises OSError if the disk fails.
    """

    def __init__(self, path: Path) -> None:
        self.start_ns: int | None = None
        self.end_ns = 0
        self._stream = path.open('xb')
        fcntl.flock(self._stream, fcntl.LOCK_EX)
        self._writer = Writer(self._stream, chunk_size=1 << 40, enable_data_crcs=True)  # `add` decides where chunks end
        self._writer.start(profile='ros2', library=LIBRARY)
        self._schemas: dict[str, int] = {}
        self._channels: dict[int, Channel] = {}
        self._counts: dict[int, int] = {}
        self._bytes = 0
        self._chunk_ns: int | None = None

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The topics with their number of messages so far."""
        rows = self._channels.items()
        return tuple(Channel(c.name, c.type, c.hash, c.qos, self._counts[number]) for number, c in rows)

    def channel(self, channel: Channel, schema: str = '') -> int:
        """Add a topic and return its number; `schema` is its full definition if it is not ours."""
        if channel.type not in self._schemas:
            body = (schema or definition(channel.type)).encode()
            self._schemas[channel.type] = self._writer.register_schema(channel.type, 'ros2msg', body)
        about = {QOS_KEY: channel.qos, 'topic_type_hash': channel.hash}
        number = int(self._writer.register_channel(channel.name, 'cdr', self._schemas[channel.type], about))
        self._channels[number] = channel
        self._counts[number] = 0
        return number

    def add(self, number: int, stamp_ns: int, data: bytes) -> None:
        """Append a message; log time and publish time are `stamp_ns`."""
        self._writer.add_message(number, stamp_ns, data, stamp_ns, self._counts[number])
        self._counts[number] += 1
        self.start_ns = stamp_ns if self.start_ns is None else min(self.start_ns, stamp_ns)
        self.end_ns = max(self.end_ns, stamp_ns)
        self._chunk_ns = stamp_ns if self._chunk_ns is None else self._chunk_ns
        self._bytes += len(data)
        if self._bytes >= CHUNK_BYTES or stamp_ns - self._chunk_ns >= CHUNK_NS:
            self.flush()

    def note(self, name: str, strings: Mapping[str, str]) -> None:
        """Write a metadata record."""
        self._writer.add_metadata(name, dict(strings))

    def flush(self) -> None:
        """End the chunk and write it to disk."""
        self._writer.flush()
        os.fsync(self._stream.fileno())
        self._bytes = 0
        self._chunk_ns = None

    def finish(self) -> None:
        """Write index and footer to disk and close the file."""
        self._writer.finish()
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self._stream.close()

    def drop(self) -> None:
        """Close the file without an index; its content on disk remains."""
        with suppress(OSError):
            self._stream.close()

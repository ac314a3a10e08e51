"""Writes one episode into one bag."""

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from vlm_bench_sim.bags.definitions import serialise, type_hash
from vlm_bench_sim.bags.folder import file_of, part_of, publish
from vlm_bench_sim.bags.metadata import Channel, Summary, dump, information, qos, text
from vlm_bench_sim.bags.prefix import stamp_ns
from vlm_bench_sim.bags.storage import Storage
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.ros.names import Name

EPISODE_NOTE = 'vlm_bench'
"""Name of the MCAP metadata record at the start of the file, which tells `recover` about the episode of a killed recorder."""

INSTRUCTION = 'instruction'
PROMPT = 'lerobot.operator_prompt'


class Unwritten(BagError):
    """A bag could not be written.

    Args:
        why: a sentence.
        part: folder with the content that reached the disk.
    """

    def __init__(self, why: str, part: Path) -> None:
        left = f' The content on disk is in {part} and can be recovered.' if part.exists() else ''
        super().__init__(f'{why} Free some space or name another folder.{left}')
        self.why = why


class BagWriter:
    """A bag being written. It appears as `folder/name` when it is closed, never before.

    Log time is the stamp in the message. The time of the newest stamped message is used for messages without a stamp, latched messages
    from before the episode, and topics that anybody may publish. Before the first stamped message, the time of that one is used.

    Args:
        folder: of the bags.
        name: of this bag.
        custom: strings for `custom_data`; `close` may add some.

    Raises:
        BagError: the bag already exists or is closed.
        Unwritten: the folder is not writable; also from every method if the disk fails.
    """

    def __init__(self, folder: Path, name: str, *, custom: Mapping[str, str] | None = None) -> None:
        self.path = folder / name
        self.part = part_of(self.path)
        self._custom = _checked(custom or {})
        self._numbers: dict[str, int] = {}
        self._head: list[tuple[Name, bytes]] = []
        self._start: int | None = None
        self._now = 0
        self._storage: Storage | None = None
        if not name.strip('.') or Path(name).name != name or self.path.exists():
            raise BagError(
                f'No bag can be written to {self.path}: it exists already, or its name is invalid. Choose another name, or remove it.'
            )
        try:
            self.part.mkdir(parents=True)
            self._storage = Storage(self.part / file_of(self.path))
            self._storage.note(EPISODE_NOTE, self._custom)
            self._storage.flush()
        except OSError as error:
            raise self._failed(error) from error

    def write(self, row: Name, data: bytes) -> None:
        """Append the CDR bytes of a message on a topic of the table of names."""
        stamp = stamp_ns(row.type, data) if row.server else None
        if self._start is None:
            if stamp is None or row.latched:
                self._head.append((row, data))
                return
            self._begin(stamp)
        self._append(row, data, self._now if stamp is None else stamp)

    def write_value(self, row: Name, fields: Mapping[str, Any]) -> None:
        """Append a message given as plain fields (see `sim.ros.fields`)."""
        self.write(row, serialise(row.type, fields))

    def close(self, custom: Mapping[str, str] | None = None) -> Path:
        """Complete the bag, rename it to its final name and return its path; `custom` is added to `custom_data`."""
        self._custom |= _checked(custom or {})
        if self._start is None:
            self._begin(0)
        storage = self._open()
        try:
            summary = Summary(file_of(self.path), storage.start_ns or 0, storage.end_ns, storage.channels, self._custom)
            storage.note('rosbag2', {'serialized_metadata': dump(information(summary))})
            storage.finish()
            self._storage = None
            publish(self.part, self.path, summary)
        except OSError as error:
            raise self._failed(error) from error
        return self.path

    def abort(self) -> None:
        """Stop without a bag; the content on disk stays in `part` for `recover`."""
        if self._storage is not None:
            self._storage.drop()
        self._storage = None

    def __enter__(self) -> 'BagWriter':
        """Return the writer."""
        return self

    def __exit__(self, kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        """Close the bag, or abort it after an error."""
        if kind is not None:
            self.abort()
        elif self._storage is not None:
            self.close()

    def _begin(self, stamp: int) -> None:
        self._start = self._now = stamp
        head, self._head = self._head, []
        for row, data in head:
            self._append(row, data, stamp)

    def _append(self, row: Name, data: bytes, stamp: int) -> None:
        if row.latched:
            stamp = max(stamp, self._start or 0)
        self._now = max(self._now, stamp)
        storage = self._open()
        try:
            if row.name not in self._numbers:
                self._numbers[row.name] = storage.channel(Channel(row.name, row.type, type_hash(row.type), qos(row)))
            storage.add(self._numbers[row.name], stamp, data)
        except OSError as error:
            raise self._failed(error) from error

    def _open(self) -> Storage:
        if self._storage is None:
            raise BagError(f'The bag {self.path} is closed or has failed. Open another one.')
        return self._storage

    def _failed(self, error: OSError) -> Unwritten:
        self.abort()
        return Unwritten(f'The bag {self.path} could not be written: {error.strerror or error}.', self.part)


def _checked(custom: Mapping[str, str]) -> dict[str, str]:
    wrong = [key for key, value in custom.items() if not isinstance(value, str)]
    if wrong:
        raise BagError(f'custom_data holds strings; {wrong[0]!r} is {custom[wrong[0]]!r}. Write it as a string.')
    escaped = {key: text(value) for key, value in custom.items()}
    return escaped | ({PROMPT: escaped[INSTRUCTION]} if INSTRUCTION in escaped else {})

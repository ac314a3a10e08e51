"""Reads a bag: topics, `custom_data`, messages in time order, and the ground truth of its episode."""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from shlex import quote
from typing import Any

import yaml
import zstandard
from mcap.exceptions import McapError

from vlm_bench_sim.bags.chunks import messages, summary_of
from vlm_bench_sim.bags.definitions import deserialise, store, type_hash
from vlm_bench_sim.bags.folder import part_of
from vlm_bench_sim.bags.metadata import FILE
from vlm_bench_sim.core.errors import BagError, near
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.ros.fields import read_snapshot
from vlm_bench_sim.ros.names import EPISODE_TRUTH, EVENTS, REPORT, WORLD_STATE

DAMAGE = (
    McapError, OSError, struct.error, zstandard.ZstdError, yaml.YAMLError,
    ValueError, KeyError, IndexError, TypeError, AttributeError, EOFError, OverflowError, RuntimeError, MemoryError,
)  # fmt: skip
"""The exceptions that reading a damaged bag may raise."""

_MOST_METADATA = 16 << 20
_LOADER: Any = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)


@dataclass(frozen=True)
class Topic:
    """One topic of a bag: name, type, RIHS01 hash of the type when written, offered QoS profiles, number of messages."""

    name: str
    type: str
    hash: str
    qos: tuple[Mapping[str, Any], ...]
    count: int


@dataclass(frozen=True)
class Raw:
    """One message: topic, log time in ns, type, CDR bytes."""

    topic: str
    stamp_ns: int
    type: str
    data: bytes


@dataclass(frozen=True)
class Bag:
    """A bag on disk.

    Attributes:
        path: its folder.
        files: its MCAP files in order.
        topics: by name.
        custom: the strings of `custom_data`.
        start_ns, end_ns: first and last log time.
    """

    path: Path
    files: tuple[Path, ...]
    topics: Mapping[str, Topic]
    custom: Mapping[str, str]
    start_ns: int
    end_ns: int

    @property
    def count(self) -> int:
        """Number of all messages."""
        return sum(topic.count for topic in self.topics.values())

    def raw(self, *topics: str) -> Iterator[Raw]:
        """Yield the messages on these topics (without names: on all) in time order, as bytes.

        Raises:
            BagError: the bag is damaged, or holds fewer messages than its metadata says.
        """
        wanted = topics or tuple(self.topics)
        expected = sum(self.topics[name].count for name in wanted if name in self.topics)
        found, newest = 0, 0
        try:
            for file in self.files:
                with file.open('rb') as stream:
                    for schema, channel, message in messages(stream, wanted):
                        if message.log_time < newest:
                            raise ValueError('its messages are not in order of time')
                        found, newest = found + 1, message.log_time
                        yield Raw(channel.topic, message.log_time, schema.name if schema else '', message.data)
        except DAMAGE as error:
            raise damaged(self.path, error) from error
        if found != expected:
            raise damaged(self.path, f'it holds {found} messages, but its metadata state {expected}')

    def messages(self, *topics: str) -> Iterator[tuple[str, int, Any]]:
        """Yield (topic, log time in ns, message) in time order; read messages by attribute access.

        Raises:
            BagError: the bag is damaged, a type is not known, or its definition has changed since the bag was written.
        """
        for name in topics or tuple(self.topics):
            if name in self.topics:
                _check_type(self.path, self.topics[name])
        for raw in self.raw(*topics):
            yield raw.topic, raw.stamp_ns, deserialise(raw.type, raw.data)


def open_bag(path: Path) -> Bag:
    """Return the bag in that folder; this opens the file and reads its index.

    Raises:
        BagError: there is no bag, or it is damaged.
    """
    try:
        if not (path / FILE).is_file():
            raise BagError(_missing(path))
        content = parsed(_text(path / FILE))['rosbag2_bagfile_information']
        topics = [_topic(row) for row in content['topics_with_message_count']]
        start = int(content['starting_time']['nanoseconds_since_epoch'])
        bag = Bag(
            path=path,
            files=tuple(path / PurePosixPath(name).name for name in content['relative_file_paths']),
            topics={topic.name: topic for topic in topics},
            custom=_custom(content),
            start_ns=start,
            end_ns=start + int(content['duration']['nanoseconds']),
        )
        for file in bag.files:
            if file.exists() and not file.is_file():  # a pipe would never end
                raise ValueError(f'{file.name} is no file')
            with file.open('rb') as stream:
                summary_of(stream)
    except DAMAGE as error:
        raise damaged(path, error) from error
    return bag


def about(path: Path) -> Mapping[str, str]:
    """Return the strings of the `custom_data` of the bag in that folder, without opening its files: they may be damaged.

    Raises:
        BagError: there is no bag, or its metadata are damaged.
    """
    try:
        if not (path / FILE).is_file():
            raise BagError(_missing(path))
        return _custom(parsed(_text(path / FILE))['rosbag2_bagfile_information'])
    except DAMAGE as error:
        raise damaged(path, error) from error


def episode_truth(bag: Bag) -> Any:
    """Return the EpisodeTruth message of the bag.

    Raises:
        BagError: the bag holds none, or is damaged.
    """
    return _last(bag, EPISODE_TRUTH.name)


def report(bag: Bag) -> Any:
    """Return the recorded final Report message.

    Raises:
        BagError: the bag holds none, or is damaged.
    """
    return _last(bag, REPORT.name)


def robot(bag: Bag) -> str:
    """Return the name of the robot that was moved.

    Raises:
        BagError: the bag does not say it.
    """
    if not bag.custom.get('robot'):
        raise BagError(f'{bag.path} does not say which robot was moved (robot in its custom_data). Was it recorded by this bench?')
    return bag.custom['robot']


def snapshots(bag: Bag) -> Iterator[Snapshot]:
    """Yield the snapshot of each control period.

    Raises:
        BagError: the bag holds none, is damaged, or has a gap between control periods.
    """
    last: Snapshot | None = None
    for _, _, message in bag.messages(WORLD_STATE.name):
        now = read_snapshot(message)
        if last is not None and now.seq != last.seq + 1:
            raise damaged(bag.path, f'period {now.seq} follows period {last.seq} on {WORLD_STATE.name}')
        last = now
        yield now
    if last is None:
        raise BagError(f'{bag.path} holds nothing on {WORLD_STATE.name}, so there is nothing to judge. Record the ground-truth topics.')


def events(bag: Bag) -> Iterator[Any]:
    """Yield the Event messages of the bag in order.

    Raises:
        BagError: the bag is damaged.
    """
    yield from (message for _, _, message in bag.messages(EVENTS.name))


def state_hashes(bag: Bag) -> tuple[str, ...]:
    """Return the state hash of each control period.

    Raises:
        BagError: the bag is damaged.
    """
    return tuple(message.state_hash for _, _, message in bag.messages(WORLD_STATE.name))


def _last(bag: Bag, topic: str) -> Any:
    found = [message for _, _, message in bag.messages(topic)]
    if not found:
        raise BagError(f'{bag.path} holds nothing on {topic}. {near(topic, bag.topics)} Was it recorded by this bench?')
    return found[-1]


def parsed(text: str) -> Any:
    """Return the parsed YAML text; metadata.yaml takes 60 ms without libyaml, and a tenth of that with it."""
    loader = _LOADER(text)
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()


def _text(file: Path) -> str:
    with file.open('rb') as stream:
        found = stream.read(_MOST_METADATA + 1)
    if len(found) > _MOST_METADATA:
        raise ValueError(f'{file.name} has more than {_MOST_METADATA} bytes')
    return found.decode('utf-8')


def _custom(content: Any) -> dict[str, str]:
    return {_word(k): _word(v) for k, v in (content.get('custom_data') or {}).items()}


def _word(value: Any) -> str:
    if isinstance(value, (list, dict)):  # YAML may nest these into themselves
        raise ValueError(f'custom_data holds strings; found a {type(value).__name__}')
    return str(value)


def _topic(row: Mapping[str, Any]) -> Topic:
    about = row['topic_metadata']
    profiles = about.get('offered_qos_profiles') or []
    told = parsed(profiles) if isinstance(profiles, str) else profiles
    return Topic(about['name'], about['type'], about.get('type_description_hash', ''), tuple(told), int(row['message_count']))


def _check_type(path: Path, topic: Topic) -> None:
    if topic.type not in store().fielddefs:
        raise BagError(
            f'{path} holds {topic.type} on {topic.name}, a type that is not known here. Name the topics to read, or read it raw.'
        )
    if topic.hash and topic.hash != type_hash(topic.type):
        raise BagError(
            f'{path} holds {topic.type} on {topic.name} as another version of the project defined it ({topic.hash}). '
            'Read it with that version, or read it raw.'
        )


def _missing(path: Path) -> str:
    part = path if path.name.endswith('.part') else part_of(path.absolute())
    if part.is_dir():
        running = f'{path} is not a finished bag: its recorder was killed or is still running.'
        return f'{running} Recover its content with: vlm-bench recover {quote(str(part))}'
    return f'{path} is not a bag: it holds no {FILE}. Name the folder of a bag.'


def damaged(path: Path, why: object) -> BagError:
    """Return the error that a bag is damaged."""
    told = f'{why!s:.200}' or f'it ends too early or cannot be read ({type(why).__name__})'
    return BagError(f'The bag {path} is damaged: {told}. Recover the intact part with: vlm-bench recover {quote(str(path))}')

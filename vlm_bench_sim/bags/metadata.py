"""metadata.yaml of rosbag2, version 9, and the QoS that a bag stores for each topic."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from vlm_bench_sim.bags.definitions import DISTRO
from vlm_bench_sim.ros.names import Name

VERSION = 9
FILE = 'metadata.yaml'
_FOREVER = {'sec': 9223372036, 'nsec': 854775807}


class _Quoted(str):
    """A string that YAML must quote: without quotes, a token such as 12e4567 is read as a number."""


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]
    def ignore_aliases(self, _data: Any) -> bool:
        return True


_Dumper.add_representer(_Quoted, lambda dumper, text: dumper.represent_scalar('tag:yaml.org,2002:str', str(text), style='"'))


@dataclass(frozen=True)
class Channel:
    """One topic of a bag: name, type, RIHS01 hash, offered QoS profiles as YAML text, and number of messages."""

    name: str
    type: str
    hash: str
    qos: str
    count: int = 0


@dataclass(frozen=True)
class Summary:
    """Content of metadata.yaml: file name, first and last log time (ns), topics, and the strings of `custom_data`."""

    file: str
    start_ns: int
    end_ns: int
    channels: tuple[Channel, ...]
    custom: Mapping[str, str]


def qos(row: Name) -> str:
    """Return the QoS profile of a row of the names as YAML, as rosbag2 stores it in a channel's metadata."""
    profile = {
        'history': 'keep_last',
        'depth': row.depth,
        'reliability': 'reliable',
        'durability': 'transient_local' if row.latched else 'volatile',
        'deadline': _FOREVER,
        'lifespan': _FOREVER,
        'liveliness': 'automatic',
        'liveliness_lease_duration': _FOREVER,
        'avoid_ros_namespace_conventions': False,
    }
    return dump([profile])


def dump(value: Mapping[str, Any] | Sequence[Any]) -> str:
    """Return the value as YAML text."""
    return str(yaml.dump(value, Dumper=_Dumper, sort_keys=False, width=1_000_000))


def text(value: str) -> str:
    """Return a string that every file can hold: invalid Unicode is escaped."""
    return value.encode('utf-8', 'backslashreplace').decode()


def information(summary: Summary) -> dict[str, Any]:
    """Return the content of metadata.yaml."""
    span = {
        'starting_time': {'nanoseconds_since_epoch': summary.start_ns},
        'duration': {'nanoseconds': summary.end_ns - summary.start_ns},
        'message_count': sum(channel.count for channel in summary.channels),
    }
    return {
        'version': VERSION,
        'storage_identifier': 'mcap',
        'relative_file_paths': [summary.file],
        **span,
        'topics_with_message_count': [_topic(channel) for channel in summary.channels],
        'compression_format': '',
        'compression_mode': '',
        'files': [{'path': summary.file, **span}],
        'custom_data': {_Quoted(key): _Quoted(text(value)) for key, value in summary.custom.items()},
        'ros_distro': DISTRO,
    }


def _topic(channel: Channel) -> dict[str, Any]:
    return {
        'topic_metadata': {
            'name': channel.name,
            'type': channel.type,
            'serialization_format': 'cdr',
            'offered_qos_profiles': yaml.safe_load(channel.qos),
            'type_description_hash': channel.hash,
        },
        'message_count': channel.count,
    }

"""Read the expert's labels from a bag: a waypoint for each of its own steps, or its advice at the states of another policy."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from vlm_bench_sim.bags import reader
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.codes import EventKind
from vlm_bench_sim.core.command import Command
from vlm_bench_sim.core.errors import BagError, VlmBenchError
from vlm_bench_tasks.judging.messages import read_event
from vlm_bench_tasks.policies.waypoints import Waypoint


def waypoints(path: Path) -> tuple[tuple[int, Waypoint], ...]:
    """Return the waypoints of the bag at `path`, each with its control period; empty if the expert did not play.

    Raises:
        BagError: the bag is missing, damaged, or holds an invalid waypoint.
    """
    events = (read_event(message) for message in reader.events(reader.open_bag(path)))
    return tuple((event.seq, codec.read(event.text, Waypoint, BagError)) for event in events if event.kind is EventKind.WAYPOINT)


def advice(path: Path) -> tuple[tuple[int, Command], ...]:
    """Return the expert's advice in a bag, each with the control period of the policy's decision; empty if there was no adviser.

    Raises:
        BagError: the bag is missing, damaged, or holds advice that is no command.
    """
    return told(reader.events(reader.open_bag(path)))


def told(messages: Iterable[Any]) -> tuple[tuple[int, Command], ...]:
    """Return the advice in messages of /truth/events, each with the control period of the policy's decision.

    Raises:
        BagError: an advice is no command.
    """
    events = (read_event(message) for message in messages)
    return tuple((event.seq, _command(event.text)) for event in events if event.kind is EventKind.ADVICE)


def _command(text: str) -> Command:
    try:
        found = codec.loads(text)
    except VlmBenchError as error:
        raise BagError(f'Advice in a bag cannot be read: {error}') from error
    if not isinstance(found, Command):
        raise BagError(f'Advice in a bag must be a command; found {type(found).__name__}. Was the bag written by this project?')
    return found

"""Late events, which arrive after their period. The judge republishes them with the period at which they counted, for the bag."""

from collections.abc import Iterable
from dataclasses import replace

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.codes import EventKind
from vlm_bench_tasks.judging.monitor import STOP_WATCH
from vlm_bench_tasks.judging.report import UNTIMED, Event

DECIDING = (EventKind.FAULT, EventKind.POLICY_TIMEOUT, EventKind.POLICY_FAULT, EventKind.ABANDONED)
"""Events that end an episode at the period at which they count."""


def too_late(event: Event, seq: int) -> bool:
    """Return whether an event that arrives at period `seq` should have changed the verdict before.

    A stop counts at its own period as long as the goal is still watched after it.
    """
    return (event.seq < seq and event.kind in DECIDING) or (event.kind is EventKind.STOP and event.seq + STOP_WATCH <= seq)


def late(event: Event, seq: int, source: str) -> Event:
    """Return an event that records that another event counted at period `seq`, or never (`UNTIMED`)."""
    return Event(seq, EventKind.LATE, source, codec.dumps(event))


def settled(events: Iterable[Event]) -> list[Event]:
    """Return the events with the periods at which they counted in the live run.

    Raises:
        VlmBenchError: the text of a LATE event does not hold an event.
    """
    told = list(events)
    heard = [(codec.read(event.text, Event), event.seq) for event in told if event.kind is EventKind.LATE]
    left = [original for original, _ in heard]
    found = [replace(original, seq=seq) for original, seq in heard if seq != UNTIMED]
    for event in told:
        if event in left:
            left.remove(event)
        elif event.kind is not EventKind.LATE:
            found.append(event)
    return found

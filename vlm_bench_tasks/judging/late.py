"""Events that were heard after their period: the judge tells them again with the period at which they counted, so that a bag says it."""

from collections.abc import Iterable
from dataclasses import replace

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.codes import EventKind
from vlm_bench_tasks.judging.report import UNTIMED, Event

DECIDING = (EventKind.FAULT, EventKind.POLICY_TIMEOUT, EventKind.ABANDONED)
"""What ends an episode at the period at which it counts."""


def late(event: Event, seq: int, source: str) -> Event:
    """Return the event that says that another one counted at period `seq`; `UNTIMED`: that it never did."""
    return Event(seq, EventKind.LATE, source, codec.dumps(event))


def settled(events: Iterable[Event]) -> list[Event]:
    """Return the events with the periods at which they counted when they were heard.

    Raises:
        VlmBenchError: one says of something that it came late, and that is no event.
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

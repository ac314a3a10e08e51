"""The expert's waypoints in a bag: a pose, a hand and a sentence for each of its steps, with the control period at which it began."""

from pathlib import Path

from vlm_bench_sim.bags import reader
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.errors import BagError
from vlm_bench_tasks.judging.messages import read_event
from vlm_bench_tasks.judging.report import EventKind
from vlm_bench_tasks.policies.waypoints import Waypoint


def waypoints(path: Path) -> tuple[tuple[int, Waypoint], ...]:
    """Return the waypoints of the bag at `path`, each with its control period; none where no expert played.

    Raises:
        BagError: there is no bag, it is damaged, or a waypoint in it is none.
    """
    events = (read_event(message) for message in reader.events(reader.open_bag(path)))
    return tuple((event.seq, codec.read(event.text, Waypoint, BagError)) for event in events if event.kind is EventKind.WAYPOINT)

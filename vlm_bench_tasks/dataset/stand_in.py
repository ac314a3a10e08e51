"""Judge a bag by the truth of what stood in for a real arm: the verdict with which that of its tracker's judge is compared."""

from bisect import bisect_left
from dataclasses import replace
from typing import Any

from vlm_bench_sim.bags import reader
from vlm_bench_sim.core.timing import STEPS_PER_PERIOD
from vlm_bench_sim.ros.fields import read_snapshot, read_stamp
from vlm_bench_sim.ros.names import STAND_IN_STATE, WORLD_STATE
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.judging.fold import Limits
from vlm_bench_tasks.judging.late import settled
from vlm_bench_tasks.judging.messages import read_event
from vlm_bench_tasks.judging.monitor import Monitor
from vlm_bench_tasks.judging.report import UNTIMED, Report


def truth(bag: reader.Bag, episode: Episode) -> Report | None:
    """Return the report of the judge that sees everything, on the recorded truth from the first observed control period on.

    The stand-in counts periods by itself, so an event counts at the first true state that is not before its observed one. None: the bag
    holds no truth of its episode.

    Raises:
        BagError: the bag is damaged.
    """
    if STAND_IN_STATE.name not in bag.topics:
        return None
    observed = [read_stamp(message.header.stamp) for _, _, message in bag.messages(WORLD_STATE.name)]
    token = reader.episode_truth(bag).token
    told = [(read_stamp(message.header.stamp), message) for _, _, message in bag.messages(STAND_IN_STATE.name) if message.token == token]
    states = [(ns, message) for ns, message in told if observed and ns >= observed[0]]
    if not states:
        return None
    stamps = [ns for ns, _ in states]
    monitor = Monitor(episode.goal, Limits(episode.horizon, episode.step_limit))
    for event in settled(map(read_event, reader.events(bag))):
        if event.seq != UNTIMED:
            monitor.event(replace(event, seq=bisect_left(stamps, observed[min(event.seq, len(observed) - 1)])))
    for seq, (_, state) in enumerate(states):
        monitor.observe(_numbered(state, seq))
    return monitor.give_up('the bag ends before a verdict')


def _numbered(state: Any, seq: int) -> Any:
    return replace(read_snapshot(state), seq=seq, step=seq * STEPS_PER_PERIOD)

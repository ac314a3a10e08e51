"""Judge a bag by the truth of what stood in for a real arm: the verdict with which that of its tracker's judge is compared."""

from dataclasses import replace
from typing import Any

from vlm_bench_sim.bags import reader
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.core.timing import STEPS_PER_PERIOD
from vlm_bench_sim.ros.fields import read_snapshot, read_stamp
from vlm_bench_sim.ros.names import STAND_IN_STATE, WORLD_STATE
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.judging.fold import Limits
from vlm_bench_tasks.judging.late import settled
from vlm_bench_tasks.judging.messages import read_event
from vlm_bench_tasks.judging.monitor import Monitor
from vlm_bench_tasks.judging.report import UNTIMED, Report


def holds_truth(bag: reader.Bag) -> bool:
    """Return whether a stand-in recorded its truth in a bag."""
    return STAND_IN_STATE.name in bag.topics and bag.topics[STAND_IN_STATE.name].count > 0


def truth(bag: reader.Bag, episode: Episode) -> Report:
    """Return the report of the judge that sees everything, on the recorded truth from the first observed control period on.

    The stand-in counts periods by itself, so an event counts at the first true state that is not before its observed one.

    Raises:
        BagError: the bag holds no such truth, or is damaged.
    """
    observed = [read_stamp(message.header.stamp) for _, _, message in bag.messages(WORLD_STATE.name)]
    token = reader.episode_truth(bag).token
    states = [message for _, _, message in bag.messages(STAND_IN_STATE.name) if message.token == token]
    states = [state for state in states if observed and read_stamp(state.header.stamp) >= observed[0]]
    if not states:
        raise BagError(f'{bag.path} holds nothing on {STAND_IN_STATE.name} of its episode. Start the driver with truth:=true.')
    stamps = [read_stamp(state.header.stamp) for state in states]
    monitor = Monitor(episode.goal, Limits(episode.horizon, episode.step_limit))
    for event in settled(map(read_event, reader.events(bag))):
        if event.seq != UNTIMED:
            when = observed[min(event.seq, len(observed) - 1)]
            monitor.event(replace(event, seq=sum(stamp < when for stamp in stamps)))
    for seq, state in enumerate(states):
        monitor.observe(_numbered(state, seq))
    return monitor.give_up('the bag ends before a verdict')


def _numbered(state: Any, seq: int) -> Any:
    return replace(read_snapshot(state), seq=seq, step=seq * STEPS_PER_PERIOD)

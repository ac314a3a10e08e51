"""Judge a recorded episode again: from its truth channel and the goal stored in it, never from the report that was recorded.

Where a person judged, the truth channel holds the person's answers, among the events.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from vlm_bench_sim.bags import reader
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.core.snapshot import state_hash
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.judging.fold import Limits
from vlm_bench_tasks.judging.judges import TRUTH, judge_for
from vlm_bench_tasks.judging.messages import read_event, read_report
from vlm_bench_tasks.judging.report import NOT_SAID, Event, EventKind, Report


@dataclass(frozen=True)
class Judgement:
    """What a bag shows.

    Attributes:
        episode: as it was stored.
        report: our own judgement.
        recorded: the report in the bag; None where it holds none.
        hashes: recorded state hash of each control period.
    """

    episode: Episode
    report: Report
    recorded: Report | None
    hashes: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        """True where the two reports say the same of the episode."""
        if self.recorded is None:
            return False
        ours = replace(self.report, score=NOT_SAID) if self.recorded.score == NOT_SAID else self.report
        return _said(ours) == _said(self.recorded)


def judge(path: Path) -> Judgement:
    """Return the judgement of the bag at `path`.

    A truth channel whose states do not fit their own hashes is a fault of the bench: the verdict is unobservable.

    Raises:
        BagError: there is no bag, it is damaged, or it holds no episode.
    """
    bag = reader.open_bag(path)
    truth = reader.episode_truth(bag)
    episode = Episode.from_json(truth.episode)
    hashes = reader.state_hashes(bag)
    judged_by = getattr(truth, 'judged_by', '') or TRUTH  # older bags do not say
    report = replace(_fold(bag, episode, hashes, judged_by), token=truth.token)
    try:
        recorded = read_report(reader.report(bag))
    except BagError:
        recorded = None
    return Judgement(episode, report, recorded, hashes)


def _fold(bag: reader.Bag, episode: Episode, hashes: tuple[str, ...], judged_by: str) -> Report:
    monitor = judge_for(judged_by, episode.goal, Limits(episode.horizon, episode.step_limit))
    for message in reader.events(bag):
        monitor.event(read_event(message))
    for snapshot, written in zip(reader.snapshots(bag), hashes, strict=True):
        if state_hash(snapshot) != written:
            monitor.event(Event(snapshot.seq, EventKind.FAULT, 'judge', f'the state of period {snapshot.seq} does not fit its hash'))
        monitor.observe(snapshot)
    return replace(monitor.report, judged_by=judged_by, conditions=episode.disturbance.conditions)


def _said(report: Report) -> Report:
    """Return what a report says of the episode, without who judged and with what."""
    return replace(report, judged_by='', isolation='', versions=(), token='')

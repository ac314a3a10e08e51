"""Judge a recorded episode again, from its ground-truth topics and the stored goal. The recorded verdict is not used.

If a person judged the episode, the person's answers are among the recorded events. If a tracker observed it, the recorded report gives the
tracker's accuracy.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vlm_bench_sim.bags import reader
from vlm_bench_sim.core.codes import EventKind
from vlm_bench_sim.core.errors import BagError, ExtensionError, VlmBenchError
from vlm_bench_sim.core.snapshot import Snapshot, state_hash
from vlm_bench_tasks.contact_guess import Guessing, read
from vlm_bench_tasks.dataset import stand_in
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.judging.fold import Fold
from vlm_bench_tasks.judging.judges import TRACKER, TRUTH, read_episode
from vlm_bench_tasks.judging.late import settled
from vlm_bench_tasks.judging.messages import read_event, read_report
from vlm_bench_tasks.judging.report import NOT_SAID, Event, Report


@dataclass(frozen=True)
class Judgement:
    """The judgement of a bag.

    Attributes:
        told: task, axis, split and seed according to the bag's metadata.
        episode: the stored episode; None if it cannot be read.
        report: the new judgement.
        recorded: the report in the bag; None if there is none.
        hashes: recorded state hash of each control period.
        truth: the judgement of the truth that a stand-in for a real arm recorded; None if the bag holds none.
    """

    told: dict[str, Any]
    episode: Episode | None
    report: Report
    recorded: Report | None
    hashes: tuple[str, ...]
    truth: Report | None = None

    @property
    def agrees(self) -> bool:
        """Whether both reports agree on the episode."""
        if self.recorded is None:
            return False
        ours = replace(self.report, score=NOT_SAID) if self.recorded.score == NOT_SAID else self.report
        return _said(ours) == _said(self.recorded)


def _ignored(_now: Snapshot, _report: Report) -> None:
    pass


def judge(path: Path, *, seen: Callable[[Snapshot, Report], None] = _ignored) -> Judgement:
    """Judge the bag at `path` again.

    Args:
        path: the bag.
        seen: receives the state of each control period with the report up to it; events of later periods are not in it.

    The verdict is unobservable, a fault of the bench, if recorded states do not match their own hashes, if the episode cannot be read, or
    if it ends before a verdict.

    Raises:
        BagError: the bag is missing, damaged, or holds no episode.
        ExtensionError: its episode needs an extension that is not here, or that has changed.
        VlmBenchError: the recorded report cannot be read.
    """
    bag = reader.open_bag(path)
    truth = reader.episode_truth(bag)
    hashes = reader.state_hashes(bag)
    judged_by = getattr(truth, 'judged_by', '') or TRUTH  # older bags do not contain this field
    guess = _guess(bag) if judged_by == TRACKER else None
    episode, monitor = read_episode(truth.episode, judged_by, guess)
    perturbations = episode.perturbation.labels if episode else ()
    report = replace(_fold(bag, monitor, hashes, seen), judged_by=judged_by, perturbations=perturbations, token=truth.token)
    recorded = _recorded(bag)
    told = {'task': truth.task, 'axis': truth.axis, 'split': truth.split, 'seed': int(truth.seed)}
    true = stand_in.truth(bag, episode) if episode is not None else None
    judgement = Judgement(told, episode, report, recorded, hashes, true)
    if episode is None and not judgement.agrees:  # else it could not be read where it was played, either
        _check_extensions(truth.episode, path)
    return judgement


def _check_extensions(text: str, path: Path) -> None:
    """Check that it is not for want of an extension that the JSON of an episode cannot be read.

    Raises:
        ExtensionError: it is.
    """
    try:
        Episode.from_json(text)
    except VlmBenchError as error:
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, ExtensionError):
            cause = cause.__cause__
        if cause is not None:
            raise ExtensionError(f'{path} cannot be judged here: {cause}') from error


def _recorded(bag: reader.Bag) -> Report | None:
    try:
        return read_report(reader.report(bag))
    except BagError:
        return None


def _guess(bag: reader.Bag) -> Guessing:
    """Return who tells the contacts: with the robot of the bag, and with the accuracy of the tracker that its report names."""
    recorded = _recorded(bag)
    return Guessing(reader.robot(bag), read(recorded.versions if recorded else ()))


def _fold(bag: reader.Bag, monitor: Fold, hashes: tuple[str, ...], seen: Callable[[Snapshot, Report], None]) -> Report:
    for event in settled(map(read_event, reader.events(bag))):
        monitor.event(event)
    for snapshot, written in zip(reader.snapshots(bag), hashes, strict=True):
        if state_hash(snapshot) != written:
            monitor.event(Event(snapshot.seq, EventKind.FAULT, 'judge', f'the state of period {snapshot.seq} does not match its hash'))
        seen(snapshot, monitor.observe(snapshot))
    return monitor.give_up(f'the bag ends at control period {monitor.report.seq}, before a verdict')


def _said(report: Report) -> Report:
    """Return a report without the fields that tell who judged and with which versions."""
    return replace(report, judged_by='', isolation='', versions=(), token='')

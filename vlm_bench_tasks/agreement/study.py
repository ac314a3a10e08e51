"""Judge successes and near misses of the expert twice: by everything, and by what trackers of three kinds would have told."""

from math import radians

from pydantic import BaseModel, ConfigDict

from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.pose_tracker import Accuracy
from vlm_bench_sim.core.sighting import Sight
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.motion.contact_estimator import ContactEstimator
from vlm_bench_sim.motion.observed import Blindfold
from vlm_bench_tasks.agreement.near_misses import Film, Halted, Miss, Solved, candidates, first_held
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.goals.units import reported
from vlm_bench_tasks.judging.fold import Limits
from vlm_bench_tasks.judging.monitor import judge
from vlm_bench_tasks.judging.report import Report
from vlm_bench_tasks.judging.tracker_judge import TrackerJudge
from vlm_bench_tasks.run import Bench, bench_for
from vlm_bench_tasks.trial import Trial

LEVELS = {
    'exact': Sight(),
    'fine': Sight(Accuracy(0.0005, radians(0.2)), delay=0.05, drop_out=0.02),
    'coarse': Sight(Accuracy(0.002, radians(0.5)), delay=0.1, drop_out=0.1),
}
"""The trackers: an exact one, one like motion capture, and one like a camera that sees markers."""

SUCCESS = 'success'
"""The kind of a case that is no near miss."""

AFTERWARDS = 45
"""Control periods that follow a film, so that a judge who looks back has seen what came next."""

TRIES = 12
"""Greatest number of candidates that are played for one near miss."""


class Clause(BaseModel):
    """A clause of the goal at the end: its word, whether it holds, and what is told by each tracker; None: left open."""

    model_config = ConfigDict(frozen=True)

    word: str
    holds: bool
    told: dict[str, bool | None]


class Case(BaseModel):
    """One episode that was judged by everything and by each tracker.

    Attributes:
        task, axis, split, seed: of the episode.
        kind: 'success', or one of `near_misses.KINDS`.
        verdict: of the judge that sees everything.
        told: the verdict by each tracker.
        causes: its first cause by each tracker; '' if there is none.
        clauses: at the end.
    """

    model_config = ConfigDict(frozen=True)

    task: str
    axis: str
    split: str
    seed: int
    kind: str
    verdict: str
    told: dict[str, str]
    causes: dict[str, str]
    clauses: tuple[Clause, ...]


def cases(trial: Trial, number: int) -> tuple[Case, ...]:
    """Return the success of an episode, and one near miss of it of kind `number` or a later one.

    Both are missing if the expert fails. The near miss is missing if none of `TRIES` candidates is one.
    """
    bench, episode = bench_for(trial), trial.build()
    film = Film()
    report = _played(bench, episode, Halted(film), film)
    if report.verdict is not Verdict.SUCCESS:
        return ()
    whole = Solved(episode, film, first_held(episode, film))
    found = [_case(trial, episode, film, kind=SUCCESS, report=report)]
    for count, miss in enumerate(candidates(whole, number)):
        if count == TRIES:
            break
        missed = Film()
        report = _missed(bench, miss, missed)
        judged = judge(episode.goal, Limits(episode.horizon, episode.step_limit), missed.snapshots, missed.events)
        if judged.verdict is Verdict.FAILURE and not all(leaf.holds for leaf in judged.leaves):  # else it is a success that was cut short
            found.append(_case(trial, episode, missed, kind=miss.kind, report=judged))
            break
    return tuple(found)


def _played(bench: Bench, episode: Episode, player: Halted, film: Film, *observers: '_Hand') -> Report:
    report = bench.run(episode, player, film, *observers).report
    for _ in range(AFTERWARDS):
        film.period(bench.world.step())
    return report


def _missed(bench: Bench, miss: Miss, film: Film) -> Report:
    player = Halted(film, lambda seq: seq >= miss.stops)
    return _played(bench, miss.episode, player, film, _Hand(bench, miss))


class _Hand:
    """Does once what makes a near miss."""

    def __init__(self, bench: Bench, miss: Miss) -> None:
        self._bench, self._miss = bench, miss

    def period(self, snapshot: Snapshot) -> None:
        """Meddle at the control period of the near miss."""
        if snapshot.seq == self._miss.stops:
            for name, pose in self._miss.moves:
                self._bench.world.place(name, pose)
            if self._miss.halts:
                self._bench.world.hold_arm()

    def event(self, event: object) -> None:
        """Ignore events."""


def _case(trial: Trial, episode: Episode, film: Film, *, kind: str, report: Report) -> Case:
    bench = bench_for(trial)
    judges = {level: _blind(bench, episode, film, level=level, seed=trial.seed) for level in LEVELS}
    ends = {level: judge.report for level, judge in judges.items()}
    told = {level: _told(judge, len(report.leaves)) for level, judge in judges.items()}
    clauses = tuple(
        Clause(word=_word(clause), holds=leaf.holds, told={level: told[level][i] for level in told})
        for i, (clause, leaf) in enumerate(zip(reported(episode.goal), report.leaves, strict=True))
    )
    return Case(
        task=trial.task, axis=trial.axis, split=trial.split, seed=trial.seed, kind=kind, verdict=report.verdict.value, clauses=clauses,
        told={level: end.verdict.value for level, end in ends.items()},
        causes={level: end.causes[0] if end.causes else '' for level, end in ends.items()},
    )  # fmt: skip


def _blind(bench: Bench, episode: Episode, film: Film, *, level: str, seed: int) -> TrackerJudge:
    """Return the judge of a film that a tracker has seen."""
    sight = LEVELS[level]
    guess = ContactEstimator(bench.kinematics, episode.scene, accuracy=sight.accuracy)
    judge, blindfold = (
        TrackerJudge(episode.goal, Limits(episode.horizon, episode.step_limit), guess=guess),
        Blindfold(bench.kinematics, episode.scene, sight=sight, seed=seed),
    )
    for event in film.events:
        judge.event(event)
    for now in film.snapshots:
        judge.observe(blindfold.observe(now))
    judge.give_up('the film ends')
    return judge


def _told(judge: TrackerJudge, count: int) -> list[bool | None]:
    """Return what both answers say of each clause; None where they differ, or where nothing was seen."""
    sure, possible = (answer.leaves for answer in judge.answers)
    if len(sure) != count or len(possible) != count:
        return [None] * count
    return [one.holds if one.holds == other.holds else None for one, other in zip(sure, possible, strict=True)]


def _word(clause: Goal) -> str:
    """Return the word of a clause: the class of a leaf, or that of a gate with its leaves."""
    inner = ' '.join(dict.fromkeys(_word(part) for part in clause.parts))
    return f'{type(clause).__name__} {inner}' if inner else type(clause).__name__

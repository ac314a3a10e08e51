"""The report of an episode, and the events that the judge needs besides snapshots."""

from dataclasses import dataclass

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.codes import EventKind, Verdict

NOT_SAID = -1.0
"""The score of reports from older versions, which had no score."""


UNTIMED = 2**64 - 1
"""Period of an event that counts when the judge receives it. The judge republishes it with the actual period, which counts in a bag."""


@serialisable
@dataclass(frozen=True)
class Event:
    """Something that the judge needs to know and snapshots do not show.

    Attributes:
        seq: control period at which it counts, after that period's snapshot.
        kind: kind of the event.
        source: who noticed it.
        text: cause of a fault, name of an aid, a person's answer about a clause, the dropped prop, the error added to a command, or the
            JSON of a Waypoint, of the Command that the expert advises, of a late Event, or of an Operator.
    """

    seq: int
    kind: EventKind
    source: str = ''
    text: str = ''


@serialisable
@dataclass(frozen=True)
class LeafReport:
    """One leaf or gate of the goal: its text, whether it holds, and its distance in its own unit (0 if it holds, -1 if not measured).

    What `Once` or a passed part of `Then` asks for holds from then on.
    """

    words: str
    holds: bool
    distance: float


@serialisable
@dataclass(frozen=True)
class Report:
    """The report so far, or the final one.

    Attributes:
        verdict: running until it is decided.
        seq: the newest control period, or the one that decided.
        sim_seconds: simulated time at that period.
        progress: share of the achievements reached, 0…1. Completed parts of a `Then` remain counted.
        score: 0…100 as in LoHoRavens: of the steps missing at the start, the share that is not missing now. What falls or is undone is lost
            again. `NOT_SAID` if the report has no score.
        reward: dense reward, 0…1.
        leaves: each leaf of the goal.
        causes: reasons for no success. The first is one word or clause, such as time_limit, stopped or policy_timeout.
        assistance: aids that were used, each once. Reports with different lists are not comparable.
        perturbations: active perturbations, each with its size and unit. Reports with different lists are not comparable.
        drops: how often a perturbation opened the gripper.
        violations: number of commands outside the episode.
        judged_by: truth, tracker, person or nobody.
        isolation: domain, names or none.
        versions: name=version of everything that affects the score.
        token: token of the episode.
    """

    verdict: Verdict = Verdict.RUNNING
    seq: int = 0
    sim_seconds: float = 0.0
    progress: float = 0.0
    score: float = 0.0
    reward: float = 0.0
    leaves: tuple[LeafReport, ...] = ()
    causes: tuple[str, ...] = ()
    assistance: tuple[str, ...] = ()
    perturbations: tuple[str, ...] = ()
    drops: int = 0
    violations: int = 0
    judged_by: str = 'truth'
    isolation: str = 'none'
    versions: tuple[str, ...] = ()
    token: str = ''

    @property
    def failed_leaves(self) -> tuple[str, ...]:
        """The text of each leaf that does not hold."""
        return tuple(leaf.words for leaf in self.leaves if not leaf.holds)


def score(lacks: int, steps: int) -> float:
    """Return the score, 0…100, if `lacks` steps are missing now and `steps` were at the start. It is never below 0."""
    if steps == 0:
        return 0.0 if lacks else 100.0
    return 100.0 * max(0.0, 1.0 - lacks / steps)

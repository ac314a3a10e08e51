"""The judgement of an episode, and what the judge must know that no snapshot shows."""

from dataclasses import dataclass

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.codes import EventKind, Verdict

NOT_SAID = -1.0
"""The score of a report from before there were scores."""


UNTIMED = 2**64 - 1
"""The period of an event that counts when the judge hears it. The judge tells it again with the period: from a bag, that one counts."""


@serialisable
@dataclass(frozen=True)
class Event:
    """Something that the judge must know and no snapshot shows.

    Attributes:
        seq: the control period at which it counts, after that period's snapshot.
        kind: what it means.
        source: who noticed it.
        text: cause of a fault, name of an aid, what a person said of a clause, the prop that was dropped, by how much a command was off,
            the JSON of a Waypoint, that of the Command which the expert advised, or that of an Event which came late.
    """

    seq: int
    kind: EventKind
    source: str = ''
    text: str = ''


@serialisable
@dataclass(frozen=True)
class LeafReport:
    """One leaf of the goal: in words, whether it holds, and its distance in its own unit (0 where it holds, -1 where nobody measured)."""

    words: str
    holds: bool
    distance: float


@serialisable
@dataclass(frozen=True)
class Report:
    """The judgement so far, or the final one.

    Attributes:
        verdict: running until it is decided.
        seq: the newest control period, or the one that decided.
        sim_seconds: simulated time at that period.
        progress: share of the achievements made, 0…1; what the elements of a `Then` have come to stays made.
        score: 0…100 as LoHoRavens counts, of the steps that were missing at the start the share that is not missing now: what falls or is
            undone is lost again; `NOT_SAID` where nobody said.
        reward: dense, 0…1.
        leaves: each leaf of the goal.
        causes: why not success; the first is one word or clause, such as time_limit, stopped or policy_timeout.
        assistance: aids that were used, each once; reports with different lists are not comparable.
        perturbations: perturbations that were on, each with its size and unit; reports with different lists are not comparable.
        drops: how often a perturbation made the gripper let go.
        violations: commands outside the episode.
        judged_by: truth, tracker, person or nobody.
        isolation: domain, names or none.
        versions: name=version of all that decides a score.
        token: of the episode.
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
        """The leaves that do not hold, in words."""
        return tuple(leaf.words for leaf in self.leaves if not leaf.holds)


def score(lacks: int, steps: int) -> float:
    """Return 0…100 for an episode that lacks so many steps and lacked `steps` at its start; what was undone besides cannot make it less."""
    if steps == 0:
        return 0.0 if lacks else 100.0
    return 100.0 * max(0.0, 1.0 - lacks / steps)

"""Judge for episodes without observed props: a person answers at the end, or the verdict is unobservable."""

from collections.abc import Mapping
from dataclasses import replace
from functools import singledispatch

from vlm_bench_sim.core.codes import EventKind, Verdict
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import PHYSICS_HZ, STEPS_PER_PERIOD
from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.goals.logic import All, Any, AtEnd, Never, Not
from vlm_bench_tasks.judging.asking import asking
from vlm_bench_tasks.judging.fold import Fold, Limits
from vlm_bench_tasks.judging.report import Event, LeafReport, score


@singledispatch
def clauses(goal: Goal) -> tuple[Goal, ...]:
    """Return the clauses of a goal that a person is asked about: its leaves, and words of time as a whole."""
    return (goal,)


@clauses.register(All)
@clauses.register(Any)
@clauses.register(AtEnd)
@clauses.register(Not)
def _of_now(goal: Goal) -> tuple[Goal, ...]:
    return tuple(clause for part in goal.parts for clause in clauses(part))


def questions(goal: Goal) -> tuple[str, ...]:
    """Return the clauses of a goal as text, each once.

    Raises:
        Unobservable: the goal raises.
    """
    with asking():
        return tuple(dict.fromkeys(clause.words() for clause in clauses(goal)))


def holds(goal: Goal, said: Mapping[str, bool]) -> bool:
    """Return whether a goal is true, given the answers by the text of its clauses."""
    if isinstance(goal, (All, AtEnd)):
        return all(holds(part, said) for part in goal.parts)
    if isinstance(goal, Any):
        return any(holds(part, said) for part in goal.goals)
    if isinstance(goal, Not):
        return not holds(goal.goal, said)
    return said[goal.words()]


def answer_text(said: str, clause: str, reason: str = '') -> str:
    """Return the text of an ANSWER event, with the person's reason on a second line. `said` is yes, no or unsure."""
    words = ' '.join(reason.split())
    return f'{said} {clause}' + (f'\n{words}' if words else '')


class PersonJudge(Fold):
    """Judges one episode by a person's answers once it is over: the policy has stopped, or a limit is reached.

    From then on the running report holds the cause, and the judge waits for one ANSWER event per clause.

    Args:
        goal: goal of the episode.
        limits: limits of the episode.
        person: True if a person answers; otherwise the verdict is unobservable.
    """

    def __init__(self, goal: Goal, limits: Limits, *, person: bool) -> None:
        super().__init__(limits)
        self._goal, self._person = goal, person
        self._clauses = questions(goal)
        self._said: dict[str, bool] = {}
        self._over = ''

    def wants_time(self) -> bool:
        """Return False: a person's answer takes no simulated time."""
        return False

    @property
    def _sees(self) -> bool:
        return not self._over

    def _see(self, now: Snapshot) -> None:
        over = self._limits.passed(now)
        if over:
            self._end(over, now.seq)

    def _take(self, event: Event) -> None:
        if event.kind is EventKind.STOP:
            self._stop(event.seq)
        elif event.kind is EventKind.ANSWER:
            self._hear(event.text)
        else:
            super()._take(event)

    def _stop(self, seq: int) -> None:
        # A real robot does not wait. The event may arrive after later periods, or after a limit, but counts at its own period.
        if not self._over or seq < self._report.seq:
            self._end('stopped', seq)

    def _end(self, cause: str, seq: int) -> None:
        self._over = cause
        self._report = replace(self._report, causes=(cause,), seq=seq, sim_seconds=seq * STEPS_PER_PERIOD / PHYSICS_HZ)
        if not self._person:
            self._decide(Verdict.UNOBSERVABLE, 'nobody judges: there is neither a tracker nor a person', cause)

    def _hear(self, text: str) -> None:
        answer, _, reason = text.partition('\n')
        said, _, clause = answer.partition(' ')
        if not self._over or clause not in self._clauses:
            return
        if said not in ('yes', 'no'):
            why = f': {reason}' if reason else ''
            self._decide(Verdict.UNOBSERVABLE, f'the person cannot tell whether {clause}{why}', self._over)
            return
        self._said[clause] = said == 'yes'
        self._describe()
        if len(self._said) == len(self._clauses):
            success = holds(self._goal, self._said)
            self._decide(Verdict.SUCCESS if success else Verdict.FAILURE, *(() if success else (self._over,)))

    def _describe(self) -> None:
        leaves = [LeafReport(words, said, 0.0 if said else -1.0) for words, said in self._said.items()]
        weighty = _achievements(self._goal)
        made = sum(self._said.get(words, False) for words in weighty)
        progress = made / len(weighty) if weighty else float(all(self._said.values()))
        points = score(len(weighty) - made + _broken(self._goal, self._said), len(weighty))
        self._report = replace(self._report, leaves=tuple(leaves), progress=progress, score=points, reward=progress)


def _achievements(goal: Goal) -> tuple[str, ...]:
    """Return the clauses that count as progress. Gates do not count."""
    if isinstance(goal, (Not, Never)):
        return ()
    return tuple(words for part in goal.parts for words in _achievements(part)) if isinstance(goal, (All, Any, AtEnd)) else (goal.words(),)


def _broken(goal: Goal, said: Mapping[str, bool]) -> int:
    """Return the number of gates that the person calls violated."""
    if isinstance(goal, Not):
        return int(all(clause.words() in said for clause in clauses(goal.goal)) and holds(goal.goal, said))
    if isinstance(goal, Never):
        return int(not said.get(goal.words(), True))
    return sum(_broken(part, said) for part in goal.parts) if isinstance(goal, (All, Any, AtEnd)) else 0

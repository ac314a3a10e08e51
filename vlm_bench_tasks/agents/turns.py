"""The rules of the loop of planner, actor and reporter, whether they are called or send messages. No bad answer ends it."""

from collections import Counter
from dataclasses import KW_ONLY, dataclass, field
from enum import Enum

from vlm_bench_tasks.agents.roles import DONE, Problem, StepFault, StepReport

STEPS = 20
"""Steps at most, those counted that could not be carried out."""


@dataclass(frozen=True)
class Turn:
    """One turn of the loop.

    Attributes:
        step: what the planner said; '' where that was nothing to do anything with.
        report: what the reporter said afterwards.
        problems: what was wrong with the answers of planner and reporter, and with the deed.
    """

    step: str
    report: StepReport
    problems: tuple[Problem, ...] = ()


@dataclass
class Dialogue:
    """What came of an instruction.

    Attributes:
        turns: so far.
        done: True once the planner has said that it is done.
    """

    turns: list[Turn] = field(default_factory=list)
    done: bool = False

    @property
    def problems(self) -> Counter[StepFault]:
        """How many problems there were of each kind."""
        return Counter(problem.fault for turn in self.turns for problem in turn.problems)


class Awaited(Enum):
    """Whose turn it is."""

    REPORT = 'report'
    STEP = 'step'
    DEED = 'deed'
    NOTHING = 'nothing'


@dataclass
class Turns:
    """Who answers next, and what an answer comes to. An answer that is not awaited is nothing.

    Attributes:
        course: what has come of it so far.
        steps: at most.
        awaits: whose turn it is.
        reports: all that the planner is told; the first was made before any step.
        step: what is to be done or was done last; '' where the planner said nothing to do anything with.
        problems: of this turn so far.
    """

    course: Dialogue
    steps: int = STEPS
    _: KW_ONLY
    awaits: Awaited = Awaited.REPORT
    reports: tuple[StepReport, ...] = ()
    step: str = ''
    problems: tuple[Problem, ...] = ()

    @property
    def number(self) -> int:
        """Number of the report that is awaited or was made last; the first has 0."""
        return len(self.reports) - (self.awaits is not Awaited.REPORT)

    @property
    def answer_due(self) -> bool:
        """True where planner or reporter has to answer."""
        return self.awaits in (Awaited.STEP, Awaited.REPORT)

    @property
    def unheard(self) -> StepReport:
        """What the planner is told where it said nothing to do anything with: nobody looks, for nothing has moved."""
        return StepReport('', self.problems[0].text if self.problems else '')

    def say(self, answer: str | Problem) -> str:
        """Take in what the planner says; return the step to do, `DONE`, or '' where there is nothing to do."""
        if self.awaits is not Awaited.STEP:
            return ''
        if isinstance(answer, str) and not answer.strip():
            answer = Problem(StepFault.EMPTY, f'The planner said nothing. Let it say a step, or {DONE}.')
        if isinstance(answer, Problem):
            self.step, self.problems, self.awaits = '', (answer,), Awaited.REPORT
        elif answer == DONE:
            self.course.done, self.awaits = True, Awaited.NOTHING
            return DONE
        else:
            self.step, self.problems, self.awaits = answer, (), Awaited.DEED
        return self.step

    def did(self, problem: Problem | None) -> None:
        """Take in what the actor came to."""
        if self.awaits is Awaited.DEED:
            self.problems = (problem,) if problem else ()
            self.awaits = Awaited.REPORT

    def hear(self, answer: StepReport | Problem) -> None:
        """Take in what the reporter says; a turn is over then."""
        if self.awaits is not Awaited.REPORT:
            return
        report = answer if isinstance(answer, StepReport) else StepReport()
        if isinstance(answer, Problem):
            self.problems += (answer,)
        if self.reports:
            self.course.turns.append(Turn(self.step, report, self.problems))
        self.reports += (report,)
        self.awaits = Awaited.STEP if len(self.course.turns) < self.steps else Awaited.NOTHING

    def end(self) -> None:
        """Take in that the episode is over. A step that had begun counts, though nobody has reported on it."""
        if self.reports and self.awaits in (Awaited.DEED, Awaited.REPORT):
            self.course.turns.append(Turn(self.step, StepReport(), self.problems))
        self.awaits = Awaited.NOTHING

    def late(self, seconds: float) -> None:
        """Count an answer of planner or reporter that has not come within `seconds` of wall clock, and go on without it."""
        if self.awaits is Awaited.STEP:
            self.say(
                Problem(StepFault.TIMEOUT, f'The planner has not answered in {seconds:g} s. Give it more time, or see whether it runs.')
            )
        elif self.awaits is Awaited.REPORT:
            self.hear(
                Problem(StepFault.TIMEOUT, f'The reporter has not answered in {seconds:g} s. Give it more time, or see whether it runs.')
            )

"""Rules of the loop of planner, actor and reporter, for calls and for messages alike. Bad answers do not end the loop."""

from collections import Counter
from dataclasses import KW_ONLY, dataclass, field
from enum import Enum

from vlm_bench_tasks.agents.roles import DONE, Problem, StepFault, StepReport

STEPS = 20
"""Greatest number of steps, including those that could not be executed."""


@dataclass(frozen=True)
class Turn:
    """One turn of the loop.

    Attributes:
        step: the planner's step; '' if its answer was unusable.
        report: the report afterwards.
        problems: problems with the answers of planner and reporter, and with the execution.
    """

    step: str
    report: StepReport
    problems: tuple[Problem, ...] = ()


@dataclass
class Dialogue:
    """The dialogue about an instruction.

    Attributes:
        turns: the turns so far.
        done: True once the planner has said that it is done.
    """

    turns: list[Turn] = field(default_factory=list)
    done: bool = False

    @property
    def problems(self) -> Counter[StepFault]:
        """The number of problems of each kind."""
        return Counter(problem.fault for turn in self.turns for problem in turn.problems)


class Awaited(Enum):
    """Whose turn it is."""

    REPORT = 'report'
    STEP = 'step'
    DEED = 'deed'
    NOTHING = 'nothing'


@dataclass
class Turns:
    """State machine of the loop: whose turn it is, and the effect of each answer. Answers out of turn are ignored.

    Attributes:
        course: the dialogue so far.
        steps: greatest number of steps.
        awaits: whose turn it is.
        reports: all reports for the planner. The first was made before any step.
        step: the current or last step; '' if the planner's answer was unusable.
        problems: problems of this turn so far.
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
        """Number of the awaited or last report, from 0."""
        return len(self.reports) - (self.awaits is not Awaited.REPORT)

    @property
    def answer_due(self) -> bool:
        """True if planner or reporter must answer."""
        return self.awaits in (Awaited.STEP, Awaited.REPORT)

    @property
    def unheard(self) -> StepReport:
        """The report after an unusable answer of the planner. The reporter is not asked, since nothing has moved."""
        return StepReport('', self.problems[0].text if self.problems else '')

    def say(self, answer: str | Problem) -> str:
        """Process the planner's answer. Return the step to execute, `DONE`, or '' if there is nothing to do."""
        if self.awaits is not Awaited.STEP:
            return ''
        if isinstance(answer, str) and not answer.strip():
            answer = Problem(StepFault.EMPTY, f'The planner said nothing. It must answer with a step or {DONE}.')
        if isinstance(answer, Problem):
            self.step, self.problems, self.awaits = '', (answer,), Awaited.REPORT
        elif answer == DONE:
            self.course.done, self.awaits = True, Awaited.NOTHING
            return DONE
        else:
            self.step, self.problems, self.awaits = answer, (), Awaited.DEED
        return self.step

    def did(self, problem: Problem | None) -> None:
        """Process the actor's result."""
        if self.awaits is Awaited.DEED:
            self.problems = (problem,) if problem else ()
            self.awaits = Awaited.REPORT

    def hear(self, answer: StepReport | Problem) -> None:
        """Process the reporter's answer, which ends the turn."""
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
        """End the episode. A step in progress counts, although it has no report."""
        if self.reports and self.awaits in (Awaited.DEED, Awaited.REPORT):
            self.course.turns.append(Turn(self.step, StepReport(), self.problems))
        self.awaits = Awaited.NOTHING

    def late(self, seconds: float) -> None:
        """Record a timeout of planner or reporter after `seconds` of wall-clock time, and continue without the answer."""
        if self.awaits is Awaited.STEP:
            self.say(
                Problem(StepFault.TIMEOUT, f'The planner has not answered in {seconds:g} s. Give it more time, or see whether it runs.')
            )
        elif self.awaits is Awaited.REPORT:
            self.hear(
                Problem(StepFault.TIMEOUT, f'The reporter has not answered in {seconds:g} s. Give it more time, or see whether it runs.')
            )

"""The closed loop: planner, actor, reporter, until the planner is done or the steps are used up. No bad answer ends it."""

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from vlm_bench_sim.core.command import Command, Stop
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.agents.actor import carry_out
from vlm_bench_tasks.agents.roles import DONE, Fault, Planner, Problem, Report, Reporter
from vlm_bench_tasks.policy import Briefing, Observation
from vlm_bench_tasks.skills import CommandFailed, Means

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
    report: Report
    problems: tuple[Problem, ...] = ()


@dataclass
class Course:
    """What came of an instruction.

    Attributes:
        turns: so far.
        done: True once the planner has said that it is done.
    """

    turns: list[Turn] = field(default_factory=list)
    done: bool = False

    @property
    def problems(self) -> Counter[Fault]:
        """How many problems there were of each kind."""
        return Counter(problem.fault for turn in self.turns for problem in turn.problems)


@dataclass(frozen=True)
class Crew:
    """Who plans and who reports, and how many steps they have at most."""

    planner: Planner
    reporter: Reporter
    steps: int = STEPS


def pursue(instruction: str, crew: Crew, means: Means, now: Observation, course: Course) -> Generator[Command, Observation, None]:
    """Follow an instruction: yield commands, be sent what is seen after each, and write down in `course` what happens.

    Raises:
        VlmBenchError: an observation shows no truth, which the actor needs.
    """
    reports = [_heard(crew.reporter.report('', now, now), [])]
    while len(course.turns) < crew.steps:
        step = _said(crew.planner.next_step(instruction, tuple(reports)))
        if step == DONE:
            course.done = True
            return
        if isinstance(step, Problem):
            report, said, problems = Report('', step.text), '', [step]
        else:
            before, said = now, step
            now, problem = yield from _acted(step, means, now)
            problems = [problem] if problem else []
            report = _heard(crew.reporter.report(step, before, now), problems)
        course.turns.append(Turn(said, report, tuple(problems)))
        reports.append(report)


def _said(answer: str | Problem) -> str | Problem:
    silent = isinstance(answer, str) and not answer.strip()
    return Problem(Fault.EMPTY, f'The planner said nothing. Let it say a step, or {DONE}.') if silent else answer


def _heard(answer: Report | Problem, problems: list[Problem]) -> Report:
    if isinstance(answer, Report):
        return answer
    problems.append(answer)
    return Report()


def _acted(step: str, means: Means, now: Observation) -> Generator[Command, Observation, tuple[Observation, Problem | None]]:
    deed = carry_out(step, _truth(now), means)
    try:
        command = next(deed)
        while True:
            now = yield command
            command = deed.send(_truth(now)) if now.outcome.done else deed.throw(CommandFailed(now.outcome.text))
    except StopIteration as ended:
        return now, ended.value


def _truth(now: Observation) -> Snapshot:
    if now.truth is None:
        raise VlmBenchError('The actor was shown no truth. It can only run where the world state is known.')
    return now.truth


class Team:
    """The loop as a policy, so that whatever runs and judges a policy runs and judges it.

    Args:
        planner: is told the instruction and the reports, nothing else.
        reporter: from the scene to a reporter.
        steps: at most.

    Attributes:
        course: of the episode.
        failures: what went wrong on the way, in words.
    """

    privileged: ClassVar[bool] = True

    def __init__(self, planner: Planner, reporter: Callable[[Scene], Reporter], *, steps: int = STEPS) -> None:
        self._planner, self._reporter, self._steps = planner, reporter, steps
        self.course = Course()

    @property
    def failures(self) -> Sequence[str]:
        """What went wrong on the way, in words."""
        return [problem.text for turn in self.course.turns for problem in turn.problems]

    def reset(self, briefing: Briefing) -> None:
        """Begin an episode.

        Raises:
            VlmBenchError: the briefing holds no scene or no planner of motions.
        """
        if briefing.secret is None:
            raise VlmBenchError('The actor needs the scene and a planner of motions; it was told neither. Is it run as a scored policy?')
        self._instruction = briefing.instruction
        self._means = Means(briefing.profile, briefing.secret.scene, briefing.secret.planner)
        self._crew = Crew(self._planner, self._reporter(briefing.secret.scene), self._steps)
        self.course = Course()
        self._going: Generator[Command, Observation, None] | None = None

    def act(self, observation: Observation) -> Command:
        """Return the next command; `Stop()` when the planner is done or the steps are used up."""
        try:
            if self._going is None:
                self._going = pursue(self._instruction, self._crew, self._means, observation, self.course)
                return next(self._going)
            return self._going.send(observation)
        except StopIteration:
            return Stop()

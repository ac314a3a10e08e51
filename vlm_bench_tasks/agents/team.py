"""The closed loop in one process: planner, actor and reporter take turns until the planner is done or the steps are used up."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import ClassVar

from vlm_bench_sim.core.command import Command, Stop
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.scene import Scene
from vlm_bench_tasks.agents.actor import Doing, carry_out, truth
from vlm_bench_tasks.agents.roles import DONE, Planner, Problem, Reporter, unread
from vlm_bench_tasks.agents.turns import STEPS, Awaited, Dialogue, Turns
from vlm_bench_tasks.policy import EpisodeContext, Observation, Player
from vlm_bench_tasks.skills import SkillContext


@dataclass(frozen=True)
class Crew:
    """The planner, the reporter, and their greatest number of steps."""

    planner: Planner
    reporter: Reporter
    steps: int = STEPS


def pursue(
    instruction: str, crew: Crew, skill_context: SkillContext, now: Observation, course: Dialogue
) -> Generator[Command, Observation, None]:
    """Follow an instruction: yield commands, receive the observation after each, and record the dialogue in `course`.

    Raises:
        VlmBenchError: an observation has no ground truth, which the actor needs.
    """
    turns = Turns(course, crew.steps)
    turns.hear(crew.reporter.report('', now, now))
    while turns.awaits is Awaited.STEP:
        step = turns.say(crew.planner.next_step(instruction, turns.reports))
        if not step:
            turns.hear(turns.unheard)
        elif step != DONE:
            before = now
            now, problem = yield from _acted(step, skill_context, now)
            turns.did(problem)
            turns.hear(crew.reporter.report(step, before, now))


def _acted(step: str, skill_context: SkillContext, now: Observation) -> Generator[Command, Observation, tuple[Observation, Problem | None]]:
    doing = Doing(carry_out(step, truth(now), skill_context), truth)
    while (command := doing.act(now)) is not None:
        now = yield command
    return now, doing.problem


class Team(Player):
    """The loop as a policy, so that it can be run and judged like any policy.

    Args:
        planner: the planner. It receives only the instruction and the reports.
        reporter: function from the scene to a reporter.
        steps: greatest number of steps.

    Attributes:
        course: dialogue of the episode.
    """

    privileged: ClassVar[bool] = True

    def __init__(self, planner: Planner, reporter: Callable[[Scene], Reporter], *, steps: int = STEPS) -> None:
        self._planner, self._reporter, self._steps = planner, reporter, steps
        self.course = Dialogue()

    @property
    def failures(self) -> tuple[str, ...]:
        """Descriptions of the problems in this episode."""
        return tuple(problem.text for turn in self.course.turns for problem in turn.problems)

    def reset(self, context: EpisodeContext) -> None:
        """Begin an episode.

        Raises:
            VlmBenchError: the context holds no scene or no motion planner, or the instruction holds pictures.
        """
        if context.privileged_info is None:
            raise VlmBenchError('The actor needs the scene and a motion planner, but received neither. Do not run it as a scored policy.')
        if problem := unread(context.instruction):
            raise VlmBenchError(problem.text)
        self._instruction = context.instruction
        self._skill_context = SkillContext(context.profile, context.privileged_info.scene, context.privileged_info.planner)
        self._crew = Crew(self._planner, self._reporter(context.privileged_info.scene), self._steps)
        self.course = Dialogue()
        self._going: Generator[Command, Observation, None] | None = None

    def act(self, observation: Observation) -> Command:
        """Return the next command; `Stop()` if the planner is done or the steps are used up."""
        try:
            if self._going is None:
                self._going = pursue(self._instruction, self._crew, self._skill_context, observation, self.course)
                return next(self._going)
            return self._going.send(observation)
        except StopIteration:
            return Stop()

"""The expert: knows the goal and the true state, and touches the world through commands only."""

from dataclasses import replace
from inspect import GEN_CREATED, getgeneratorstate
from typing import ClassVar

from vlm_bench_sim.core.codec import dumps
from vlm_bench_sim.core.command import Command, Stop
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.policies.waypoints import Situation, waypoint
from vlm_bench_tasks.policy import EpisodeContext, Observation, Player
from vlm_bench_tasks.skills import CommandFailed, Dropped, Skill, SkillContext, SkillFailed, skill_for
from vlm_bench_tasks.skills.clearing import hands_free

ATTEMPTS = 4
"""Skills in a row that may fail without bringing the plan nearer. One that fails before it has moved anything would only
fail again, unless something is held, which is then laid aside."""

DROPS = 60
"""How often a hand may let go by itself, which is nobody's failure."""


class Oracle(Player):
    """Follows the episode's plan with skills, and plans again from wherever a failed skill left things."""

    privileged: ClassVar[bool] = True

    def __init__(self) -> None:
        self._skill: Skill | None = None
        self._failures: list[str] = []
        self._waypoint = ''

    def reset(self, context: EpisodeContext) -> None:
        """Begin an episode.

        Raises:
            VlmBenchError: the context holds no episode or no planner.
        """
        if context.privileged_info is None:
            raise VlmBenchError(
                'The oracle needs the scene, the plan and a planner; it was told none of them. Is it run as a scored policy?'
            )
        self._plan: Goal = context.privileged_info.plan
        self._skill_context = SkillContext(context.profile, context.privileged_info.scene, context.privileged_info.planner)
        self._start: Snapshot | None = None
        self._skill, self._failures = None, []
        self._attempts = self._drops = self._most = 0
        self._acted = False
        self._step, self._waypoint = 0, ''

    @property
    def failures(self) -> tuple[str, ...]:
        """What went wrong in this episode and was tried again, each in words."""
        return tuple(self._failures)

    @property
    def waypoint(self) -> str:
        """The JSON of the waypoint that the last command leads to; '' for none."""
        return self._waypoint

    def replan(self) -> None:
        """Forget what was being done: the next command is the first of a plan from however things stand then."""
        self._skill, self._attempts, self._acted = None, 0, False

    def act(self, observation: Observation) -> Command:
        """Return the next command of the plan; `Stop()` when the plan is done or no way is left.

        Raises:
            VlmBenchError: it is not shown the truth.
        """
        now = observation.truth
        if now is None:
            raise VlmBenchError('The oracle was shown no truth. It can only run where the world state is known.')
        if self._start is None:
            self._start, self._skill_context = now, replace(self._skill_context, start=now)
        command = self._command(observation, now, self._start)
        found = waypoint(self._step, command, Situation(self._skill_context.scene, self._plan, now, self._start))
        self._step, self._waypoint = (self._step + 1, dumps(found)) if found else (self._step, '')
        return command

    def _command(self, observation: Observation, now: Snapshot, start: Snapshot) -> Command:
        while self._attempts < ATTEMPTS and self._drops < DROPS:
            try:
                command = self._next(observation, now)
                self._acted = True
                return command
            except StopIteration:
                if self._plan.holds(now, start):
                    break
                self._failed('The plan was carried out and its goal does not hold.', now, start)
            except Dropped as dropped:
                self._skill, self._drops = None, self._drops + 1
                self._failures.append(str(dropped))
            except (SkillFailed, CommandFailed) as failed:
                self._failed(str(failed), now, start)
        return Stop()

    def _failed(self, text: str, now: Snapshot, start: Snapshot) -> None:
        """Count a failure, from one on again where more of the plan is done than ever before."""
        done = sum(leaf.holds(now, start) for leaf in self._plan.leaves())
        self._attempts = 1 if done > self._most else self._attempts + 1
        self._skill, self._most = None, max(self._most, done)
        if not self._acted:
            # The same skill would only fail again, unless what is held can be taken otherwise.
            self._skill, self._attempts = (self._afresh(), self._attempts) if now.held else (None, ATTEMPTS)
        self._failures.append(text)

    def _afresh(self) -> Skill:
        """Put aside what is held, and begin the plan again."""
        now = yield from hands_free(self._skill_context)
        return (yield from skill_for(self._plan, now, self._skill_context))

    def _next(self, observation: Observation, now: Snapshot) -> Command:
        if self._skill is None:
            self._skill = skill_for(self._plan, now, self._skill_context)
        if getgeneratorstate(self._skill) == GEN_CREATED:
            self._acted = False
            return next(self._skill)
        if observation.outcome.done:
            return self._skill.send(now)
        return self._skill.throw(CommandFailed(observation.outcome.text))

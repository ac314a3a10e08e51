"""The expert policy: it knows the goal and the true state, but acts only through commands."""

from dataclasses import replace
from inspect import GEN_CREATED, getgeneratorstate
from typing import ClassVar

from vlm_bench_sim.core.codec import dumps
from vlm_bench_sim.core.codes import EventKind, Note
from vlm_bench_sim.core.command import Command, Stop
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.policies.waypoints import Situation, waypoint
from vlm_bench_tasks.policy import EpisodeContext, Observation, Player
from vlm_bench_tasks.skills import CommandFailed, Dropped, Skill, SkillContext, SkillFailed, skill_for
from vlm_bench_tasks.skills.clearing import hands_free

ATTEMPTS = 4
"""Greatest number of consecutive skill failures without progress of the plan. If a skill fails before it has moved anything, it
would only fail again, unless a prop is held. Then the prop is put aside first."""

DROPS = 60
"""How often the gripper may drop something by itself. A drop is not a failure of the expert."""


class Oracle(Player):
    """Follows the episode's plan with skills. After a failed skill it plans again from the present state."""

    privileged: ClassVar[bool] = True

    def __init__(self) -> None:
        self._skill: Skill | None = None
        self._failures: list[str] = []
        self._notes: tuple[Note, ...] = ()

    def reset(self, context: EpisodeContext) -> None:
        """Begin an episode.

        Raises:
            VlmBenchError: the context holds no episode or no planner.
        """
        if context.privileged_info is None:
            raise VlmBenchError(
                'The oracle needs the scene, the plan and a planner; it received none of them. Is it run as a scored policy?'
            )
        self._plan: Goal = context.privileged_info.plan
        self._skill_context = SkillContext(context.profile, context.privileged_info.scene, context.privileged_info.planner)
        self._start: Snapshot | None = None
        self._skill, self._failures = None, []
        self._attempts = self._drops = self._most = 0
        self._acted = False
        self._step, self._notes = 0, ()

    @property
    def failures(self) -> tuple[str, ...]:
        """Descriptions of the failures in this episode after which it tried again."""
        return tuple(self._failures)

    @property
    def notes(self) -> tuple[Note, ...]:
        """The skills that ended before the last command and that began with it, and the waypoint that it leads to."""
        return self._notes

    def replan(self) -> None:
        """Discard the current skill. The next command is the first of a new plan from the state at that time."""
        self._skill, self._attempts, self._acted = None, 0, False

    def act(self, observation: Observation) -> Command:
        """Return the next command of the plan; `Stop()` if the plan is done or nothing is left to try.

        Raises:
            VlmBenchError: the observation has no ground truth.
        """
        now = observation.truth
        if now is None:
            raise VlmBenchError('The oracle received no ground truth. It can only run where the world state is known.')
        if self._start is None:
            self._start, self._skill_context = now, replace(self._skill_context, start=now)
        self._skill_context.progress.see(self._plan, now, self._start)
        command = self._command(observation, now, self._start)
        self._notes = self._noted(command, now, self._start)
        return command

    def _noted(self, command: Command, now: Snapshot, start: Snapshot) -> tuple[Note, ...]:
        """Return the events that go with a command."""
        trace = self._skill_context.trace
        ended = trace.ended()
        if isinstance(command, Stop):
            return ended
        leaves = self._skill_context.progress.leaves(self._plan)
        begun = trace.begun(leaves)
        found = waypoint(self._step, command, Situation(self._skill_context.scene, leaves, now, start, trace.serves))
        if found is None:
            return (*ended, *begun)
        self._step += 1
        return (*ended, *begun, (EventKind.WAYPOINT, dumps(found)))

    def _command(self, observation: Observation, now: Snapshot, start: Snapshot) -> Command:
        while self._attempts < ATTEMPTS and self._drops < DROPS:
            try:
                command = self._next(observation, now)
                self._acted = True
                return command
            except StopIteration:
                if self._skill_context.progress.done(self._plan, now, start):
                    break
                self._failed('The plan was carried out and its goal does not hold.', now, start)
            except Dropped as dropped:
                self._skill, self._drops = None, self._drops + 1
                self._failures.append(str(dropped))
            except (SkillFailed, CommandFailed) as failed:
                self._failed(str(failed), now, start)
        return Stop()

    def _failed(self, text: str, now: Snapshot, start: Snapshot) -> None:
        """Count a failure. Restart the count at 1 if more of the plan is done than ever before."""
        done = self._skill_context.progress.latched + sum(leaf.holds(now, start) for leaf in self._plan.leaves())
        self._attempts = 1 if done > self._most else self._attempts + 1
        self._skill, self._most = None, max(self._most, done)
        if not self._acted:
            # The same skill would only fail again, unless the held prop can be grasped differently.
            self._skill, self._attempts = (self._afresh(), self._attempts) if now.held else (None, ATTEMPTS)
        self._failures.append(text)

    def _afresh(self) -> Skill:
        """Put aside the held prop, and begin the plan again."""
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

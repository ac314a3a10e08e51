"""A policy in this process with its aids (`core.aids`). The report lists the aids in use as assistance.

They act outside the guard around the policy. An error in an aid is therefore never counted as the policy's fault.
"""

from dataclasses import replace
from typing import ClassVar

from vlm_bench_sim.core.aids import STEPS
from vlm_bench_sim.core.assisted_world import AssistedWorld
from vlm_bench_sim.core.codes import Note
from vlm_bench_sim.core.command import Command, Stop
from vlm_bench_sim.core.protocols import World
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.agents.step_aid import next_steps
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.evaluation.lending import lent
from vlm_bench_tasks.judging.guide import Guide
from vlm_bench_tasks.judging.report import Event
from vlm_bench_tasks.policy import EpisodeContext, Observation, Player
from vlm_bench_tasks.run import Bench


class Aided(Player):
    """Plays a policy together with its aids. It also observes the run, for aids that need it.

    Args:
        player: the guarded policy.
        aids: names of the aids.
        bench: plays the episode.
        episode: the episode to play.
    """

    def __init__(self, player: Player, aids: tuple[str, ...], *, bench: Bench, episode: Episode) -> None:
        self._player, self._aids, self._bench, self._episode = player, aids, bench, episode
        self._lent = lent(bench.profile.name, episode, aids)
        steps = next_steps(episode.instruction.text, episode.scene) if STEPS in aids else None
        self._guide = Guide(episode.goal, episode.plan or episode.goal, aids=aids, steps=steps)

    def assisted(self, world: World) -> World:
        """Return the world that takes the policy's commands, for a scene that was just loaded."""
        world = AssistedWorld(world, self._aids, planner=lambda: self._bench.planner)
        world.begin(self._episode.scene, self._lent)
        return world

    def reset(self, context: EpisodeContext) -> None:
        """Start an episode."""
        self._context, self._told = context, ''
        self._guide.see(self._bench.world.snapshot)
        self._tell()

    def act(self, observation: Observation) -> Command:
        """Return the policy's next command, or `Stop()` if an aid stops it."""
        if self._guide.stop:
            return Stop()
        self._tell()
        return self._player.act(observation)

    def period(self, snapshot: Snapshot) -> None:
        """Pass the snapshot of a control period to the aids."""
        self._guide.see(snapshot)

    def event(self, event: Event) -> None:
        """Ignore the event."""

    @property
    def assistance(self) -> tuple[str, ...]:
        """The names of the aids."""
        return self._aids

    @property
    def notes(self) -> tuple[Note, ...]:
        """The policy's notes."""
        return self._player.notes

    @property
    def fault(self) -> str:
        """The policy's fault."""
        return self._player.fault

    @property
    def failures(self) -> tuple[str, ...]:
        """The failures that the policy reported."""
        return self._player.failures

    def _tell(self) -> None:
        """Reset the policy if its instruction has changed."""
        told = self._guide.subgoal or self._context.instruction
        if told != self._told:
            self._told = told
            pictures = () if self._guide.subgoal else self._context.pictures  # a subgoal is told in words
            self._player.reset(replace(self._context, instruction=told, pictures=pictures))


class KnowingAided(Aided):
    """The same for a privileged policy, which observes the simulator's ground truth."""

    privileged: ClassVar[bool] = True


def aided(player: Player, aids: tuple[str, ...], bench: Bench, episode: Episode) -> Aided:
    """Return a policy with its aids, for one episode in a bench. Pass its `assisted` to the run, too."""
    kind = KnowingAided if player.privileged else Aided
    return kind(player, aids, bench=bench, episode=episode)

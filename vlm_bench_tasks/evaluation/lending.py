"""What the expert lends to the aids gripper_state and given_grasp: it plays the episode beforehand."""

from collections.abc import Collection
from typing import ClassVar

from vlm_bench_sim.core.aids import GRASP, HAND, LENDING
from vlm_bench_sim.core.command import Chunk, Command, Stop, ToolPose
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.core.lent import NOTHING, Hands, Lent
from vlm_bench_sim.core.protocols import World
from vlm_bench_sim.core.world_wrapper import WorldWrapper
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.policy import EpisodeContext, Observation, Player
from vlm_bench_tasks.trial import Trial


class _Tap(WorldWrapper):
    """Notes the commands that reach the robot, each with the control period after which it begins."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.noted: list[tuple[int, Chunk | Grip | Seal]] = []

    def apply(self, command: Command) -> None:
        if isinstance(command, Chunk | Grip | Seal):
            self.noted.append((self.snapshot.seq, command))
        super().apply(command)


class _Noted(Player):
    """Plays as the expert does. Notes its gripper commands after each tool pose, and when it first holds something."""

    privileged: ClassVar[bool] = True

    def __init__(self, aids: Collection[str]) -> None:
        self._oracle, self._aids, self._hands = Oracle(), aids, list[tuple[Grip | Seal, ...]]()
        self._lent, self._grasped = NOTHING, False

    def tapped(self, world: World) -> World:
        """Return the world that takes the expert's commands."""
        self._tap = _Tap(world)
        return self._tap

    @property
    def lent(self) -> Lent:
        """What the aids in use need. What the hand did up to a given grasp is not given again."""
        hands: Hands = tuple(self._hands) if HAND in self._aids else ()
        return Lent(hands, self._lent.grasp, self._lent.until)

    def reset(self, context: EpisodeContext) -> None:
        self._oracle.reset(context)

    def act(self, observation: Observation) -> Command:
        now = observation.truth
        if GRASP in self._aids and not self._grasped and now is not None and now.held:
            self._grasped = True
            if self._tap.noted:  # otherwise the episode begins with something held
                self._lent = Lent(grasp=tuple(self._tap.noted), until=now.seq)
                self._hands.clear()
            if HAND not in self._aids:
                return Stop()
        command = self._oracle.act(observation)
        if isinstance(command, ToolPose):
            self._hands.append(())
        elif isinstance(command, Grip | Seal) and self._hands:
            self._hands[-1] += (command,)
        return command


def lent(robot: str, episode: Episode, aids: Collection[str]) -> Lent:
    """Return what the expert lends to the aids in use; nothing, and it plays nothing, if none of them needs it."""
    if not LENDING & set(aids):
        return NOTHING
    from vlm_bench_tasks.run import bench_for  # physics and planner, which the task node needs for these aids alone

    noted = _Noted(aids)
    trial = Trial(episode.task, episode.axis, episode.split, episode.seed, robot)
    bench_for(trial).run(episode, noted, assisted=noted.tapped)
    return noted.lent

"""The expert's gripper commands in an episode, for the aid gripper_state."""

from typing import ClassVar

from vlm_bench_sim.core.assisted_world import Hands
from vlm_bench_sim.core.command import Command, ToolPose
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.policy import EpisodeContext, Observation, Player
from vlm_bench_tasks.trial import Trial


class _Noted(Player):
    """Plays as the expert does, and records its gripper commands after each tool pose."""

    privileged: ClassVar[bool] = True

    def __init__(self) -> None:
        self._oracle, self.hands = Oracle(), list[tuple[Grip | Seal, ...]]()

    def reset(self, context: EpisodeContext) -> None:
        self._oracle.reset(context)

    def act(self, observation: Observation) -> Command:
        command = self._oracle.act(observation)
        if isinstance(command, ToolPose):
            self.hands.append(())
        elif isinstance(command, Grip | Seal) and self.hands:
            self.hands[-1] += (command,)
        return command


def expert_hands(robot: str, episode: Episode) -> Hands:
    """Play an episode with the expert, and return its gripper commands after each of its tool poses."""
    from vlm_bench_tasks.run import bench_for  # physics and planner, which the task node needs for this aid alone

    noted = _Noted()
    bench_for(Trial(episode.task, episode.axis, episode.split, episode.seed, robot)).run(episode, noted)
    return tuple(noted.hands)

"""Adviser: expert actions in the states that another policy visits, for learning (DAgger, Ross et al. 2011)."""

from math import dist, radians

from vlm_bench_sim.core.command import Command, ToolPose
from vlm_bench_sim.core.gripper import Grip
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.policy import EpisodeContext, Observation

_NEAR, _TURNED = 0.01, radians(5.0)  # m and rad within which two tool poses count as the same command
_WIDE = 2e-3  # m of opening


class Adviser:
    """Continues its plan if the policy followed the advice, and plans again if not. It never acts itself."""

    def __init__(self) -> None:
        self._oracle = Oracle()
        self._heeded = True
        self._advised: Command | None = None

    def reset(self, context: EpisodeContext) -> None:
        """Begin an episode.

        Raises:
            VlmBenchError: the context holds no privileged information.
        """
        self._oracle.reset(context)
        self._heeded, self._advised = True, None

    def advise(self, observation: Observation) -> Command:
        """Return the expert's next command in this state; `Stop()` if the plan is done or nothing is left to try.

        Args:
            observation: observation with the ground truth. The first of an episode must show its start.

        Raises:
            VlmBenchError: the observation has no ground truth.
        """
        if not self._heeded:
            self._oracle.replan()
        self._advised = self._oracle.act(observation)
        return self._advised

    def see(self, command: Command) -> None:
        """Receive the command that the policy chose."""
        self._heeded = self._advised is not None and _alike(self._advised, command)


def _alike(advised: Command, done: Command) -> bool:
    if isinstance(advised, ToolPose) and isinstance(done, ToolPose):
        return dist(advised.pose.position, done.pose.position) < _NEAR and advised.pose.angle(done.pose) < _TURNED
    if isinstance(advised, Grip) and isinstance(done, Grip):
        return abs(advised.opening - done.opening) < _WIDE
    return advised == done

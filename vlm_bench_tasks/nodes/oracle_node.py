"""The expert as a node: it observes the truth, queries the arm node, and moves the robot through the same actions as any policy.

Around a real arm it observes what a tracker sees.
"""

import sys
from typing import Any

from vlm_bench_sim import profiles
from vlm_bench_sim.core.command import Command, Stop
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.process import run
from vlm_bench_sim.ros import names
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.nodes.acting.commander import Act
from vlm_bench_tasks.nodes.acting.truth import KNOWING, Truth
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.policy import EpisodeContext, Observation, PrivilegedInfo
from vlm_bench_tasks.variation.streams import Streams


class OracleNode:
    """Runs an Oracle, one command after another."""

    def __init__(self) -> None:
        self._node = BenchNode('oracle_node', KNOWING)
        self._profile = profiles.robot(self._node.values['robot'])
        self._truth = Truth(self._node)
        self._commander = self._truth.commander('oracle_node', self._profile)
        self._node.subscribe(names.EPISODE_TRUTH, self._on_episode)

    def spin_once(self) -> None:
        """Process callbacks."""
        self._node.spin_once(0.1)
        self._commander.turn()

    def close(self) -> None:
        """Destroy the node."""
        self._node.close()

    def _on_episode(self, truth: Any) -> None:
        try:
            episode = Episode.from_json(truth.episode)
        except VlmBenchError as error:
            self._node.log.error(f'An episode that cannot be solved was ignored: {error}')
            return
        self._truth.lay_out(episode.scene)
        oracle = Oracle()
        privileged_info = PrivilegedInfo(episode.scene, episode.plan or episode.goal, self._commander.planner)
        oracle.reset(EpisodeContext(episode.instruction.text, self._profile, privileged_info))
        self._commander.begin(truth.token, Streams(episode.task, episode.split, episode.seed))
        self._commander.do(self._thinking(oracle), truth=True, finished=lambda: None, notes=lambda: oracle.notes)

    def _thinking(self, oracle: Oracle) -> Act:
        def act(observation: Observation) -> Command:
            try:
                return oracle.act(observation)
            except VlmBenchError as error:
                self._node.log.error(f'The oracle gives up: {error}')
                return Stop()

        return act


def main() -> None:
    """Run the node."""
    sys.exit(run(OracleNode))


if __name__ == '__main__':
    main()

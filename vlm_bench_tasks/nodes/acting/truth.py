"""How nodes that may see the truth act: with a simulator's, or around a real arm with what a tracker sees."""

from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.tracking import TRACKER, accuracy
from vlm_bench_tasks.contact_guess import Beliefs, Guessing
from vlm_bench_tasks.nodes.acting.commander import Commander
from vlm_bench_tasks.nodes.acting.observation_sources import TruthSource

LOCKSTEP, REAL = 'lockstep', 'real'
KNOWING = TRACKER | {'robot': 'panda', 'mode': LOCKSTEP}
"""Parameters. `mode`: mode of the bench; 'real' for a real arm."""


def beliefs(node: BenchNode) -> Beliefs | None:
    """Return what a node with `KNOWING` believes where nothing sees contacts; None if a simulator does."""
    return Guessing(node.values['robot'], accuracy(node.values)).beliefs() if node.values['mode'] == REAL else None


class Truth:
    """The truth for one node with `KNOWING`."""

    def __init__(self, node: BenchNode) -> None:
        self._node, self._beliefs = node, beliefs(node)

    def commander(self, name: str, profile: RobotProfile) -> Commander:
        """Return what sends the commands of the node, given its name in the barrier."""
        source = TruthSource(self._node, self._beliefs)
        commander = Commander(self._node, profile, name=name, source=source, simulated=self._beliefs is None)
        source.tick = None if self._beliefs is None else commander.tick
        return commander

    def lay_out(self, scene: Scene) -> None:
        """Take the scene of an episode."""
        if self._beliefs is not None:
            self._beliefs.lay_out(scene)

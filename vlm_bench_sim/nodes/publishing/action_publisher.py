"""Publishes the commands to a world and their execution, from which an episode can be replayed."""

from collections.abc import Iterable

from vlm_bench_sim.core.unsteady import UnsteadyWorld
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.physics.world import SimulatedWorld
from vlm_bench_sim.ros import driver, names
from vlm_bench_sim.ros.convert import message


class ActionPublisher:
    """Publishes the actions of one world, each before the state that results from it.

    Args:
        node: the simulator's node.
        asked: the world that receives the commands.
        done: the world within it that executes them.
    """

    def __init__(self, node: BenchNode, *, asked: UnsteadyWorld, done: SimulatedWorld) -> None:
        self._asked, self._done, self._actions = asked, done, driver.Actions()
        self._publishers = {row: node.publisher(row) for row in (names.COMMANDED, names.APPLIED)}

    def begin(self, *, ns: int, token: str) -> None:
        """Publish that a scene was laid out without any action yet."""
        self._send(self._actions.laid_out(ns=ns, token=token))

    def publish(self, *, ns: int, token: str) -> None:
        """Publish new actions."""
        self._send(self._actions.news(self._asked.asked, self._done.history, ns=ns, token=token))

    def _send(self, told: Iterable[driver.Content]) -> None:
        for row, fields in told:
            self._publishers[row].publish(message(row.type, fields))

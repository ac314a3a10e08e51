"""The simulator, in place of a robot's driver."""

import sys
from typing import Any

from vlm_bench_sim import profiles
from vlm_bench_sim.core.codes import EventKind
from vlm_bench_sim.core.command import Stop
from vlm_bench_sim.core.lent import NOTHING, Lent
from vlm_bench_sim.core.perturbation import SeededPerturbation
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.process import run
from vlm_bench_sim.nodes.driving.driver import Driver
from vlm_bench_sim.nodes.driving.gate import Gate
from vlm_bench_sim.nodes.lockstep.pacing import LOCKSTEP, pacing
from vlm_bench_sim.nodes.simulation.load_scene_server import LoadSceneServer
from vlm_bench_sim.nodes.simulation.scene_editor import SimHooks
from vlm_bench_sim.nodes.simulation.sim_session import PARAMETERS, SimSession
from vlm_bench_sim.nodes.simulation.simulation_server import SimulationServer
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.convert import message


class SimNode:
    """A world, in lockstep or in realtime, behind a driver's interface."""

    def __init__(self) -> None:
        self._node = BenchNode('sim_node', PARAMETERS | {'mode': LOCKSTEP})
        profile = profiles.robot(self._node.values['robot'])
        self._show = SimSession(self._node, profile)
        self._barrier = self._show.barrier
        self._gate = Gate(
            paused=lambda: self._simulation.paused, given=lambda: self._show.driven.gives, warn=self._node.log.warning,
            tell=self._show.tell,
        )  # fmt: skip
        self._driver = Driver(self._node, profile, world=self._show.driven, gate=self._lets, clock_ns=lambda: self._show.clock_ns)
        self._simulation = SimulationServer(self._node, self._backstage())
        self._lag = self._node.publisher(names.LAG)
        self._pace = pacing(self._node.values['mode'], ready=self._ready, pauses=self._simulation, tell=self._tell_lag)
        LoadSceneServer(self._node, self._barrier, listeners=lambda: self._node.listeners(names.WORLD_STATE), load=self._load)
        self._reports = self._node.subscribe(names.REPORT, self._on_report)
        self._load(Scene(()), '', [], SeededPerturbation())

    def spin_once(self) -> None:
        """Handle pending callbacks and run the periods that are due; without an episode nobody acknowledges them."""
        self._node.spin_once(self._pace.wait())
        self._driver.serve_cancels()
        for _ in range(due := self._pace.due()):
            self._show.step()
            self._driver.update()
            self._simulation.stepped()
            self._pace.ran()
        if not (due or self._pace.flows):
            # State at once: the barrier may wait for a node that missed the tick. Pictures as the next period finds it, once cues are set.
            pictures = not self._driver.busy and (not self._gate.open or self._barrier.bench_is_ready())
            again = self._gate.open and self._barrier.tell_again()
            self._show.greet(truth=self._gate.open, pictures=pictures, again=again)
        self._barrier.name_awaited(needed=not due and self._needed)
        for cause in self._barrier.drop_silent() if self._gate.open else ():
            self._show.tell(EventKind.FAULT, cause)

    def close(self) -> None:
        """Abort running goals and free the world."""
        self._node.spin_last(self._shut_down)
        self._node.close()
        self._show.close()

    def _shut_down(self) -> None:
        self._driver.abort('The simulator shuts down.')
        self._simulation.close()

    def _backstage(self) -> SimHooks:
        return SimHooks(
            world=self._show.physics,
            robot=lambda: self._show.robot,
            clock_ns=lambda: self._show.clock_ns,
            abort=self._abort,
            show=lambda scene: self._show.change(scene, told=not self._gate.open),
            load=self._lay_out_again,
            tell=self._show.tell,
        )

    @property
    def _needed(self) -> bool:
        return self._simulation.step_due if self._simulation.paused else self._driver.busy or self._show.driven.gives

    def _ready(self) -> bool:
        if self._simulation.paused:
            return self._needed and (not self._gate.open or self._barrier.ready(busy=True))
        return self._gate.open and self._barrier.ready(busy=self._needed)

    def _lets(self, what: str) -> bool:
        self._node.serve_now(self._reports)
        return self._gate.lets(what)

    def _abort(self, cause: str) -> None:
        self._driver.abort(cause)
        self._show.driven.give_up()

    def _load(
        self, scene: Scene, token: str, participants: list[str], seeded_perturbation: SeededPerturbation, lent: Lent = NOTHING
    ) -> str:
        """Lay out a scene; the clock continues. Without a token nobody may move the robot."""
        lent.check(self._show.physics.profile)
        if token:
            self._driver.abort('The scene is being reset.')
        self._gate.open = False
        self._show.lay_out(scene, token, participants, seeded_perturbation, lent)
        self._pace.restart()
        self._simulation.loaded(scene)
        if token:
            self._gate.begin()
        return self._show.physics.state_hash()

    def _lay_out_again(self, scene: Scene) -> None:
        self._show.lay_out_again(scene)
        self._pace.restart()

    def _tell_lag(self, late: float) -> None:
        self._lag.publish(message(names.LAG.type, {'data': late}))

    def _on_report(self, report: Any) -> None:
        if report.token == self._show.token and self._gate.open:
            self._gate.open = False
            self._abort('The episode has ended.')
            self._show.physics.apply(Stop())


def main() -> None:
    """Run the node."""
    sys.exit(run(SimNode))


if __name__ == '__main__':
    main()

"""The simulator, where a robot's driver would stand."""

import sys
from collections import deque
from typing import Any

from vlm_bench_sim import profiles
from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core.command import Stop
from vlm_bench_sim.core.disturbance import Unrest
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.timing import PERIOD_NS, steps_to_ns
from vlm_bench_sim.core.unsteady import UnsteadyWorld
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.nodes.answers import EventKind, Events
from vlm_bench_sim.nodes.barrier_server import BarrierServer
from vlm_bench_sim.nodes.bench_node import BenchNode
from vlm_bench_sim.nodes.driver import Driver
from vlm_bench_sim.nodes.pacing import LOCKSTEP, pacing
from vlm_bench_sim.nodes.presenter import Presenter
from vlm_bench_sim.nodes.process import run
from vlm_bench_sim.nodes.scenery import Backstage
from vlm_bench_sim.nodes.simulation_server import SimulationServer
from vlm_bench_sim.nodes.stage_server import StageServer
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.convert import interface

MOST_VIOLATIONS = 100  # that are told of the time before an episode
PICTURES = {'cameras': 'vlmbench', 'width': 256, 'height': 256, 'camera_rate': 10.0}
PARAMETERS = PICTURES | {'robot': 'panda', 'mode': LOCKSTEP, 'participant_timeout': 10.0}


class SimNode:
    """A world, in lockstep or in realtime, behind a driver's interface."""

    def __init__(self) -> None:
        self._node = BenchNode('sim_node', PARAMETERS)
        values = self._node.values
        profile = profiles.robot(values['robot'])
        cameras = profiles.cameras(values['cameras'], values['width'], values['height'], robot=values['robot'])
        self._token, self._open, self._offset_ns = '', False, 0
        self._violations: deque[str] = deque(maxlen=MOST_VIOLATIONS)
        self._world, self._events = BulletWorld(profile), Events(self._node, 'sim_node')
        self._barrier = BarrierServer(self._node, patience=values['participant_timeout'], token=lambda: self._token)
        self._unsteady = UnsteadyWorld(self._world, Kinematics(profile), tell=self._tell)
        self._presenter = Presenter(self._node, self._unsteady, cameras=cameras, rate=values['camera_rate'])
        self._driver = Driver(self._node, profile, world=self._unsteady, gate=self._gate, clock_ns=lambda: self._clock_ns)
        self._simulation = SimulationServer(self._node, Backstage(
            world=self._world, robot=lambda: self._presenter.robot, clock_ns=lambda: self._clock_ns,
            abort=self._driver.abort, show=self._change, tell=self._tell,
            load=lambda scene: self._lay_out(scene, self._token, self._barrier.bench, self._unsteady.unrest),
        ))  # fmt: skip
        told, lag = self._node.publisher(names.LAG), interface(names.LAG.type)
        self._pace = pacing(values['mode'], ready=self._ready, pauses=self._simulation, tell=lambda late: told.publish(lag(data=late)))
        StageServer(self._node, self._barrier, listeners=lambda: self._node.listeners(names.WORLD_STATE), load=self._load)
        self._reports = self._node.subscribe(names.REPORT, self._on_report)
        self._load(Scene(()), '', [], Unrest())

    def spin_once(self) -> None:
        """Serve what has come in, and run the periods that are due; without an episode nobody acknowledges them."""
        self._node.spin_once(self._pace.wait())
        self._driver.serve_cancels()
        for _ in range(due := self._pace.due()):
            self._unsteady.step()
            self._publish()
            self._driver.update()
            self._simulation.stepped()
            self._pace.ran()
        if not (due or self._pace.flows or self._driver.busy) and (not self._open or self._barrier.bench_is_ready()):
            self._presenter.greet(ns=self._clock_ns)
        for cause in self._barrier.drop_silent() if self._open else ():
            self._tell(EventKind.FAULT, cause)

    def close(self) -> None:
        """Abort what runs and free the world."""
        self._driver.abort('The simulator shuts down.')
        self._simulation.close()
        for _ in range(10):
            self._node.spin_once(0.02)  # who waits for a result gets it
        self._node.close()
        self._world.close()

    @property
    def _clock_ns(self) -> int:
        return self._offset_ns + steps_to_ns(self._world.snapshot.step)

    def _ready(self) -> bool:
        if self._simulation.paused:
            return self._simulation.step_due and (not self._open or self._barrier.ready(busy=True))
        return self._open and self._barrier.ready(busy=self._driver.busy)

    def _gate(self, what: str) -> bool:
        self._node.serve_now(self._reports)
        if self._open and self._simulation.paused:
            self._node.log.warning(f'Ignored {what}: the simulation is paused.')
            return False
        if not self._open:
            self._node.log.warning(f'Ignored {what}: no episode is running.')
            self._violations.append(f'{what} while no episode was running')
        return self._open

    def _tell(self, kind: int, text: str) -> None:
        self._events.tell(kind, text, token=self._token, seq=self._world.snapshot.seq)

    def _load(self, scene: Scene, token: str, participants: list[str], unrest: Unrest) -> str:
        """Lay out a scene; the clock goes on. Without a token nobody may move the robot."""
        if token:
            self._driver.abort('The scene is being reset.')
        self._open = False
        self._lay_out(scene, token, participants, unrest)
        self._open = bool(token)
        self._simulation.loaded(scene)
        while self._violations and token:  # now somebody is there to hear of them, and a bag to hold them
            self._tell(EventKind.VIOLATION, self._violations.popleft())
        return self._world.state_hash()

    def _lay_out(self, scene: Scene, token: str, participants: list[str], unrest: Unrest) -> None:
        self._offset_ns = self._clock_ns + PERIOD_NS if token else self._offset_ns
        self._unsteady.load(scene, unrest)
        self._token = token
        self._barrier.restart(participants)
        self._pace.restart()
        self._presenter.load(scene, token)
        self._publish()

    def _change(self, scene: Scene) -> None:
        """Show what somebody has changed between two periods."""
        self._presenter.load(scene, self._token)
        if not self._open:
            self._publish()

    def _publish(self) -> None:
        self._presenter.publish(ns=self._clock_ns, token=self._token)
        self._barrier.tick(self._world.snapshot.seq)
        self._presenter.tick(ns=self._clock_ns, token=self._token)

    def _on_report(self, report: Any) -> None:
        if report.token == self._token and self._open:
            self._open = False
            self._driver.abort('The episode has ended.')
            self._world.apply(Stop())


def main() -> None:
    """Run the node."""
    sys.exit(run(SimNode))


if __name__ == '__main__':
    main()

"""The simulator, where a robot's driver would stand."""

import sys
from typing import Any

from vlm_bench_sim import profiles
from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.protocols import MotionState
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.timing import CONTROL_HZ, PERIOD_NS, steps_to_ns
from vlm_bench_sim.nodes.answers import INCORRECT_STATE, OK, EpisodeState, EventKind, Events, answer
from vlm_bench_sim.nodes.barrier_server import BarrierServer
from vlm_bench_sim.nodes.bench_node import BenchNode
from vlm_bench_sim.nodes.goal_server import Port
from vlm_bench_sim.nodes.gripper_server import GripperServer
from vlm_bench_sim.nodes.presenter import Presenter
from vlm_bench_sim.nodes.process import run
from vlm_bench_sim.nodes.scenery import Backstage
from vlm_bench_sim.nodes.simulation_server import SimulationServer
from vlm_bench_sim.nodes.trajectory_server import TrajectoryServer
from vlm_bench_sim.ros import names

SCENE_INVALID = 101
PARAMETERS = {'robot': 'panda', 'cameras': 'vlmbench', 'width': 256, 'height': 256, 'camera_rate': 10.0, 'participant_timeout': 10.0}


class SimNode:
    """A world in lockstep behind a driver's interface."""

    def __init__(self) -> None:
        self._node = BenchNode('sim_node', PARAMETERS)
        values = self._node.values
        profile = profiles.robot(values['robot'])
        cameras = profiles.cameras(values['cameras'], values['width'], values['height'])
        self._token, self._open, self._offset_ns = '', False, 0
        self._world = BulletWorld(profile)
        self._barrier = BarrierServer(self._node, values['participant_timeout'], lambda: self._token)
        self._events = Events(self._node, 'sim_node')
        every = max(1, round(CONTROL_HZ / values['camera_rate']))
        self._presenter = Presenter(self._node, self._world, cameras=cameras, every=every)
        self._arm = TrajectoryServer(self._node, profile, self._port(self._world.hold_arm))
        self._hand = GripperServer(self._node, profile, self._port(self._world.hold_gripper))
        self._simulation = SimulationServer(self._node, Backstage(
            world=self._world, robot=lambda: self._presenter.robot, clock_ns=lambda: self._clock_ns,
            abort=self._abort, show=self._change, load=self._reload, tell=self._tell,
        ))  # fmt: skip
        self._node.service(names.LOAD_SCENE, self._load_scene)
        self._node.subscribe(names.STATUS, self._on_status)
        self._load(Scene(()), '')

    def spin_once(self) -> None:
        """Serve what has come in, and run a period when the barrier lets it."""
        self._node.spin_once(0.0 if self._ready() else 0.05)
        self._arm.goals.serve_cancel()
        self._hand.goals.serve_cancel()
        if self._ready():
            self._world.step()
            self._publish()
            self._arm.update(self._world)
            self._hand.update(self._world)
            self._simulation.stepped()
        elif not self._busy():
            self._presenter.show(ns=self._clock_ns, pausing=True)
        for cause in self._barrier.drop_silent() if self._open else ():
            self._tell(EventKind.FAULT, cause)

    def close(self) -> None:
        """Abort what runs and free the world."""
        self._abort('The simulator shuts down.')
        self._simulation.close()
        self._node.close()
        self._world.close()

    @property
    def _clock_ns(self) -> int:
        return self._offset_ns + steps_to_ns(self._world.snapshot.step)

    def _port(self, halt: Any) -> Port:
        return Port(self._world.apply, halt, self._gate, lambda: self._clock_ns)

    def _busy(self) -> bool:
        return MotionState.RUNNING in (self._world.arm, self._world.gripper)

    def _ready(self) -> bool:
        if self._simulation.paused:
            return self._simulation.step_due and (not self._open or self._barrier.ready(busy=True))
        return self._open and self._barrier.ready(busy=self._busy())

    def _gate(self, what: str) -> bool:
        if self._simulation.paused:
            self._node.log.warning(f'Ignored {what}: the simulation is paused.')
            return False
        if not self._open:
            self._node.log.warning(f'Ignored {what}: no episode is running.')
            self._tell(EventKind.VIOLATION, f'{what} while no episode was running')
        return self._open

    def _tell(self, kind: EventKind, text: str) -> None:
        self._events.tell(kind, text, token=self._token, seq=self._world.snapshot.seq)

    def _load_scene(self, request: Any, response: Any) -> Any:
        if request.token == self._token:
            return self._loaded(response)  # the answer to the first request was lost
        missing = self._barrier.missing(request.participants)
        if missing:
            return answer(response, INCORRECT_STATE, f'{", ".join(missing)} has not joined yet. Start it, or wait.')
        if self._presenter.listeners < len(request.participants):
            return answer(
                response, INCORRECT_STATE, f'Only {self._presenter.listeners} of {request.participants} listen to the world state yet.'
            )
        try:
            self._load(codec.loads(request.scene), request.token)
        except VlmBenchError as error:
            return answer(response, SCENE_INVALID, str(error))
        return self._loaded(response)

    def _loaded(self, response: Any) -> Any:
        response.state_hash = self._world.state_hash()
        return answer(response, OK)

    def _load(self, scene: Scene, token: str) -> None:
        """Lay out a scene; the clock goes on. Without a token nobody may move the robot."""
        if token:
            self._abort('The scene is being reset.')
            self._offset_ns = self._clock_ns + PERIOD_NS
        self._open = False
        self._world.load(scene)
        self._token, self._open = token, bool(token)
        self._simulation.loaded(scene)
        self._begin(scene)

    def _reload(self, scene: Scene) -> None:
        """Lay out the scene of the episode again; the clock goes on."""
        self._offset_ns = self._clock_ns + PERIOD_NS
        self._world.load(scene)
        self._begin(scene)

    def _begin(self, scene: Scene) -> None:
        self._barrier.restart()
        self._presenter.load(scene, self._token)
        self._publish()

    def _change(self, scene: Scene) -> None:
        """Show what somebody has changed between two periods."""
        self._presenter.load(scene, self._token)
        if not self._open:
            self._publish()

    def _publish(self) -> None:
        self._barrier.tick(self._world.snapshot.seq)
        self._presenter.publish(ns=self._clock_ns, token=self._token)

    def _on_status(self, status: Any) -> None:
        if status.state == EpisodeState.ENDED and status.token == self._token and self._open:
            self._open = False
            self._abort('The episode has ended.')

    def _abort(self, reason: str) -> None:
        self._arm.goals.abort(reason)
        self._hand.goals.abort(reason)


def main() -> None:
    """Run the node."""
    sys.exit(run(SimNode))


if __name__ == '__main__':
    main()

"""Serves simulation_interfaces: features, simulation state and resets; entities and steps have their own servers."""

from typing import Any

from vlm_bench_sim.core.codes import EventKind
from vlm_bench_sim.core.command import Stop
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.nodes.base.answers import answer
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.refusable import refusable
from vlm_bench_sim.nodes.lockstep.stepping import Stepping
from vlm_bench_sim.nodes.simulation.entity_server import EntityServer
from vlm_bench_sim.nodes.simulation.scene_editor import ASSISTANCE, SceneEditor, SimHooks
from vlm_bench_sim.nodes.simulation.spawn_server import SpawnServer
from vlm_bench_sim.nodes.simulation.step_server import StepServer
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.convert import interface
from vlm_bench_sim.ros.simulation import CUSTOM_INFO, FEATURE_UNSUPPORTED, OK, SPAWN_FORMATS, Feature, Scope, State, scopes


class SimulationServer:
    """All services under the names of simulation_interfaces.

    If that package is missing or older than 2.1, nothing is served and the log says so; the simulator works all the same. In a scored bench
    with a key nothing is served either: a policy that could move a prop could solve a task.

    Args:
        node: the simulator's node.
        hooks: what the simulator provides.
    """

    def __init__(self, node: BenchNode, hooks: SimHooks) -> None:
        self._lent, self._log = hooks, node.log
        self._scene_editor, self._stepping = SceneEditor(hooks), Stepping()
        if node.signed and node.values['scored']:
            return
        try:
            for row in names.SIMULATION:
                interface(row.type)
        except ConfigError as error:
            node.log.warning(f'The services of simulation_interfaces 2.1 are not served: {error}')
            return
        EntityServer(node, self._scene_editor, clock_ns=hooks.clock_ns)
        SpawnServer(node, self._scene_editor)
        self._steps = StepServer(node, self._stepping, confess=self._confess)
        node.service(names.SIMULATOR_FEATURES, _features)
        node.service(names.SIMULATION_STATE, refusable(self._state))
        node.service(names.SET_SIMULATION_STATE, refusable(self._set_state))
        node.service(names.RESET_SIMULATION, refusable(self._reset))
        for row in names.UNSUPPORTED:
            node.service(row, _unsupported)

    @property
    def paused(self) -> bool:
        """True if no period may run and no goal may be accepted."""
        return self._stepping.paused

    @property
    def step_due(self) -> bool:
        """True if a period should run all the same because steps were requested."""
        return self._stepping.due

    def stepped(self) -> None:
        """Note that a period has run."""
        self._stepping.made()

    def loaded(self, scene: Scene) -> None:
        """Note that a scene was loaded; a pause continues."""
        self._stepping.cancel('Another scene was loaded.')
        self._scene_editor.loaded(scene)

    def close(self) -> None:
        """Answer the clients that still wait for steps."""
        self._stepping.cancel('The simulator shuts down.')

    def _confess(self) -> None:
        self._lent.tell(EventKind.ASSISTANCE, ASSISTANCE)

    def _state(self, _request: Any, response: Any) -> None:
        response.state.state = int(self._stepping.state)

    def _set_state(self, request: Any, _response: Any) -> None:
        state = self._stepping.check_transition(request.state.state)
        self._confess()
        if state is not State.PLAYING:
            self._lent.abort(f'The simulation was {state.name.lower()}.')
            self._lent.world.apply(Stop())
        self._stepping.state = state
        if state is State.STOPPED:
            self._start_over('The simulation was stopped.', keep=False)

    def _reset(self, request: Any, response: Any) -> None:
        parts = scopes(request.scope)
        if Scope.STATE in parts:
            self._start_over('The simulation was reset.', keep=Scope.SPAWNED not in parts)
        elif Scope.SPAWNED in parts:
            self._lent.abort('Spawned entities are removed.')
            self._scene_editor.clear()
        if Scope.TIME in parts:
            answer(response, OK, 'Done, but the clock was not reset: it never runs backwards here.')

    def _start_over(self, why: str, *, keep: bool) -> None:
        """Lay out the scene again: running goals are aborted, and the robot holds its initial position."""
        self._stepping.cancel(why)
        self._lent.tell(EventKind.FAULT, why)
        self._lent.abort(why)
        self._scene_editor.restore(keep=keep)


def _features(_request: Any, response: Any) -> Any:
    response.features.features = [int(feature) for feature in Feature]
    response.features.spawn_formats, response.features.custom_info = list(SPAWN_FORMATS), CUSTOM_INFO
    return response


def _unsupported(request: Any, response: Any) -> Any:
    asked = type(request).__name__.removesuffix('_Request')
    return answer(response, FEATURE_UNSUPPORTED, f'{asked} is not supported. GetSimulatorFeatures lists the supported features.')

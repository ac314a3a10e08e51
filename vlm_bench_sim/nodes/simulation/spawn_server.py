"""Serves simulation_interfaces for new entities: the list of spawnables, and spawning."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.geometry import ZERO, Box
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.shapes import kinds, usual_size
from vlm_bench_sim.nodes.base.answers import answer
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.refusable import refusable
from vlm_bench_sim.nodes.simulation.scene_editor import SceneEditor
from vlm_bench_sim.ros import entities, names, spawning
from vlm_bench_sim.ros.convert import message
from vlm_bench_sim.ros.entities import Entity
from vlm_bench_sim.ros.simulation import ENTITIES_SPAWN_FAILED, OK, OPERATION_FAILED, Refused, Spawn

_MOST = 200  # entities in one request


@dataclass(frozen=True)
class Outcome:
    """The outcome of one request: the prop, or the reason why there is none."""

    prop: Prop | None
    code: int = OK
    text: str = ''


class SpawnServer:
    """The spawning services."""

    def __init__(self, node: BenchNode, scene_editor: SceneEditor) -> None:
        self._scene_editor = scene_editor
        node.service(names.SPAWN_ENTITY, refusable(self._spawn))
        node.service(names.SPAWN_ENTITIES, refusable(self._spawn_all))
        node.service(names.SPAWNABLES, refusable(self._spawnables))

    def _spawn(self, request: Any, response: Any) -> None:
        prop = self._read(request, self._scene_editor.taken, self._scene_editor.entities())
        self._scene_editor.spawn([prop])
        response.entity_name = prop.name

    def _spawn_all(self, request: Any, response: Any) -> None:
        if len(request.spawn_requests) > _MOST:
            raise Refused(
                OPERATION_FAILED,
                f'{len(request.spawn_requests)} entities were requested; at most {_MOST} are allowed at once. Send several requests.',
            )
        outcomes = self._all_or_none(request.spawn_requests)
        failed = [outcome.text for outcome in outcomes if outcome.code != OK]
        response.results = [_result(outcome) for outcome in outcomes]
        if failed:
            answer(response, ENTITIES_SPAWN_FAILED, f'Nothing was spawned: {failed[0]}')

    def _all_or_none(self, requests: Sequence[Any]) -> list[Outcome]:
        outcomes: list[Outcome] = []
        there = self._scene_editor.entities()
        for request in requests:
            taken = {*self._scene_editor.taken, *(outcome.prop.name for outcome in outcomes if outcome.prop)}
            try:
                outcomes.append(Outcome(self._read(request, taken, there)))
            except Refused as error:
                outcomes.append(Outcome(None, error.code, str(error)))
        props = [outcome.prop for outcome in outcomes if outcome.prop]
        if len(props) < len(outcomes):
            return [_withdrawn(o, 'Another entity of the request cannot be spawned, so none was spawned.') for o in outcomes]
        try:
            self._scene_editor.spawn(props)
        except VlmBenchError as error:
            return [_withdrawn(outcome, str(error)) for outcome in outcomes]
        return outcomes

    def _read(self, request: Any, taken: Collection[str], there: Mapping[str, Entity]) -> Prop:
        """Return the requested prop; `taken` are names in use, `there` the present entities."""
        resource = request.entity_resource
        spawning.check_namespace(request.entity_namespace)
        prop = spawning.read_resource(resource.uri, resource.resource_string)
        name = spawning.name_for(request.name, prop, taken, rename=request.allow_renaming)
        frame = request.initial_pose.header.frame_id
        pose = entities.read_pose(frame, request.initial_pose.pose, there, code=Spawn.INVALID_POSE)
        return replace(prop, name=name, pose=pose)

    def _spawnables(self, request: Any, response: Any) -> None:
        response.spawnables = [
            message('simulation_interfaces/msg/Spawnable', {
                'entity_resource': {'uri': f'{spawning.SCHEME}{kind}'},
                'description': spawning.describe(kind),
                'spawn_bounds': entities.bounds(Box(ZERO, usual_size(kind))),
            })
            for kind in kinds()
        ]  # fmt: skip
        if request.sources:
            answer(
                response, OK, f'Only shapes are available; unknown sources: {", ".join(source[:80] for source in request.sources[:10])}.'
            )


def _withdrawn(outcome: Outcome, why: str) -> Outcome:
    return Outcome(None, OPERATION_FAILED, why) if outcome.code == OK else outcome


def _result(outcome: Outcome) -> Any:
    filled = {'result': {'result': outcome.code, 'error_message': outcome.text}}
    return message('simulation_interfaces/msg/SpawnResult', filled | {'entity_name': outcome.prop.name if outcome.prop else ''})

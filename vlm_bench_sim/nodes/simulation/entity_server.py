"""Serves simulation_interfaces for existing entities: list, inspect, move, delete."""

from collections.abc import Callable
from typing import Any

from vlm_bench_sim.core.errors import near
from vlm_bench_sim.core.geometry import ZERO
from vlm_bench_sim.core.snapshot import ROBOT, TABLE
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.refusable import refusable
from vlm_bench_sim.nodes.simulation.scene_editor import SceneEditor
from vlm_bench_sim.ros import entities, fields, names
from vlm_bench_sim.ros.convert import fill, message
from vlm_bench_sim.ros.entities import Category, Entity
from vlm_bench_sim.ros.simulation import FEATURE_UNSUPPORTED, NOT_FOUND, OPERATION_FAILED, SET_INVALID_POSE, Refused

_STATE = 'simulation_interfaces/msg/EntityState'
_REMEDIES = {ROBOT: 'Its controllers move it.', TABLE: 'Everything stands on it.'}


class EntityServer:
    """The entity services.

    Args:
        node: the simulator's node.
        scene_editor: knows what stands in the world.
        clock_ns: the present simulated time, ns.
    """

    def __init__(self, node: BenchNode, scene_editor: SceneEditor, *, clock_ns: Callable[[], int]) -> None:
        self._scene_editor, self._clock_ns = scene_editor, clock_ns
        for row, serve in {
            names.ENTITIES: self._list,
            names.ENTITIES_STATES: self._list_states,
            names.ENTITY_STATE: self._state,
            names.ENTITY_INFO: self._info,
            names.ENTITY_BOUNDS: self._bounds,
            names.SET_ENTITY_STATE: self._set_state,
            names.DELETE_ENTITY: self._delete,
        }.items():
            node.service(row, refusable(serve))

    def _entity(self, name: str) -> Entity:
        there = self._scene_editor.entities()
        if name not in there:
            raise Refused(NOT_FOUND, f'There is no entity called {name[:80]!a}. {near(name[:80], there)}')
        return there[name]

    def _list(self, request: Any, response: Any) -> None:
        response.entities = [e.name for e in entities.select(self._scene_editor.entities().values(), request.filters)]

    def _list_states(self, request: Any, response: Any) -> None:
        chosen, now = entities.select(self._scene_editor.entities().values(), request.filters), self._clock_ns()
        response.entities = [entity.name for entity in chosen]
        response.states = [message(_STATE, entities.state(entity, now)) for entity in chosen]

    def _state(self, request: Any, response: Any) -> None:
        fill(response.state, entities.state(self._entity(request.entity), self._clock_ns()))

    def _info(self, request: Any, response: Any) -> None:
        fill(response.info, entities.info(self._entity(request.entity)))

    def _bounds(self, request: Any, response: Any) -> None:
        fill(response.bounds, entities.bounds(self._entity(request.entity).box))

    def _set_state(self, request: Any, _response: Any) -> None:
        """Move an entity; all checks come before any change."""
        entity, state, there = self._entity(request.entity), request.state, self._scene_editor.entities()
        frame, body = state.header.frame_id, entity.body
        self._check_movable(entity)
        pose = entities.read_pose(frame, state.pose, there, code=SET_INVALID_POSE) if request.set_pose else body.pose
        twist = body.linear, body.angular
        if request.set_twist:
            twist = entities.read_twist(frame, state.twist, there, code=SET_INVALID_POSE)
        if entity.category is Category.STATIC_OBJECT and twist != (ZERO, ZERO):
            raise Refused(OPERATION_FAILED, f'{entity.name} is fixed and takes no velocity. Set its pose alone.')
        if request.set_acceleration and any(_numbers(state.acceleration)):
            raise Refused(FEATURE_UNSUPPORTED, 'An acceleration cannot be set: it follows from forces. Set pose and twist.')
        if request.set_pose or request.set_twist:
            self._scene_editor.place(entity.name, pose, *twist)

    def _delete(self, request: Any, _response: Any) -> None:
        entity = self._entity(request.entity)
        self._check_movable(entity)
        self._scene_editor.delete(entity.name)

    def _check_movable(self, entity: Entity) -> None:
        if self._scene_editor.prop(entity.name) is None:
            remedy = _REMEDIES.get(entity.name, 'The robot opens and closes it.')
            raise Refused(OPERATION_FAILED, f'The {entity.name} belongs to the world and cannot be moved or deleted here. {remedy}')


def _numbers(twist: Any) -> tuple[float, ...]:
    return (*fields.read_vector(twist.linear), *fields.read_vector(twist.angular))

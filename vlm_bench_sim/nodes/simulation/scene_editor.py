"""The present content of the world, and how to restore the loaded scene."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from vlm_bench_sim.core.codes import EventKind
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.geometry import Box, Pose, Vector
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.physics.world import SimulatedWorld
from vlm_bench_sim.ros import entities
from vlm_bench_sim.ros.entities import Entity
from vlm_bench_sim.ros.furniture import of_mechanism

ASSISTANCE = 'simulation_services'
"""The word in reports for an intervention by anything but the robot, in the world or in its time."""


@dataclass(frozen=True)
class SimHooks:
    """What the simulator provides to servers that change the world.

    Attributes:
        world: the world.
        robot: returns the box around the robot in its present pose, in the world.
        clock_ns: the present simulated time, ns.
        abort: aborts running goals, with a reason.
        show: shows the world with its changed scene, in pictures and messages.
        load: lays out a scene afresh in the same episode; the clock continues.
        tell: reports an intervention to the judge: its kind and text.
    """

    world: SimulatedWorld
    robot: Callable[[], Box]
    clock_ns: Callable[[], int]
    abort: Callable[[str], None]
    show: Callable[[Scene], None]
    load: Callable[[Scene], Any]
    tell: Callable[[EventKind, str], None]


class SceneEditor:
    """The loaded scene without deleted props, and with spawned ones."""

    def __init__(self, hooks: SimHooks) -> None:
        self._lent, self._loaded = hooks, Scene(())
        self._kept: list[Prop] = []
        self._spawned: list[Prop] = []

    def loaded(self, scene: Scene) -> None:
        """Note that another scene was loaded; spawned props are gone."""
        self._loaded, self._kept, self._spawned = scene, list(scene.props), []

    @property
    def scene(self) -> Scene:
        """The present scene; spawned props come last."""
        return self._loaded.with_props((*self._kept, *self._spawned))

    @property
    def taken(self) -> Collection[str]:
        """Names that a new prop may not have: a deleted prop of the scene returns with a reset."""
        return {*self._loaded.names, *(prop.name for prop in self._spawned)}

    def prop(self, name: str) -> Prop | None:
        """Return the prop of that name, or None."""
        return next((prop for prop in (*self._kept, *self._spawned) if prop.name == name), None)

    def entities(self) -> dict[str, Entity]:
        """Return all entities in the world by name, except beads and dirt, which have no pose of their own."""
        snapshot = self._lent.world.snapshot
        found = [
            entities.of_robot(self._lent.world.profile.name, self._lent.robot()),
            entities.of_table(self._loaded.table),
            *(entity for mechanism in self._loaded.mechanisms for entity in of_mechanism(mechanism, snapshot.mechanisms)),
            *(entities.of_prop(prop, snapshot.body(prop.name), spawned=False) for prop in self._kept),
            *(entities.of_prop(prop, snapshot.body(prop.name), spawned=True) for prop in self._spawned),
        ]
        return {entity.name: entity for entity in found}

    def place(self, name: str, pose: Pose, linear: Vector, angular: Vector) -> None:
        """Move a prop, with a linear (m/s) and an angular (rad/s) velocity."""
        self._lent.world.place(name, pose, linear, angular)
        self._changed()

    def spawn(self, props: Sequence[Prop]) -> None:
        """Add props to the world, all or none.

        Raises:
            VlmBenchError: a prop cannot be placed or drawn; none is added.
        """
        before = list(self._spawned)
        try:
            for prop in props:
                self._lent.world.add(prop)
                self._spawned.append(prop)
            self._changed()
        except VlmBenchError:
            for prop in self._spawned[len(before) :]:
                self._lent.world.remove(prop.name)
            self._spawned = before
            self._lent.show(self.scene)
            raise

    def delete(self, name: str) -> None:
        """Remove a prop from the world."""
        self._lent.world.remove(name)
        self._kept, self._spawned = ([prop for prop in props if prop.name != name] for props in (self._kept, self._spawned))
        self._changed()

    def clear(self) -> None:
        """Remove all spawned props."""
        for prop in self._spawned:
            self._lent.world.remove(prop.name)
        self._spawned = []
        self._changed()

    def restore(self, *, keep: bool) -> None:
        """Restore the loaded scene; if `keep`, spawned props return to their first poses, otherwise they are removed."""
        self._lent.load(self._loaded)
        self._kept = list(self._loaded.props)
        self._spawned = self._spawned if keep else []
        for prop in self._spawned:
            self._lent.world.add(prop)
        self._lent.show(self.scene)

    def _changed(self) -> None:
        self._lent.show(self.scene)
        self._lent.tell(EventKind.ASSISTANCE, ASSISTANCE)

"""What stands in the world now, and the way back to the scene that was loaded."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core.codes import EventKind
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.geometry import Box, Pose, Vector
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.ros import entities
from vlm_bench_sim.ros.entities import Entity
from vlm_bench_sim.ros.furniture import of_mechanism

ASSISTANCE = 'simulation_services'
"""By this word reports tell that somebody other than the robot had a hand in the world or in its time."""


@dataclass(frozen=True)
class SimHooks:
    """What the simulator lends to who works behind the scenes.

    Attributes:
        world: the world.
        robot: the box around the robot as it stands now, in the world.
        clock_ns: the present simulated time, ns.
        abort: aborts running goals, for a reason.
        show: shows the world, whose scene is now another, in pictures and messages.
        load: lays out a scene afresh in the same episode; the clock goes on.
        tell: tells the judge of an intervention, as a kind of event with its text.
    """

    world: BulletWorld
    robot: Callable[[], Box]
    clock_ns: Callable[[], int]
    abort: Callable[[str], None]
    show: Callable[[Scene], None]
    load: Callable[[Scene], Any]
    tell: Callable[[EventKind, str], None]


class SceneEditor:
    """The scene that was loaded, less what was deleted, and what was spawned."""

    def __init__(self, hooks: SimHooks) -> None:
        self._lent, self._loaded = hooks, Scene(())
        self._kept: list[Prop] = []
        self._spawned: list[Prop] = []

    def loaded(self, scene: Scene) -> None:
        """Note that another scene was loaded; with it goes what was spawned."""
        self._loaded, self._kept, self._spawned = scene, list(scene.props), []

    @property
    def scene(self) -> Scene:
        """What stands there now; what was spawned comes last."""
        return self._loaded.with_props((*self._kept, *self._spawned))

    @property
    def taken(self) -> Collection[str]:
        """Names that nothing new may have: a deleted prop of the scene comes back with a reset."""
        return {*self._loaded.names, *(prop.name for prop in self._spawned)}

    def prop(self, name: str) -> Prop | None:
        """Return the prop of that name, or None."""
        return next((prop for prop in (*self._kept, *self._spawned) if prop.name == name), None)

    def entities(self) -> dict[str, Entity]:
        """Return everything that stands in the world, by name; beads and dirt have no pose of their own and are left out."""
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
        """Put a prop elsewhere, moving with a linear (m/s) and an angular (rad/s) velocity."""
        self._lent.world.place(name, pose, linear, angular)
        self._changed()

    def spawn(self, props: Sequence[Prop]) -> None:
        """Put props into the world, all or none.

        Raises:
            VlmBenchError: they cannot all be put there, or not be drawn; none is.
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
        """Take a prop out of the world."""
        self._lent.world.remove(name)
        self._kept, self._spawned = ([prop for prop in props if prop.name != name] for props in (self._kept, self._spawned))
        self._changed()

    def clear(self) -> None:
        """Take out of the world what was spawned."""
        for prop in self._spawned:
            self._lent.world.remove(prop.name)
        self._spawned = []
        self._changed()

    def restore(self, *, keep: bool) -> None:
        """Go back to the scene as it was loaded; what was spawned goes back to where that was, if it is to be kept."""
        self._lent.load(self._loaded)
        self._kept = list(self._loaded.props)
        self._spawned = self._spawned if keep else []
        for prop in self._spawned:
            self._lent.world.add(prop)
        self._lent.show(self.scene)

    def _changed(self) -> None:
        self._lent.show(self.scene)
        self._lent.tell(EventKind.ASSISTANCE, ASSISTANCE)

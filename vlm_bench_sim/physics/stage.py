"""The interface between a simulated world and its engine: a scene in a simulator, advanced one physics step at a time."""

from typing import Any, Protocol

from vlm_bench_sim.core.control import ArmControl, CupControl, FingerControl
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import Body, Snapshot
from vlm_bench_sim.physics.contacts import ContactMemory


class Stage(Protocol):
    """A scene in an engine of its own, every part at its described pose; nothing has moved yet."""

    @property
    def arm(self) -> ArmControl:
        """The arm's controller."""
        ...

    @property
    def gripper(self) -> FingerControl | CupControl:
        """The gripper's controller."""
        ...

    @property
    def contacts(self) -> ContactMemory[Any]:
        """Contacts between bodies, and the grasp."""
        ...

    def advance(self) -> None:
        """Make one physics step without wiping dirt."""
        ...

    def wipe(self) -> None:
        """Remove the dirt that wipers reached in the last physics step."""
        ...

    def bodies(self) -> dict[str, Body]:
        """Return pose and velocity of each prop by name."""
        ...

    def restless(self, *, linear: float, angular: float) -> list[str]:
        """Return the names of furniture links faster than that, m/s for sliding and rad/s for rotating ones, and of beads that move."""
        ...

    def tool(self) -> Pose:
        """Return the pose of the tool centre point in the world."""
        ...

    def opening(self) -> float:
        """Return the full width between the fingers, m."""
        ...

    def present(self, prop: Prop, to: Body) -> None:
        """Before anything has moved: set pose and velocity of the prop that the gripper is to take. Beads that lie in it move with it."""
        ...

    def set_gravity(self, gravity: float) -> None:
        """Set the acceleration of all that falls, towards the world's -z, m/s²."""
        ...

    def place(self, name: str, to: Body) -> None:
        """Set a prop's pose and velocity, and wake all that may have lost its support."""
        ...

    def add(self, prop: Prop) -> None:
        """Add a prop."""
        ...

    def remove(self, name: str) -> None:
        """Remove a prop; a gripper that held it then holds nothing."""
        ...

    def observe(self, *, seq: int, step: int) -> Snapshot:
        """Return the true state, `seq` control periods and `step` physics steps after the episode began."""
        ...

    def close(self) -> None:
        """Free the engine."""
        ...

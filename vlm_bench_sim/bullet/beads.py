"""Beads as rigid balls: one collision shape per group, without joints or individual names."""

from collections.abc import Iterable

import numpy as np

from vlm_bench_sim.bullet.client import Client
from vlm_bench_sim.core.algebra import norm
from vlm_bench_sim.core.geometry import Vector
from vlm_bench_sim.core.matter import Beads, inside
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import Body

LINEAR_DAMPING, ANGULAR_DAMPING = 0.8, 0.9
"""Fraction of its speed that a bead loses per second."""

_REST = 0.02  # m/s: slower beads are at rest


class BeadGroups:
    """All beads of a scene.

    Attributes:
        names: names of the bodies, by body number: all beads of a group have the group's name.
    """

    def __init__(self, client: Client, groups: Iterable[Beads]) -> None:
        self._client = client
        self._numbers = {group.name: _add(client, group) for group in groups}
        self.names = {number: name for name, numbers in self._numbers.items() for number in numbers}

    def observe(self) -> dict[str, tuple[Vector, ...]]:
        """Return the centres by group, m, in the world."""
        where = self._client.getBasePositionAndOrientation
        return {name: tuple(where(number)[0] for number in numbers) for name, numbers in self._numbers.items()}

    def carry(self, cup: Prop, to: Body) -> None:
        """Move the beads that the scene puts into a cup along with the cup to its new pose and velocity."""
        if cup.solid.cavity is None:
            return
        way = to.pose @ cup.pose.inverse()
        for name, centres in self.observe().items():
            moved = way.apply(np.reshape(centres, (-1, 3))).tolist()
            for number, centre, within in zip(self._numbers[name], moved, inside(cup, centres), strict=True):
                if within:
                    self._client.resetBasePositionAndOrientation(number, centre, (0.0, 0.0, 0.0, 1.0))
                    self._client.resetBaseVelocity(number, to.linear)

    def moving(self) -> list[str]:
        """Return the names of the groups that are not at rest."""
        return [name for name, numbers in self._numbers.items() if any(self._speed(number) > _REST for number in numbers)]

    def _speed(self, number: int) -> float:
        return norm(self._client.getBaseVelocity(number)[0])


def _add(client: Client, group: Beads) -> tuple[int, ...]:
    shape = client.createCollisionShape(client.GEOM_SPHERE, radius=group.radius)
    numbers = client.createMultiBody(group.mass, shape, batchPositions=list(group.centres), useMaximalCoordinates=1)
    for number in numbers:
        # Without friction its solver rows are skipped, which halves the time; swept balls do not tunnel through obstacles.
        client.changeDynamics(
            number, -1, lateralFriction=0.0, rollingFriction=0.0, spinningFriction=0.0, restitution=0.0,
            linearDamping=LINEAR_DAMPING, angularDamping=ANGULAR_DAMPING, ccdSweptSphereRadius=group.radius / 2,
        )  # fmt: skip
    return tuple(int(number) for number in numbers)

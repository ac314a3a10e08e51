"""Goal words for contacts, grasps and the tool pose. `Once` and `Never` also count moments between two snapshots."""

from dataclasses import dataclass
from math import atan2, hypot, pi

import numpy as np

from vlm_bench_sim.core.algebra import dot, norm
from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import ROBOT, TABLE, Snapshot, pair
from vlm_bench_tasks.goals.base import Leaf, called
from vlm_bench_tasks.goals.placing import lowest
from vlm_bench_tasks.goals.reaching import at_hand, in_hand, landing


@serialisable
@dataclass(frozen=True)
class Touching(Leaf):
    """The prop is in contact with another, with the robot or with the table.

    Attributes:
        prop: the prop.
        other: another prop, `robot` or `table`.
    """

    NEEDS_CONTACTS = True

    prop: Prop
    other: Prop | str = ROBOT

    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether the two touch now."""
        return now.touches(self.prop.name, self._name)

    def happened(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether the two touched at any physics step since the previous snapshot."""
        return pair(self.prop.name, self._name) in now.touched or self.holds(now, start)

    def distance(self, now: Snapshot, start: Snapshot) -> float:
        """Return a lower bound of their distance, m: between bounding spheres, from the tool, or from the table."""
        if self.holds(now, start):
            return 0.0
        here = now.pose(self.prop.name)
        if self.other == TABLE:
            return max(0.0, lowest(self.prop, here))
        if isinstance(self.other, Prop):
            return max(0.0, here.distance(now.pose(self.other.name)) - _radius(self.prop) - _radius(self.other))
        return max(0.0, here.distance(now.tool) - _radius(self.prop))

    def way(self, now: Snapshot, start: Snapshot) -> float:
        """Return how far the tool is from the prop's box if the robot is to touch it, and else the distance, m."""
        return self.distance(now, start) if self._name != ROBOT or self.holds(now, start) else self.reach(now)

    def taken(self, now: Snapshot) -> bool:
        """Return whether the robot touches the prop, or holds or has thrown it where another prop is to be hit."""
        return (in_hand if isinstance(self.other, Prop) else at_hand)(self.prop.name, now)

    def words(self) -> str:
        """Return the goal as a clause."""
        return f'{called(self.prop)} touches {called(self.other) if isinstance(self.other, Prop) else f"the {self.other}"}'

    def props(self) -> tuple[Prop, ...]:
        """Return the one or two props."""
        return (self.prop, self.other) if isinstance(self.other, Prop) else (self.prop,)

    @property
    def _name(self) -> str:
        return self.other.name if isinstance(self.other, Prop) else self.other


@serialisable
@dataclass(frozen=True)
class Grasped(Leaf):
    """The gripper holds the prop."""

    NEEDS_CONTACTS = True

    prop: Prop

    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether the prop is held now."""
        return now.held == self.prop.name

    def happened(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether the prop was held at any physics step since the previous snapshot."""
        return self.holds(now, start) or self.prop.name in now.grasped or self.prop.name in now.released

    def distance(self, now: Snapshot, start: Snapshot) -> float:
        """Return how far the tool is from the prop, m."""
        return 0.0 if self.holds(now, start) else now.tool.distance(now.pose(self.prop.name))

    def words(self) -> str:
        """Return the goal as a clause."""
        return f'{called(self.prop)} is grasped'

    def props(self) -> tuple[Prop, ...]:
        """Return the prop."""
        return (self.prop,)


@serialisable
@dataclass(frozen=True)
class Flying(Leaf):
    """The prop flies towards the target: nothing touches it, the tool is away from it, and it moves over the table towards the target.

    Attributes:
        prop: the prop.
        target: where it flies to.
        away: least distance between the tool and the prop's origin, m. What is let go just above the table never comes so far.
        speed: least speed towards the target in the plane of the table, m/s. What is dropped has next to none.
    """

    NEEDS_CONTACTS = True

    prop: Prop
    target: Prop
    away: float = 0.10
    speed: float = 0.2

    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether the prop has been flying since the previous snapshot."""
        name = self.prop.name
        touched = any(name in pair for pair in (*now.touching, *now.touched))
        return not (touched or name == now.held) and self.distance(now, start) == 0.0 and self._nears(now)

    def distance(self, now: Snapshot, start: Snapshot) -> float:
        """Return the distance from the tool that is missing, m."""
        return max(0.0, self.away - now.tool.distance(now.pose(self.prop.name)))

    def way(self, now: Snapshot, start: Snapshot) -> float:
        """Return by how much the prop, if it were let go now, would miss the target in the plane, and the distance that is missing, m."""
        there = now.pose(self.target.name).position
        off = norm(np.subtract(landing(now.body(self.prop.name), there[2]), there[:2])) - min(self.target.size[:2]) / 2
        return max(0.0, off) + self.distance(now, start)

    def words(self) -> str:
        """Return the goal as a clause."""
        return f'{called(self.prop)} flies towards {called(self.target)}'

    def props(self) -> tuple[Prop, ...]:
        """Return the prop and the target."""
        return (self.prop, self.target)

    def _nears(self, now: Snapshot) -> bool:
        here, there = now.body(self.prop.name), now.pose(self.target.name)
        way = np.subtract(there.position, here.pose.position)[:2]
        return dot(here.linear[:2], way) >= self.speed * norm(way)


@serialisable
@dataclass(frozen=True)
class Reached(Leaf):
    """The tool centre point is at a pose.

    Attributes:
        pose: in the world.
        near: greatest position error, m.
        turn: greatest angle error, rad; π: any orientation.
        roll: False if a rotation about the tool's own z axis makes no difference, as where nobody can see it.
    """

    pose: Pose
    near: float = 0.05
    turn: float = pi
    roll: bool = True

    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether the tool is there."""
        return self.distance(now, start) == 0.0

    def distance(self, now: Snapshot, start: Snapshot) -> float:
        """Return the excess of the position error and of the angle error (0.1 m per radian), m."""
        z, wanted = now.tool.rotation[:, 2], self.pose.rotation[:, 2]
        angle = now.tool.angle(self.pose) if self.roll else atan2(norm(np.cross(z, wanted)), dot(z, wanted))
        return hypot(max(0.0, now.tool.distance(self.pose) - self.near), 0.1 * max(0.0, angle - self.turn))

    def words(self) -> str:
        """Return the goal as a clause."""
        x, y, z = self.pose.position
        return f'the tool is at ({x:.2f}, {y:.2f}, {z:.2f}) m'

    def props(self) -> tuple[Prop, ...]:
        """Return no prop."""
        return ()


def _radius(prop: Prop) -> float:
    return norm(prop.size) / 2

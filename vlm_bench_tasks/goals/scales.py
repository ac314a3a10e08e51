"""Goal words for a balance: what its plates carry, and whether its beam is level."""

from dataclasses import dataclass
from functools import lru_cache
from math import hypot, radians

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.mechanisms import Mechanism
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import ROBOT, Snapshot
from vlm_bench_tasks.goals.base import Leaf, called
from vlm_bench_tasks.goals.mechanisms import JointLeaf
from vlm_bench_tasks.goals.outlines import inward, outline
from vlm_bench_tasks.goals.placing import SETTLED, highest, lowest, middle

OFF_STOPS = radians(1.0)
"""Least angle between a level beam and each of its stops, rad (ClevrSkills, BalanceScale)."""

STILL = radians(1.0)
"""Speed below which a beam is level, rad/s (ClevrSkills, BalanceScale)."""


@serialisable
@dataclass(frozen=True)
class Carried(Leaf):
    """The prop is carried by one of some links of furniture, such as the plates of a balance, and is released.

    Holds when a chain of contacts leads from the link to the prop over released props alone, its centre of mass is above the outline
    of the link's first part, its lowest point is not below that part's top (5 mm allowed), and the robot neither holds nor touches it.

    Raises:
        SceneError: no link is named, or the mechanism has no such link.

    Attributes:
        prop: the prop that is carried.
        mechanism: the piece of furniture.
        links: names of the links, of which one must carry it.
    """

    NEEDS_CONTACTS = True

    prop: Prop
    mechanism: Mechanism
    links: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.links:
            raise SceneError(f'No link of {self.mechanism.name!r} was named to carry {self.prop.name!r}. Name at least one.')
        for link in self.links:
            self.mechanism.link(link)

    @property
    def place(self) -> str:
        """What carries it, for example: the left plate of the balance scale."""
        links = ' or the '.join(link.replace('_', ' ') for link in self.links)
        return f'the {links} of the {self.mechanism.noun}'

    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether a link carries the prop, and it is released."""
        free = now.held != self.prop.name and not now.touches(self.prop.name, ROBOT)
        return free and any(there and apart == 0.0 for apart, there in self._seen(now))

    def distance(self, now: Snapshot, start: Snapshot) -> float:
        """Return how far the prop is from the nearest of the links, m."""
        return min(apart for apart, _ in self._seen(now))

    def words(self) -> str:
        """Return the goal as a clause."""
        return f'{called(self.prop)} is carried by {self.place}'

    def props(self) -> tuple[Prop, ...]:
        """Return the prop."""
        return (self.prop,)

    def _seen(self, now: Snapshot) -> list[tuple[float, bool]]:
        """Return for each link how far the prop is from being carried by it, m, and whether contacts lead from it to the prop."""
        # Cached: a judge asks four times per snapshot, for `holds` and `distance`, for the verdict and for the report.
        kept = self.__dict__.get('_kept')
        if kept is None or kept[0] is not now:
            frames = self.mechanism.placed(now.mechanisms)
            kept = self.__dict__['_kept'] = (now, [self._apart(link, frames[self.mechanism.full(link)], now) for link in self.links])
        seen: list[tuple[float, bool]] = kept[1]
        return seen

    def _apart(self, link: str, frame: Pose, now: Snapshot) -> tuple[float, bool]:
        there, plate = self.prop.name in carried_by(self.mechanism, link, now), self.mechanism.link(link).parts[0]
        beyond, above = _off(self.prop, now.pose(self.prop.name), plate, frame @ plate.pose)
        # What lies on it may lie on others; what does not has all of the height to go.
        return hypot(beyond, max(0.0, -above - SETTLED, 0.0 if there else above)), there


@serialisable
@dataclass(frozen=True)
class Level(JointLeaf):
    """The beam of a balance is level by itself: it is off both of its stops, hardly turns, and nothing holds or props it.

    Holds when the joint is at least 1° from each of its limits and turns by less than 1° a second, and no chain of contacts leads from
    a moving link over released props to anything else: the robot, a thing in its grasp, the table, or what does not move.
    """

    NEEDS_CONTACTS = True
    SCALE = 0.1

    def __post_init__(self) -> None:
        _ = self.joint

    @property
    def target(self) -> float:
        """The position in the middle between the stops, rad."""
        return (self.joint.lower + self.joint.upper) / 2

    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether the beam is off its stops, hardly turns, and is free."""
        still = self.distance(now, start) == 0.0 and abs(now.joint(self.full).velocity) < STILL
        return still and not propped(self.mechanism, now)

    def distance(self, now: Snapshot, start: Snapshot) -> float:
        """Return how far the beam is from being off its stops, rad.

        Raises:
            SceneError: the joint is not in the snapshot.
        """
        at, joint = now.joint(self.full).position, self.joint
        return max(0.0, OFF_STOPS - (at - joint.lower), OFF_STOPS - (joint.upper - at))

    def words(self) -> str:
        """Return the goal as a clause."""
        return f'the {self.link.replace("_", " ")} of the {self.mechanism.noun} is level'


def carried_by(mechanism: Mechanism, link: str, now: Snapshot) -> set[str]:
    """Return the names of the props to which a chain of contacts leads from a link, over released props alone."""
    free = now.bodies.keys() - {now.held}
    return _chained({mechanism.full(link)}, now) & free


def propped(mechanism: Mechanism, now: Snapshot) -> bool:
    """Return whether a chain of contacts over released props leads from links that move to anything that could hold them."""
    moving = set(mechanism.joints)
    return bool(_chained(moving, now) - moving - (now.bodies.keys() - {now.held}))


def _chained(names: set[str], now: Snapshot) -> set[str]:
    """Return all that a chain of contacts leads to from some links. It goes on over released props alone."""
    free = now.bodies.keys() - {now.held}
    found, fresh = set[str](), names
    while fresh:
        fresh = {other for two in now.touching for name, other in (two, two[::-1]) if name in fresh} - found
        found |= fresh
        fresh &= free
    return found


# Cached: the judge and the expert ask repeatedly about props that do not move.
@lru_cache(maxsize=4096)
def _off(prop: Prop, at: Pose, plate: Prop, plate_at: Pose) -> tuple[float, float]:
    """Return how far a prop's centre of mass is beyond the outline of a plate, and how high its lowest point is over the plate, m."""
    beyond = -inward(outline(plate, plate_at), middle(prop, at)[:2])
    return max(0.0, beyond), lowest(prop, at) - highest(plate, plate_at)

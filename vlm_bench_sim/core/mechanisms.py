"""Mechanisms: furniture with links on joints, such as drawers and doors."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import atan2, cos, isclose, sin

import numpy as np

from vlm_bench_sim.core.algebra import dot, matmul, norm
from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import SceneError, near
from vlm_bench_sim.core.geometry import Pose, Vector
from vlm_bench_sim.core.props import Prop, check_name
from vlm_bench_sim.core.snapshot import Body, JointState

KINDS = ('prismatic', 'revolute')


@serialisable
@dataclass(frozen=True)
class Joint:
    """One degree of freedom of a link.

    Raises:
        SceneError: the kind is unknown, the axis is not a unit vector, the limits or the start are out of order, or friction is negative.

    Attributes:
        kind: one of `KINDS`.
        origin: pose of the link's frame in its parent's frame at position 0.
        axis: unit vector of the translation or rotation, in the link's frame.
        lower, upper: limits, m or rad.
        start: position at the start of the episode, m or rad.
        friction: force or torque that resists motion, N or N m.
    """

    kind: str
    origin: Pose
    axis: Vector
    lower: float
    upper: float
    start: float = 0.0
    friction: float = 1.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise SceneError(f'There is no joint of the kind {self.kind!r}. {near(self.kind, KINDS)}')
        if not isclose(norm(self.axis), 1.0, abs_tol=1e-6):
            raise SceneError(f'A joint moves along or about a vector of length 1; found {self.axis}. Normalise it.')
        if not self.lower <= self.start <= self.upper or not self.lower < self.upper:
            raise SceneError(f'A joint starts within its limits; found {self.start} in {self.lower} … {self.upper}. Correct them.')
        if not self.friction >= 0.0:
            raise SceneError(f'The friction of a joint cannot be below 0; found {self.friction}. Give a number from 0, in N or N m.')

    def shift(self, position: float) -> Pose:
        """Return the pose of the link's frame at a position, m or rad, in its frame at position 0."""
        x, y, z = self.axis
        if self.kind == 'prismatic':
            return Pose((x * position, y * position, z * position))
        s = sin(position / 2)
        return Pose(orientation=(x * s, y * s, z * s, cos(position / 2)))

    def position(self, shift: Pose) -> float:
        """Return the position, m or rad in -π…π, at which the link's frame is nearest to a pose: the inverse of `shift`."""
        if self.kind == 'prismatic':
            return dot(self.axis, shift.position)
        *imaginary, real = shift.orientation
        sine = dot(self.axis, imaginary)
        return 2.0 * (atan2(sine, real) if real >= 0.0 else atan2(-sine, -real))


@serialisable
@dataclass(frozen=True)
class Link:
    """A rigid part of a mechanism.

    Raises:
        SceneError: there are no parts, the name of the link or of a part is invalid, or a handle is not among the parts.

    Attributes:
        name: unique in the mechanism.
        parts: props that form the link, with poses in the link's frame; their names are unique in the mechanism.
        parent: name of the link that carries it; '' for the link fixed in the mechanism's frame.
        joint: its joint; None for the fixed link.
        handle: names of the parts for a gripper to hold.
    """

    name: str
    parts: tuple[Prop, ...]
    parent: str = ''
    joint: Joint | None = None
    handle: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_name('link', self.name)
        if not self.parts:
            raise SceneError(f'Link {self.name!r} has no parts. Give it at least one.')
        names = [part.name for part in self.parts]
        for name in names:
            check_name(f'part of the link {self.name!r}', name)
        for name in self.handle:
            if name not in names:
                raise SceneError(f'The handle of link {self.name!r} names {name!r}, which is not one of its parts. {near(name, names)}')


@serialisable
@dataclass(frozen=True)
class Latch:
    """Locks one joint in place until another joint has turned.

    Raises:
        SceneError: a link is its own latch, or the play is not positive.

    Attributes:
        link: its joint is locked while it is within `play` of its lower limit.
        by: its joint unlocks the other.
        threshold: position of `by` from which on the joint is unlocked, rad or m.
        play: m or rad.
    """

    link: str
    by: str
    threshold: float
    play: float = 0.01

    def __post_init__(self) -> None:
        if self.link == self.by:
            raise SceneError(f'The latch of {self.link!r} is unlocked by {self.by!r} itself. Name another link.')
        if not self.play > 0.0:
            raise SceneError(f'The latch of {self.link!r} has {self.play:g} m or rad of play, so it would never lock. Give more than 0.')


@serialisable
@dataclass(frozen=True)
class Mechanism:
    """A piece of furniture.

    Raises:
        SceneError: there are no links, the name is invalid, links or parts share a name, a link comes before its parent, a latch or a joint
            refers to nothing, or a latch can never unlock or never lock.

    Attributes:
        name: unique in the scene.
        links: the fixed link first, each after its parent.
        pose: pose of the fixed link's frame in the world.
        noun: its name in instructions.
        latches: locks between its joints.
    """

    name: str
    links: tuple[Link, ...]
    pose: Pose = Pose()
    noun: str = 'cabinet'
    latches: tuple[Latch, ...] = ()

    def __post_init__(self) -> None:
        check_name('mechanism', self.name)
        names = [link.name for link in self.links]
        parts = [part.name for link in self.links for part in link.parts]
        if not names:
            raise SceneError(f'{self.name!r} has no links. Give it at least the fixed link.')
        for name in (*names, *parts):
            if max(names.count(name), parts.count(name)) > 1:
                raise SceneError(f'{self.name!r} has two links or two parts called {name!r}. Rename one.')
        for i, link in enumerate(self.links):
            if (i == 0) != (link.joint is None) or link.parent not in (names[:i] or ('',)):
                raise SceneError(
                    f'The first link of {self.name!r} is fixed; each other link has a joint, and a parent that comes before it. Found '
                    f'{link.name!r} with the parent {link.parent!r} and {"a" if link.joint else "no"} joint. Correct it.'
                )
        for latch in self.latches:
            self._check(latch)

    def _check(self, latch: Latch) -> None:
        movable = [link.name for link in self.links[1:]]
        for name in (latch.link, latch.by):
            if name not in movable:
                raise SceneError(f'A latch of {self.name!r} names the link {name!r}, which has no joint. {near(name, movable)}')
        by = self.joints[self.full(latch.by)]
        if not by.lower < latch.threshold <= by.upper:
            raise SceneError(
                f'The latch of {self.full(latch.link)!r} unlocks where {latch.by!r} is at {latch.threshold:g}, '
                f'which moves from {by.lower:g} to {by.upper:g}. Choose a threshold in this range.'
            )

    def full(self, link: str) -> str:
        """Return the name of a link and its joint in snapshots and pictures: `mechanism/link`."""
        return f'{self.name}/{link}'

    @property
    def joints(self) -> dict[str, Joint]:
        """All joints by full name."""
        return {self.full(link.name): link.joint for link in self.links if link.joint}

    def link(self, name: str) -> Link:
        """Return the link of that name.

        Raises:
            SceneError: there is no such link.
        """
        for link in self.links:
            if link.name == name:
                return link
        raise SceneError(f'{self.name!r} has no link called {name!r}. {near(name, [link.name for link in self.links])}')

    def placed(self, states: Mapping[str, JointState]) -> dict[str, Pose]:
        """Return the world pose of each link by full name; joints that are not given are at their start position."""
        frames: dict[str, Pose] = {}
        for link in self.links:
            frame = frames[self.full(link.parent)] if link.parent else self.pose
            if link.joint is not None:
                name = self.full(link.name)
                position = states[name].position if name in states else link.joint.start
                frame = frame @ link.joint.origin @ link.joint.shift(position)
            frames[self.full(link.name)] = frame
        return frames

    def measured(self, seen: Mapping[str, Body]) -> dict[str, JointState]:
        """Return the joints of those links that a tracker sees, by full name; the fixed link stands at `pose` unless it is seen."""
        frames, found = {self.full(self.links[0].name): Body(self.pose)}, dict[str, JointState]()
        frames |= {name: body for name, body in seen.items() if name in frames}
        for link in self.links[1:]:
            name, parent = self.full(link.name), frames.get(self.full(link.parent))
            if link.joint is None or name not in seen or parent is None:
                continue
            body, frame = seen[name], parent.pose @ link.joint.origin
            axis, linear = matmul(frame.rotation, link.joint.axis), link.joint.kind == 'prismatic'
            speed = np.subtract(body.linear, parent.linear) if linear else np.subtract(body.angular, parent.angular)
            found[name], frames[name] = JointState(link.joint.position(frame.inverse() @ body.pose), dot(axis, speed)), body
        return found

    def solids(self, states: Mapping[str, JointState]) -> tuple[Prop, ...]:
        """Return every part at its pose in the world, as a fixed prop with the full name of its link."""
        frames = self.placed(states)
        return tuple(
            replace(part, name=name, pose=frames[name] @ part.pose, fixed=True)
            for name, link in ((self.full(link.name), link) for link in self.links)
            for part in link.parts
        )

    def started(self, **positions: float) -> 'Mechanism':
        """Return the same mechanism with other start positions for the joints of the named links, m or rad.

        Raises:
            SceneError: there is no such joint, or a position exceeds its limits.
        """
        for name in positions:
            if self.link(name).joint is None:
                raise SceneError(f'Link {name!r} of {self.name!r} is fixed. Name one that moves.')
        links = tuple(
            replace(link, joint=replace(link.joint, start=positions[link.name])) if link.joint and link.name in positions else link
            for link in self.links
        )
        return replace(self, links=links)

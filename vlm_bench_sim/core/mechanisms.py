"""Mechanisms: furniture whose links move on joints, such as drawers and doors."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import cos, sin

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.geometry import Pose, Vector
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import JointState

KINDS = ('prismatic', 'revolute')


@serialisable
@dataclass(frozen=True)
class Joint:
    """One degree of freedom of a link.

    Attributes:
        kind: one of `KINDS`.
        origin: pose of the link's frame in its parent's frame at position 0.
        axis: unit vector along which, or about which, the link moves, in its own frame.
        lower, upper: limits, m or rad.
        start: position at the start of the episode, m or rad.
        friction: what holds the link where it is, N or N m.
    """

    kind: str
    origin: Pose
    axis: Vector
    lower: float
    upper: float
    start: float = 0.0
    friction: float = 1.0


@serialisable
@dataclass(frozen=True)
class Link:
    """A rigid part of a mechanism.

    Attributes:
        name: unique in the mechanism.
        parts: what it is made of, each a prop whose pose is in the link's frame; their names are unique in the mechanism.
        parent: name of the link that carries it; '' for the one that stands fixed in the mechanism's frame.
        joint: how it moves; None for the fixed one.
        handle: names of the parts by which a gripper takes it.
    """

    name: str
    parts: tuple[Prop, ...]
    parent: str = ''
    joint: Joint | None = None
    handle: tuple[str, ...] = ()


@serialisable
@dataclass(frozen=True)
class Latch:
    """Holds one joint at its place until another has been turned.

    Attributes:
        link: whose joint is held while it is closer than `play` to its lower limit.
        by: whose joint frees it.
        threshold: position of `by` from which on it is free, rad or m.
        play: m or rad.
    """

    link: str
    by: str
    threshold: float
    play: float = 0.01


@serialisable
@dataclass(frozen=True)
class Mechanism:
    """A piece of furniture.

    Attributes:
        name: unique in the scene.
        links: the fixed one first, each after its parent.
        pose: of the fixed link's frame, in the world.
        noun: what it is called in sentences.
        latches: what holds what.
    """

    name: str
    links: tuple[Link, ...]
    pose: Pose = Pose()
    noun: str = 'cabinet'
    latches: tuple[Latch, ...] = ()

    def full(self, link: str) -> str:
        """Return the name of a link, and of its joint, in snapshots and pictures: `mechanism/link`."""
        return f'{self.name}/{link}'

    @property
    def joints(self) -> dict[str, Joint]:
        """By full name."""
        return {self.full(link.name): link.joint for link in self.links if link.joint}

    def placed(self, states: Mapping[str, JointState]) -> dict[str, Pose]:
        """Return the pose of each link in the world by full name; a joint that is not given is where it starts."""
        frames: dict[str, Pose] = {}
        for link in self.links:
            parent = frames[self.full(link.parent)] if link.parent else self.pose
            frames[self.full(link.name)] = parent @ self._moved(link, states)
        return frames

    def _moved(self, link: Link, states: Mapping[str, JointState]) -> Pose:
        joint = link.joint
        if joint is None:
            return Pose()
        name = self.full(link.name)
        position = states[name].position if name in states else joint.start
        x, y, z = joint.axis
        if joint.kind == 'prismatic':
            return joint.origin @ Pose((x * position, y * position, z * position))
        s = sin(position / 2)
        return joint.origin @ Pose(orientation=(x * s, y * s, z * s, cos(position / 2)))

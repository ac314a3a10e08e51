"""A scene: the objects and their poses at the start of an episode."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from vlm_bench_sim.core.algebra import norm
from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import SceneError, near
from vlm_bench_sim.core.geometry import Box, Pose, Vector
from vlm_bench_sim.core.looks import Color, Look, Texture
from vlm_bench_sim.core.matter import Beads, Dirt
from vlm_bench_sim.core.mechanisms import Mechanism
from vlm_bench_sim.core.objects.rooms import FLOOR, ROOMS, Room, known, room
from vlm_bench_sim.core.props import Prop, check_name
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.snapshot import ROBOT, ROOM, TABLE, Snapshot

SceneObject = Prop | Mechanism | Beads | Dirt
SCENE_OBJECTS: tuple[type[SceneObject], ...] = (Prop, Mechanism, Beads, Dirt)
"""Anything that a scene holds by name."""

GRAVITY = 9.81
"""Acceleration of all that falls, towards the world's -z, m/s²."""

LOWEST_LIGHT = 0.1
"""Smallest z component of the unit vector towards the light; a lower light would cast endless shadows."""


@serialisable
@dataclass(frozen=True)
class Table:
    """The table: a box whose top is the world's plane z = 0, unless it is raised or lowered. The robot's base stands on z = 0."""

    box: Box = Box((0.35, 0.0, -0.02), (1.10, 1.30, 0.04))
    color: Color = Color('beech', (0.80, 0.68, 0.53))
    friction: float = 1.0
    texture: Texture | None = None

    @property
    def top(self) -> float:
        """Height of the table's top, m."""
        return float(self.box.high[2])


@serialisable
@dataclass(frozen=True)
class Light:
    """The light that casts shadows. A dim ambient light and a faint light from the opposite side are always present.

    Raises:
        SceneError: the direction has no length or comes from below, or the strength is negative.

    Attributes:
        direction: direction towards the light, in the world, of any length.
        color: color of the light.
        strength: 1 is a bright room, 0 is no light.
        shadows: whether the light casts shadows.
    """

    direction: Vector = (0.30, 0.35, 0.90)
    color: Color = Color('daylight', (1.0, 0.973, 0.929))
    strength: float = 1.0
    shadows: bool = True

    def __post_init__(self) -> None:
        length = norm(self.direction)
        if not (np.isfinite(length) and length > 0.0 and self.direction[2] / length > LOWEST_LIGHT and self.strength >= 0.0):
            raise SceneError(
                f'Light comes from above with a strength of 0 or more; found direction {self.direction}, strength {self.strength}. '
                f'Point the direction at the light, with z above {LOWEST_LIGHT:g} of its length.'
            )


@serialisable
@dataclass(frozen=True)
class RobotStart:
    """The robot's state at the start of an episode.

    Attributes:
        joints: arm positions, rad; None: the profile's home.
        opening: full width between the fingers, m; None: fully open.
        held: name of the prop in the gripper at the start; '' for none. The pose given for this prop is ignored.
        grasp: pose of the tool centre point in the frame of that prop.
    """

    joints: tuple[float, ...] | None = None
    opening: float | None = None
    held: str = ''
    grasp: Pose = Pose()

    def arm(self, profile: RobotProfile) -> tuple[float, ...]:
        """Return the arm's start positions, rad, one per joint of the profile.

        Raises:
            SceneError: the number of joints differs from the robot's.
        """
        joints = profile.home if self.joints is None else self.joints
        if len(joints) != len(profile.joints):
            raise SceneError(
                f'The scene gives {len(joints)} joint positions; {profile.name} has {len(profile.joints)} joints. Give one for each.'
            )
        return joints


@serialisable
@dataclass(frozen=True)
class Scene:
    """Props on a table in front of a robot.

    Raises:
        SceneError: two things share a name, or one is named like the robot, the table or the room; a prop's name is invalid; the room
            is unknown; a wiper is missing; or the prop that the robot holds is missing or cannot move.

    Attributes:
        props: props on the table.
        table: the table.
        robot: the robot's start.
        light: light of the scene.
        mechanisms: furniture with joints.
        beads: groups of small balls; water is simulated as beads.
        dirt: patches that a wiper removes.
        room: name of a room of `core.objects.rooms` around the table: one of `ROOMS`, or one in the palette of another, such as
            `room3~room17`; '' for none.
    """

    props: tuple[Prop, ...]
    table: Table = Table()
    robot: RobotStart = RobotStart()
    light: Light = Light()
    room: str = ''
    mechanisms: tuple[Mechanism, ...] = ()
    beads: tuple[Beads, ...] = ()
    dirt: tuple[Dirt, ...] = ()

    def __post_init__(self) -> None:
        for prop in self.props:
            check_name('prop', prop.name)
        names = self.names
        clashes = {name for name in names if names.count(name) > 1}
        if clashes:
            raise SceneError(
                f'Each object needs a unique name other than {ROBOT!r}, {TABLE!r} and {ROOM!r}; '
                f'found {sorted(clashes)} more than once. Rename it.'
            )
        for patch in self.dirt:
            if patch.wiper:
                self.prop(patch.wiper)
        if self.robot.held and (held := self.prop(self.robot.held)) and (held.fixed or held.ghost):
            raise SceneError(f'The robot is to hold {held.name!r}, which is fixed or a ghost. Name a prop that can move.')
        if self.room and not known(self.room):
            raise SceneError(f'There is no room called {self.room!r}. {near(self.room, ROOMS)}')

    @property
    def names(self) -> tuple[str, ...]:
        """All names in use: the objects, the links by `mechanism/link`, the robot, the table and the room."""
        links = [mechanism.full(link.name) for mechanism in self.mechanisms for link in mechanism.links]
        things = [*(prop.name for prop in self.props), *(mechanism.name for mechanism in self.mechanisms)]
        matter = [*(group.name for group in self.beads), *(patch.name for patch in self.dirt)]
        return (ROBOT, TABLE, ROOM, *things, *matter, *links)

    @property
    def objects(self) -> dict[str, SceneObject]:
        """All objects of the scene by name."""
        return {one.name: one for group in (self.props, self.mechanisms, self.beads, self.dirt) for one in group}

    def prop(self, name: str) -> Prop:
        """Return the prop of that name.

        Raises:
            SceneError: the scene holds no such prop.
        """
        for prop in self.props:
            if prop.name == name:
                return prop
        raise SceneError(f'The scene holds no prop called {name!r}. {near(name, [p.name for p in self.props])}')

    def dressed(self, looks: Mapping[str, Look]) -> 'Scene':
        """Return the same scene with other looks, given by prop name.

        Raises:
            SceneError: the scene holds no such prop.
        """
        changed = {name: self.prop(name).dressed(look) for name, look in looks.items()}
        return replace(self, props=tuple(changed.get(prop.name, prop) for prop in self.props))

    def with_props(self, props: Iterable[Prop]) -> 'Scene':
        """Return the same scene with other props. A held prop or a wiper that is no longer there is removed from the start and the dirt."""
        props = tuple(props)
        known = {prop.name for prop in props}
        robot = self.robot if self.robot.held in known else replace(self.robot, held='')
        dirt = tuple(patch if patch.wiper in known else replace(patch, wiper='') for patch in self.dirt)
        return replace(self, props=props, robot=robot, dirt=dirt)

    def now(self, snapshot: Snapshot) -> tuple[Prop, ...]:
        """Return the props at the poses of a snapshot."""
        return tuple(prop.at(snapshot.pose(prop.name)) for prop in self.props)

    @property
    def ids(self) -> dict[str, int]:
        """Instance ids of pictures: 0 background, 1 table, 2 robot; from 3 props, mechanism links, bead groups, dirt, the room."""
        links = [mechanism.full(link.name) for mechanism in self.mechanisms for link in mechanism.links]
        names = [prop.name for prop in self.props] + links + [group.name for group in self.beads] + [patch.name for patch in self.dirt]
        numbered = {name: i for i, name in enumerate(names, start=3)}
        return {TABLE: 1, ROBOT: 2} | numbered | ({ROOM: 3 + len(numbered)} if self.room else {})

    @property
    def surroundings(self) -> Room | None:
        """The room around the table, or None."""
        return room(self.room, self.table.box) if self.room else None

    @property
    def furniture(self) -> tuple[Prop, ...]:
        """All that is visible of the room."""
        return there.all if (there := self.surroundings) else ()

    @property
    def neighbours(self) -> tuple[Prop, ...]:
        """What collides of the room, each part under the name `room`."""
        return there.solids if (there := self.surroundings) else ()

    @property
    def floor(self) -> float:
        """Height of the floor, m in the world."""
        return there.floor if (there := self.surroundings) else FLOOR


def footprint(prop: Prop) -> float:
    """Radius of the prop's bounding circle in the plane, m."""
    return float(np.hypot(prop.size[0], prop.size[1]) / 2)

"""Draw: the only source of randomness for a task file. A family with its own layouts derives from it."""

from collections.abc import Callable
from functools import cached_property
from math import degrees, pi, radians

import numpy as np

from vlm_bench_sim.core.errors import NoRoomError, SceneError, SplitError, TaskError, near
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Color, Look
from vlm_bench_sim.core.matter import Beads, Dirt
from vlm_bench_sim.core.mechanisms import Mechanism
from vlm_bench_sim.core.objects.models import model
from vlm_bench_sim.core.objects.rooms import crossed
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Light, RobotStart, Scene, Table
from vlm_bench_tasks.language.looks import ByLook
from vlm_bench_tasks.language.places import ByDirection
from vlm_bench_tasks.language.references import SIDES, ByColor, ByShape, BySide, BySize, Ref
from vlm_bench_tasks.variation.placement import TURN, Spacing, Workspace, place
from vlm_bench_tasks.variation.pools import Pools
from vlm_bench_tasks.variation.streams import Streams

Scale = tuple[float, float]
"""Least and greatest scale factor."""

ONE: Scale = (1.0, 1.0)
SOLIDS = Spacing(alike=0.10, gap=0.03)  # leaves room for a gripper's fingers
TRAYS = Spacing(alike=0.25, gap=0.03)
_ATTEMPTS = 30
_REFS: dict[str, Callable[[str], Ref]] = {
    'color': ByColor, 'look': ByLook, 'shape': ByShape, 'size': BySize, 'relative': BySide, 'direction': ByDirection,
    'region': ByColor,  # the sentences themselves name the regions
}  # fmt: skip


class Draw:
    """The random draws of one episode: its streams, the pools, the workspace, and everything drawn so far.

    Props are placed as they are drawn, so draw large ones first. Names and order in the scene are random too, so they give no hint which
    prop is meant.

    Args:
        streams: random streams of the episode.
        pools: what may be drawn.
        axis: axis of variation, for example 'color'.
        workspace: where things may stand.
        attempt: number of earlier layouts of this episode that did not fit. Only places and order are drawn again for each layout.

    Attributes:
        axis, pools, workspace, attempt: as given.
        placed: props drawn so far.
        mechanisms: furniture drawn so far.
        spoken: how to refer to a prop, by name, for props that are not referred to along the axis of variation.
        stand, light, start: table and light of the scene, and the start of its robot.
    """

    def __init__(self, streams: Streams, pools: Pools, *, axis: str, workspace: Workspace, attempt: int = 0) -> None:
        self.axis, self.pools, self.workspace, self.attempt = axis, pools, workspace, attempt
        self.placed: tuple[Prop, ...] = ()
        self.mechanisms: tuple[Mechanism, ...] = ()
        self.spoken: dict[str, Callable[[str], Ref]] = {}
        self.stand, self.light, self.start = Table(), Light(), RobotStart()
        self._streams = streams

    @cached_property
    def layout(self) -> np.random.Generator:
        """Random stream for places and the order of props."""
        return self._streams.generator(f'layout/{self.attempt}' if self.attempt else 'layout')

    @cached_property
    def looks(self) -> np.random.Generator:
        """Random stream for shapes, sizes and colors."""
        return self._streams.generator('looks')

    @cached_property
    def language(self) -> np.random.Generator:
        """Random stream for the choice of words."""
        return self._streams.generator('language')

    @cached_property
    def values(self) -> np.random.Generator:
        """Random stream for values of a goal, such as a level, an amount or an angle."""
        return self._streams.generator('values')

    @cached_property
    def matter(self) -> np.random.Generator:
        """Random stream for the positions of beads and dirt."""
        return self._streams.generator('matter')

    @cached_property
    def room(self) -> str:
        """Name of the room around the table; '' if the split holds none. Along the axis 'palette', its palette is drawn, too.

        Raises:
            SplitError: along the axis 'palette', the split holds no rooms.
        """
        if not self.pools.room:
            if self.axis == 'palette':
                raise SplitError("The axis 'palette' varies the looks of rooms; the split holds none. Add a pool `room`, or leave it out.")
            return ''
        chance = self._streams.generator('room')
        furnished, painted = (pool[int(chance.integers(len(pool)))] for pool in (self.pools.room, self.pools.palette))
        return crossed(furnished, painted) if self.axis == 'palette' else furnished

    def kinds(self, group: str, count: int) -> list[str]:
        """Return one random kind of a group, repeated `count` times. Along the axis 'shape', return two or more different kinds instead."""
        pool = self.pools.kinds(group)
        if self.axis != 'shape':
            return [pool[int(self.looks.integers(len(pool)))]] * count
        least = min(2, len(pool))
        return [pool[i] for i in self.looks.permutation(len(pool))[: int(self.looks.integers(least, len(pool) + 1))]]

    def scales(self, count: int, scale: Scale, sizes: tuple[Scale, ...]) -> list[Scale]:
        """Return a range of scale factors for each of `count` props: `scale`, or along the axis 'size' one of `sizes` each.

        Raises:
            TaskError: the numbers of sizes and props differ.
        """
        if self.axis != 'size':
            return [scale] * count
        if count != len(sizes):
            raise TaskError(f'{count} props of different sizes were requested, with {len(sizes)} ranges of sizes. Give one range for each.')
        return list(sizes)

    def one_of(self, *options: str) -> str:
        """Return one of the options, uniformly at random, such as a level, an action or an amount."""
        return options[int(self.values.integers(len(options)))]

    def number(self, low: float, high: float) -> float:
        """Return a uniform random number between `low` and `high`, such as the angle of a goal."""
        return float(self.values.uniform(low, high))

    def turn(self, *props: Prop, angles: tuple[float, ...], least: float) -> float:
        """Return one of the angles, uniformly at random, by which each of the props can be seen to turn about the vertical.

        Args:
            props: the props to turn.
            angles: degrees.
            least: degrees by which a turned prop must look turned, up to its symmetry.

        Raises:
            TaskError: there is none.
        """
        shown = [angle for angle in angles if all(_looks_turned(prop, angle) >= least for prop in props)]
        if not shown:
            kinds = ' and '.join(sorted({prop.kind for prop in props}))
            raise TaskError(f'None of the turns by {angles} degrees can be seen of {kinds}. Draw other shapes, or give other angles.')
        return shown[int(self.values.integers(len(shown)))]

    def whole(self, low: int, high: int) -> int:
        """Return a uniform random integer from `low` to `high`, both included, such as the number of blocks."""
        return int(self.values.integers(low, high + 1))

    def colors(self, count: int, noun: str = '') -> tuple[Color, ...]:
        """Return different colors of the split that no prop of that noun has yet, in random order.

        Raises:
            TaskError: the pool has too few colors.
        """
        used = {prop.color for prop in self.placed if prop.noun == noun}
        pool = [color for color in self.pools.color if color not in used]
        if count > len(pool):
            raise TaskError(f'{count} more colors were requested; the split holds {len(pool)} unused ones. Draw fewer props.')
        return tuple(pool[i] for i in self.looks.permutation(len(pool))[:count])

    def some_looks(self, group: str, count: int) -> tuple[Look, ...]:
        """Return different looks of a group that no prop has yet, in random order.

        Raises:
            SplitError: there is no such group.
            TaskError: the group has too few looks.
        """
        used = {prop.look for prop in self.placed}
        pool = [look for look in self.pools.looks(group) if look not in used]
        if count > len(pool):
            raise TaskError(f'{count} more looks of {group} were requested; the split holds {len(pool)} unused ones. Draw fewer props.')
        return tuple(pool[i] for i in self.looks.permutation(len(pool))[:count])

    def props(
        self, kinds: list[str], *, noun: str, scales: list[Scale], spacing: Spacing, yaw: tuple[float, float] = TURN
    ) -> tuple[Prop, ...]:
        """Return props of these kinds on the table, in random order. Each has a color that no other prop of the noun has.

        Along the axis 'relative' there must be two, and their sides distinguish them.
        """
        made = self.made(kinds, noun=noun, scales=scales)
        drawn = self._beside(made, spacing, yaw) if self.axis == 'relative' else self.anywhere(made, spacing, yaw)
        return tuple(drawn[i] for i in self.layout.permutation(len(drawn)))

    def solids(
        self, count: int, *, scale: Scale = (1.0, 1.0), sizes: tuple[Scale, ...] = ((0.6, 0.9), (1.1, 1.2)), noun: str = 'object'
    ) -> tuple[Prop, ...]:
        """Return solids in random order. Each has a color that no other prop of the noun has.

        They have one shape, scaled uniformly by a factor from `scale`. Along the axis 'size', each has a different range of `sizes`. Along
        the axis 'shape', there are two or more, each with a different shape.
        """
        kinds = self.kinds('solid', count)
        return self.props(kinds, noun=noun, scales=self.scales(len(kinds), scale, sizes), spacing=SOLIDS)

    def trays(self, count: int, *, sizes: tuple[Scale, ...] = ((0.8, 0.9), (1.1, 1.25)), noun: str = 'container') -> tuple[Prop, ...]:
        """Return trays, each in a color that no other of the noun has. Along the axis 'size', each has a different range of `sizes`."""
        return self.props(['tray'] * count, noun=noun, scales=self.scales(count, ONE, sizes), spacing=TRAYS)

    def made(self, kinds: list[str], *, noun: str, scales: list[Scale]) -> list[Prop]:
        """Return props of these kinds that are not placed yet, each in a color that no other of the noun has."""
        colors = self.colors(len(kinds), noun)
        first = 1 + sum(prop.noun == noun for prop in self.placed)
        made: list[Prop] = []
        for i, (kind, color, scale) in enumerate(zip(kinds, colors, scales, strict=True), start=first):
            factor = float(self.looks.uniform(*scale))
            made.append(model(kind).prop(f'{noun}_{i}'.replace(' ', '_').replace('-', '_'), noun=noun, color=color, scale=factor))
        return made

    def anywhere(self, props: list[Prop], spacing: Spacing, yaw: tuple[float, float] = TURN) -> tuple[Prop, ...]:
        """Place the given props on the table, one after the other, clear of all others."""
        fresh: tuple[Prop, ...] = ()
        for prop in props:
            others = (*self.placed, *fresh)
            fresh += (place(prop, others, spacing=spacing, workspace=self.workspace, chance=self.layout, yaw=yaw),)
        self.placed += fresh
        return fresh

    def named(self, noun: str, count: int) -> list[str]:
        """Return names in random order for props of a noun, after those that are drawn already: they tell nothing of which is meant."""
        first = 1 + sum(prop.name.startswith(f'{noun}_') for prop in self.placed)
        return [f'{noun}_{first + i}' for i in self.looks.permutation(count)]

    def in_hand(self, prop: Prop) -> Prop:
        """Return the prop in the robot's hand at the start: taken from above, over its centre of mass. Draw it after all other props."""
        x, y, _ = prop.symmetry.centre
        self.start = RobotStart(held=prop.name, grasp=Pose.from_rpy((x, y, prop.size[2] / 2), (pi, 0.0, 0.0)))
        self.placed += (prop,)
        return prop

    def table(
        self, *props: Prop, mechanisms: tuple[Mechanism, ...] = (), beads: tuple[Beads, ...] = (), dirt: tuple[Dirt, ...] = ()
    ) -> Scene:
        """Return the scene with these things on the table, and the room around it.

        Raises:
            SceneError: a prop or mechanism was not drawn here, so it may overlap another.
        """
        drawn: tuple[Prop | Mechanism, ...] = (*self.placed, *self.mechanisms)
        things: tuple[Prop | Mechanism, ...] = (*props, *mechanisms)
        for thing in things:
            if thing not in drawn:
                raise SceneError(f'{thing.name!r} was not drawn by this Draw, so its place was not checked. Draw it before the table.')
        props = tuple(sorted(props, key=lambda prop: prop.name))
        return Scene(props, self.stand, self.start, self.light, self.room, mechanisms, beads, dirt)

    def ref(self, prop: Prop) -> Ref:
        """Return a reference to the prop along the axis of variation.

        Raises:
            TaskError: there are no words for that axis.
        """
        if self.axis not in _REFS:
            raise TaskError(f'There are no words for the axis {self.axis!r}. {near(self.axis, _REFS)}')
        if prop.name in self.spoken:
            return self.spoken[prop.name](prop.name)
        if self.axis == 'shape' and any(other.kind == prop.kind and other != prop for other in self.placed):
            return (ByLook if self.pools.look else ByColor)(prop.name)
        return _REFS[self.axis](prop.name)

    def _beside(self, props: list[Prop], spacing: Spacing, yaw: tuple[float, float]) -> tuple[Prop, ...]:
        """Place two props so that their sides distinguish them. Every side is equally likely."""
        if len(props) != 2:
            raise TaskError(f'Words for sides distinguish two props; {len(props)} were requested. Draw two.')
        first, second = props
        where = SIDES[int(self.layout.integers(len(SIDES)))]
        for attempt in range(_ATTEMPTS):
            try:
                at = place(first, self.placed, spacing=spacing, workspace=self.workspace, chance=self.layout, yaw=yaw)
                others, side = (*self.placed, at), (at, where)
                other = place(second, others, spacing=spacing, workspace=self.workspace, chance=self.layout, yaw=yaw, beside=side)
            except NoRoomError:
                if attempt == _ATTEMPTS - 1:
                    raise
                continue
            self.placed += (at, other)
            return at, other
        raise AssertionError('unreachable')


def _looks_turned(prop: Prop, angle: float) -> float:
    """Return by how many degrees a prop looks turned after a turn about the vertical, in degrees."""
    here = Pose(orientation=prop.pose.orientation)
    turned = Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, radians(angle))) @ here
    return degrees(prop.symmetry.turned(here, turned))

"""What ClevrSkills lays on its table: objects to move, bases to put them on, areas, posts, and marked places in the air."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import cos, hypot, inf, pi, radians, sin
from typing import TypeVar

import numpy as np

from vlm_bench_sim.core.errors import NoRoomError, TaskError
from vlm_bench_sim.core.geometry import Box, Pose, Vector
from vlm_bench_sim.core.looks import Color, Look
from vlm_bench_sim.core.objects.stock import area_marker, floating_marker
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Table, footprint
from vlm_bench_tasks.authoring import At, Goal, Reached, all_of
from vlm_bench_tasks.language.references import Ref
from vlm_bench_tasks.suite.clevrskills._objects import OPEN, POST_DENSITY, SIZES, alike, angular, thing
from vlm_bench_tasks.variation.draw import Draw as BaseDraw
from vlm_bench_tasks.variation.placement import LIFT, Spacing, Workspace, place

T = TypeVar('T')

APART = Spacing(alike=0.0, gap=0.02)
"""Between circles around things: room for a head of cups or a closed hand."""

LOOSE = Spacing(alike=0.0, gap=0.10)
"""The same between things that are pushed."""

SPAN = {'x': (0.28, 0.66), 'y': (-0.42, 0.42)}
"""Where things stand, m: ClevrSkills' workspaces as far as every robot reaches."""

POST: Vector = (0.05, 0.05, 0.20)
"""Extents of a post that a touch topples, (3,) m."""

SLAB: Vector = (0.125, 0.125, 0.025)
"""Extents of what is thrown, (3,) m."""

FAR, ASIDE = (0.75, 0.85), 45.0
"""Least and greatest distance from the robot's axis, m, and greatest bearing, degrees, of what is thrown at."""

FAR_AREA, SECTOR = 0.35, 34.0
"""Side of an area that is thrown at, m, and angle between the middles of two such areas, degrees."""

DEEP = Table(Box((0.45, 0.0, -0.02), (1.30, 1.50, 0.04)))
"""A table on which things stand that are thrown at."""

WIDE = Table(Box((0.45, 0.0, -0.02), (1.30, 1.80, 0.04)))
"""The same for areas side by side."""

HOLDING = Pose((0.45, 0.0, 0.45))
"""Where about a thing in the hand is, m. The scene holds its pose in the hand."""

BEHIND = 0.13
"""Distance from the middle of a thing that is pushed to that of the hand behind it, m."""

ANYWHERE, TALL, ROUND_ABOUT = (0.0, inf), (0.0, 0.60), (0.42, 0.56)
"""Least and greatest distance from the robot's axis, m: where things stand, where every robot puts a fourth thing on a stack, and where it
pushes things from any side."""

AREA = 0.30
"""Side of an area, m. ClevrSkills' 0.35 m leave too little room for objects where every robot reaches."""

CORNERS = ((0.36, 0.40), (0.36, -0.40), (0.60, 0.0))
"""Middles of areas, m."""

MARK = 0.05
"""Radius of a mark in the air, and greatest distance of the tool from its middle, m."""


def reached(mark: Prop) -> Reached:
    """Return the goal that the tool is in a mark. The expert points it down."""
    return Reached(Pose.from_rpy(mark.pose.position, (pi, 0.0, 0.0)), near=MARK)


WAITING, NEXT, DONE = (
    Look(Color(name, rgb)) for name, rgb in (('red', (1.0, 0.0, 0.0)), ('green', (0.0, 1.0, 0.0)), ('yellow', (1.0, 1.0, 0.0)))
)
"""Looks of a mark: later ones, the next one, and those that were reached."""

_MARKS_APART, _MARKS_REACH, _MARKS_HEIGHT, _TRIES = 0.15, (0.32, 0.56), (0.20, 0.40), 200
_LAYOUTS = 8


def listed(draw: 'Draw', props: Sequence[Prop]) -> tuple[str, dict[str, Ref]]:
    """Return a blank for each prop in a row, such as '{o1}, {o2} and {o3}', and their references by blank."""
    refs = {f'o{i}': draw.ref(prop) for i, prop in enumerate(props, start=1)}
    *most, last = (f'{{{blank}}}' for blank in refs)
    return (f'{", ".join(most)} and {last}' if most else last), refs


def choices(props: Sequence[Prop], count: int) -> Iterator[tuple[tuple[Prop, ...], tuple[Prop, ...]]]:
    """Yield each choice of so many of the props, with the rest of them; the first choice is the first of the props."""
    for chosen in combinations(props, count):
        yield chosen, tuple(prop for prop in props if prop not in chosen)


def fits_slot(kind: str) -> bool:
    """Return whether four things of a kind lie on an area side by side."""
    return max(SIZES[kind][:2]) <= 0.8 * AREA / 2


def side_by_side(pairs: Sequence[tuple[Prop, Prop]]) -> Goal:
    """Return the plan that each item lies on its area in a quarter of its own, so that there is room for the next."""
    quarter = AREA / 4
    free = {area.name: [(x, y) for x in (-quarter, quarter) for y in (-quarter, quarter)] for _, area in pairs}
    spots = [(item, area.pose @ Pose((*free[area.name].pop(), (area.size[2] + item.size[2]) / 2))) for item, area in pairs]
    return all_of(*(At(item, spot, near=0.03) for item, spot in spots))


def from_edge(area: Prop, prop: Prop) -> float:
    """Return the distance of a prop's middle from the rectangle of an area, m; 0 within it."""
    x, y, _ = area.pose.inverse().apply([prop.pose.position])[0]
    return hypot(max(0.0, abs(x) - area.size[0] / 2), max(0.0, abs(y) - area.size[1] / 2))


class Draw(BaseDraw):
    """The chance of an episode of ClevrSkills."""

    def things(
        self,
        count: int,
        group: str = 'top',
        *,
        looks: str | tuple[Look, ...] = 'top',
        noun: str = 'object',
        spacing: Spacing = APART,
        fit: Callable[[str], bool] = lambda _: True,
        reach: tuple[float, float] = ANYWHERE,
    ) -> tuple[Prop, ...]:
        """Return objects on the table in looks that differ, and along the axis 'shape' in shapes that differ, too.

        Args:
            count: how many.
            group: group of shapes.
            looks: group of looks, or one look for each.
            noun: their noun.
            spacing: least distances.
            fit: condition on their kinds.
            reach: least and greatest distance from the robot's axis, m.
        """
        return self._laid(self._made(count, group, looks=looks, noun=noun, fit=fit), spacing, reach)

    def carried(self) -> Prop:
        """Return an object in the robot's hand."""
        (name,), (look,) = self.named('object', 1), self.some_looks('top', 1)
        (kind,) = self._shapes('top', 1, lambda kind: kind not in OPEN)
        return self.in_hand(thing(name, kind, look).at(HOLDING))

    def slab(self, least: float = 0.0) -> Prop:
        """Return a slab of a primitive's shape in the robot's hand, of at least `least` kg."""
        (name,), (look,) = self.named('object', 1), self.some_looks('base', 1)
        (kind,) = self._shapes('primitive', 1, lambda kind: angular(kind) and thing('', kind, look, size=SLAB).mass >= least)
        return self.in_hand(thing(name, kind, look, size=SLAB).at(HOLDING))

    def posts(self, count: int) -> tuple[Prop, ...]:
        """Return slender posts on the table."""
        named = zip(self.named('object', count), self._shapes('primitive', count, angular), self.some_looks('top', count), strict=True)
        return self._laid([thing(name, kind, look, size=POST, density=POST_DENSITY) for name, kind, look in named], LOOSE)

    def target(self, size: Vector, *, fixed: bool) -> Prop:
        """Return a plate that is fixed, or a post, of extents `size`, (3,) m, to throw at: beyond where every robot reaches."""
        (name,), (look,) = self.named('target', 1), self.some_looks('top', 1)
        noun = 'plate' if fixed else 'post'
        made = replace(thing(name, 'cube', look, size=size, density=POST_DENSITY, noun=noun), fixed=fixed)
        far, bearing = float(self.layout.uniform(*FAR)), radians(float(self.layout.uniform(-ASIDE, ASIDE)))
        there = made.at(Pose.from_rpy((far * cos(bearing), far * sin(bearing), size[2] / 2 + LIFT), (0.0, 0.0, bearing)))
        self.stand, self.placed = DEEP, (*self.placed, there)
        return there

    def pair_to_push(self) -> tuple[Prop, ...]:
        """Return two primitives, of which the first can be pushed towards the second: every robot reaches behind it.

        Raises:
            NoRoomError: there is no such layout.
        """
        before = self.placed
        made = self._made(2, 'primitive', looks='top')
        for _ in range(_TRIES):
            self.placed = before
            item, target = self._laid(made, LOOSE)
            (x, y, _), (u, v, _) = item.pose.position, target.pose.position
            share = 1 + BEHIND / hypot(x - u, y - v)
            if self.workspace.reachable(u + share * (x - u), v + share * (y - v)):
                return item, target
        raise NoRoomError(f'In {_TRIES} layouts, nobody reached behind {made[0].name!r} to push it. Draw smaller things.')

    def areas(self, *looks: Look, most: int = len(CORNERS)) -> tuple[Prop, ...]:
        """Return areas, fixed plates of these looks, each in a corner of its own, one of the first `most`."""
        made: tuple[Prop, ...] = ()
        corners = self.layout.permutation(most)
        for name, look, corner in zip(self.named('area', len(looks)), looks, corners, strict=False):
            plate = area_marker(name, look.color, size=(AREA, AREA), texture=look.texture)
            made += (plate.at(Pose((*CORNERS[corner], plate.size[2] / 2 + LIFT))),)
        self.placed += made
        return made

    def far_areas(self, *looks: Look) -> tuple[Prop, ...]:
        """Return areas of these looks, fixed plates side by side beyond where every robot reaches, facing it, to throw at."""
        turn = radians(SECTOR)
        middle = float(self.layout.uniform(-1.0, 1.0)) * (radians(ASIDE) - turn * (len(looks) - 1) / 2)
        made: tuple[Prop, ...] = ()
        for i, (name, look) in enumerate(zip(self.named('area', len(looks)), looks, strict=True)):
            plate = area_marker(name, look.color, size=(FAR_AREA, FAR_AREA), texture=look.texture)
            far, bearing = float(self.layout.uniform(*FAR)), middle + turn * (i - (len(looks) - 1) / 2)
            made += (plate.at(Pose.from_rpy((far * cos(bearing), far * sin(bearing), plate.size[2] / 2 + LIFT), (0.0, 0.0, bearing))),)
        self.stand, self.placed = WIDE, (*self.placed, *made)
        return made

    def some_of(self, things: Sequence[T], count: int) -> tuple[T, ...]:
        """Return so many of the things, in random order."""
        return tuple(things[i] for i in self.values.permutation(len(things))[:count])

    def marks(self, count: int) -> tuple[Prop, ...]:
        """Return marks in the air, clear of one another, in the order in which they are reached.

        Raises:
            NoRoomError: there is no room for so many.
        """
        spots: list[Vector] = []
        for _ in range(_TRIES):
            x, y, z = self.layout.uniform(0.0, 0.6), self.layout.uniform(-0.4, 0.4), self.layout.uniform(*_MARKS_HEIGHT)
            spot = (float(x), float(y), float(z))
            clear = all(np.linalg.norm(np.subtract(spot, other)) >= _MARKS_APART for other in spots)
            if clear and x > 0.15 and _MARKS_REACH[0] <= hypot(x, y) <= _MARKS_REACH[1]:
                spots.append(spot)
            if len(spots) == count:
                break
        else:
            raise NoRoomError(f'{count} marks were requested; {len(spots)} were placed in {_TRIES} tries. Request fewer.')
        colors = (NEXT.color, *[WAITING.color] * (count - 1))
        made = zip(self.named('mark', count), colors, spots, strict=True)
        self.placed += (marks := tuple(floating_marker(name, color, spot, radius=MARK) for name, color, spot in made))
        return marks

    def _made(
        self,
        count: int,
        group: str,
        *,
        looks: str | tuple[Look, ...],
        noun: str = 'object',
        fit: Callable[[str], bool] = lambda _: True,
    ) -> list[Prop]:
        """Return objects that are not placed yet: see `things`."""
        worn = self.some_looks(looks, count) if isinstance(looks, str) else looks
        named = zip(self.named(noun, count), self._shapes(group, count, fit), worn, strict=True)
        return [thing(name, kind, look, noun=noun) for name, kind, look in named]

    def _shapes(self, group: str, count: int, fit: Callable[[str], bool] = lambda _: True) -> list[str]:
        """Return kinds of a group: any, or along the axis 'shape' kinds that nobody takes for one another or for one on the table.

        Raises:
            TaskError: there are too few.
        """
        pool = [kind for kind in self.pools.kinds(group) if fit(kind)]
        if self.axis != 'shape':
            return [pool[int(self.looks.integers(len(pool)))] for _ in range(count)]
        found: list[str] = []
        for i in self.looks.permutation(len(pool)):
            if not any(alike(pool[i], kind) for kind in (*found, *(prop.kind for prop in self.placed))):
                found.append(pool[i])
        if len(found) < count:
            raise TaskError(f'{count} shapes of {group} that differ were requested; found {len(found)}. Draw fewer.')
        return found[:count]

    def _laid(self, made: list[Prop], spacing: Spacing, reach: tuple[float, float] = ANYWHERE) -> tuple[Prop, ...]:
        """Place objects on the table; where one finds no room, all of them are placed anew.

        Raises:
            NoRoomError: there is no room.
        """
        near, far = self.workspace.reach
        self.workspace = Workspace(SPAN['x'], SPAN['y'], (max(near, reach[0]), min(far, reach[1])))
        areas = tuple(prop for prop in self.placed if prop.noun == 'area')
        rest = tuple(prop for prop in self.placed if prop not in areas)
        for attempt in range(_LAYOUTS):
            fresh: tuple[Prop, ...] = ()
            try:
                for prop in made:
                    fresh += (self._set_down(prop, (*rest, *fresh), areas, spacing),)
            except NoRoomError:
                if attempt == _LAYOUTS - 1:
                    raise
                continue
            self.placed += fresh
            break
        return fresh

    def _set_down(self, prop: Prop, others: tuple[Prop, ...], areas: tuple[Prop, ...], spacing: Spacing) -> Prop:
        """Return the prop at a random place, clear of others and of the rectangles of areas."""
        for _ in range(_TRIES):
            there = place(prop, others, spacing=spacing, workspace=self.workspace, chance=self.layout)
            if all(from_edge(area, there) >= footprint(prop) + spacing.gap for area in areas):
                return there
        raise NoRoomError(f'No place was found in {_TRIES} tries for {prop.name!r} beside {len(areas)} areas. Draw fewer.')

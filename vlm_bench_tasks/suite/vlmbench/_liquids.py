"""What is poured and what is wiped: mugs with water in one of them, areas with dirt on them, and a sponge."""

from dataclasses import replace
from math import cos, pi, radians, sin

import numpy as np
from numpy.typing import NDArray

from vlm_bench_sim.core.algebra import rounded
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Floats, vector
from vlm_bench_sim.core.matter import Beads, Dirt, packed
from vlm_bench_sim.core.props import Prop
from vlm_bench_tasks.language.references import SIDES
from vlm_bench_tasks.variation.draw import Draw, Scale
from vlm_bench_tasks.variation.placement import SLENDER, TURN, Spacing, Workspace, place

MUGS = Spacing(alike=0.10, gap=0.05)  # room to tilt one beside another
CUPFUL = 40
"""Beads in a mug."""

REACHED = Workspace(x=(0.36, 0.60), y=(-0.30, 0.30), reach=(0.38, 0.58))
"""Where the middles of areas lie, so that an arm can wipe them from end to end."""

SPECKS = 50
SPREAD = 0.005
"""Standard deviation of dirt across its line, m."""

_ATTEMPTS, _CROWDED = 30, 3
_ROUND_GAP, _SLENDER_GAP = -0.03, 0.02  # m between bounds; circles around stars and flowers are larger than these
_DIRECTIONS = ((-radians(22.5), radians(22.5)), (radians(67.5), radians(112.5)))  # vertical, horizontal
_DIRECTIONAL = ('rectangle_area', 'triangle_area', 'cross_area')
_TURN = np.linspace(0.0, 2 * pi, 8, endpoint=False)
_AROUND = rounded(np.column_stack([np.cos(_TURN), np.sin(_TURN)]))
_LINE, _DISC = 0.45, 0.35  # shares of an area's extents: half the length of a line of dirt, the radius of a disc

_Outline = tuple[Floats, Floats]
"""Corners of a convex part, (k, 2) counter-clockwise, and the edges from each to the next, m."""


class Liquids(Draw):
    """Draws what is poured and what is wiped."""

    def mugs(self, *, sizes: tuple[Scale, ...] = ((0.75, 0.9), (1.0, 1.1))) -> tuple[Prop, ...]:
        """Return mugs of one kind: three along the axis of color, else two; along the axis of size each has another of `sizes`.

        Raises:
            SceneError: there is no room for them.
        """
        kinds = self.kinds('mug', 3 if self.axis == 'color' else 2)
        for _ in range(_ATTEMPTS):
            try:
                return self.props(kinds, noun='mug', scales=self.scales(len(kinds), (1.0, 1.0), sizes), spacing=MUGS)
            except SceneError as error:
                crowded = error
        raise crowded

    def water(self, mug: Prop) -> Beads:
        """Return the beads that fill a mug."""
        return Beads('water', packed(mug, CUPFUL, self.matter))

    def wiping(self, *, scale: Scale = (0.9, 1.1), sizes: tuple[Scale, ...] = ((0.75, 0.9), (1.0, 1.2))) -> tuple[Prop, tuple[Prop, ...]]:
        """Return a sponge, and two areas apart from it; along the axis of shape two, or three where there is room, each of another.

        Along the axis of size each has another of `sizes`; along that of direction one lies vertically and one horizontally.

        Raises:
            SceneError: there is no room for them.
        """
        kinds = self.kinds('directional_area' if self.axis == 'direction' else 'area', 2)[:3]
        made = self.made(kinds, noun='area', scales=self.scales(len(kinds), scale, sizes))
        drawn = [replace(area, ghost=True) for area in made]
        (sponge,) = self.made(['sponge'], noun='sponge', scales=[(1.0, 1.0)])
        for attempt in range(_ATTEMPTS):
            try:
                *areas, laid = self._laid(drawn[: 3 if attempt < _CROWDED else 2], sponge)
            except SceneError as error:
                crowded = error
                continue
            self.placed += (*areas, laid)
            return laid, tuple(areas[i] for i in self.layout.permutation(len(areas)))
        raise crowded

    def dirt(self, area: Prop, wiper: Prop) -> Dirt:
        """Return specks on an area: along its x axis where it has a direction, else over a disc; all of them on the area."""
        half = 0.5 * float(np.hypot(*Dirt.size[:2]))
        found: list[tuple[float, float, float]] = []
        x, y, z = area.size
        convex = [_outline(part[: len(part) // 2, :2]) for part in area.solid.parts]
        while len(found) < SPECKS:
            spot = _on_line(self.matter, x) if area.kind in _DIRECTIONAL else _on_disc(self.matter, _DISC * min(x, y))
            if _covered(convex, spot, half):
                found.append((float(spot[0]), float(spot[1]), (z + Dirt.size[2]) / 2))
        return Dirt(f'{area.name}_dirt', tuple(vector(centre) for centre in rounded(area.pose.apply(found))), wiper.name)

    def _laid(self, areas: list[Prop], sponge: Prop) -> tuple[Prop, ...]:
        """Return areas and sponge on the table, the sponge last."""
        slender = any(max(area.size[:2]) >= SLENDER * min(area.size[:2]) for area in areas)
        spacing = Spacing(alike=0.20 if self.axis == 'direction' else 0.10, gap=_SLENDER_GAP if slender else _ROUND_GAP)
        where = SIDES[int(self.layout.integers(len(SIDES)))]
        fresh: tuple[Prop, ...] = ()
        for i, area in enumerate(areas):
            yaw = self._yaw(i) if self.axis == 'direction' else TURN
            beside = (fresh[0], where) if self.axis == 'relative' and fresh else None
            others = (*self.placed, *fresh)
            fresh += (place(area, others, spacing=spacing, workspace=REACHED, chance=self.layout, yaw=yaw, beside=beside),)
        others = (*self.placed, *fresh)
        return (*fresh, place(sponge, others, spacing=spacing, workspace=self.workspace, chance=self.layout))

    def _yaw(self, index: int) -> tuple[float, float]:
        """Return between which yaws the area of that number lies; each way round is as likely."""
        low, high = _DIRECTIONS[index % 2]
        turn = pi if self.layout.integers(2) else 0.0
        return low - turn, high - turn


def _on_line(chance: np.random.Generator, length: float) -> Floats:
    return np.array([chance.uniform(-_LINE * length, _LINE * length), chance.normal(0.0, SPREAD)])


def _on_disc(chance: np.random.Generator, radius: float) -> Floats:
    angle, share = chance.uniform(-pi, pi), np.sqrt(chance.uniform())
    return np.array([radius * share * cos(angle), radius * share * sin(angle)])


def _outline(corners: Floats) -> _Outline:
    return corners, np.roll(corners, -1, axis=0) - corners


def _covered(convex: list[_Outline], spot: Floats, margin: float) -> bool:
    """Tell whether a spot (2,) lies on convex parts, and all around it at a distance, m."""
    around = spot + margin * _AROUND
    return bool(np.any([_inside(part, around) for part in convex], axis=0).all())


def _inside(part: _Outline, points: Floats) -> NDArray[np.bool_]:
    """Tell of each of (n, 2) points whether it lies within a part."""
    corners, edges = part
    to = points[:, None] - corners
    return np.asarray((edges[:, 0] * to[..., 1] - edges[:, 1] * to[..., 0] >= 0.0).all(axis=1))

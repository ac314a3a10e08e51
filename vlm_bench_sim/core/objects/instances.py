"""Instances of a noun: ten bottles and ten cups, each with a profile, a mass and a color of its own.

The first eight are seen in training. The last two are novel: their profiles are of another class, and their colors are far from all others.
"""

from dataclasses import dataclass

from vlm_bench_sim.core.errors import SceneError, near, quoted
from vlm_bench_sim.core.geometry import Vector
from vlm_bench_sim.core.looks import Color, Look, glass
from vlm_bench_sim.core.objects.models import Model
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.shapes import usual_size

SEEN = 8
"""Number of instances of each noun that are seen; those after them are novel."""

_FRICTION = 0.8


@dataclass(frozen=True)
class Instance:
    """One object of several that share a noun.

    Attributes:
        model: its shape, size, mass and friction.
        look: the look that it always has.
    """

    model: Model
    look: Look

    def prop(self, name: str, *, noun: str) -> Prop:
        """Return a prop of this instance at the origin."""
        return self.model.prop(name, noun=noun, color=self.look.color).dressed(self.look)


def _instance(kind: str, mass: float, look: Look) -> Instance:
    return Instance(Model(kind, usual_size(kind), mass, _FRICTION), look)


def _bottle(kind: str, mass: float, color: str, rgb: Vector) -> Instance:
    return _instance(kind, mass, Look(Color(color, rgb)))


def _cup(kind: str, mass: float, tint: str, rgb: Vector) -> Instance:
    return _instance(kind, mass, glass(Color(tint, rgb)))


BOTTLES = {
    one.model.kind: one
    for one in (
        _bottle('bottle0', 0.35, 'olive', (0.22, 0.31, 0.14)),  # wine
        _bottle('bottle1', 0.30, 'brown', (0.42, 0.23, 0.10)),  # beer
        _bottle('bottle2', 0.20, 'blue', (0.36, 0.62, 0.86)),  # water
        _bottle('bottle3', 0.22, 'red', (0.76, 0.13, 0.11)),  # sauce
        _bottle('bottle4', 0.12, 'amber', (0.80, 0.50, 0.14)),  # medicine
        _bottle('bottle5', 0.24, 'lilac', (0.62, 0.52, 0.80)),  # shampoo
        _bottle('bottle6', 0.28, 'white', (0.92, 0.91, 0.87)),  # milk
        _bottle('bottle7', 0.26, 'gray', (0.52, 0.55, 0.57)),  # flask
        _bottle('bottle8', 0.19, 'teal', (0.04, 0.60, 0.55)),  # two barrels
        _bottle('bottle9', 0.16, 'pink', (0.95, 0.40, 0.62)),  # a tube on its cap
    )
}
"""Bottles by shape, in the order of instances; masses are those of bottles that are filled in part."""

CUPS = {
    one.model.kind: one
    for one in (
        _cup('cup0', 0.150, 'clear', (0.90, 0.94, 0.94)),  # straight
        _cup('cup1', 0.160, 'green', (0.62, 0.86, 0.62)),  # tapered, with a handle
        _cup('cup2', 0.155, 'gray', (0.55, 0.57, 0.60)),  # bellied, with a handle
        _cup('cup3', 0.150, 'cyan', (0.55, 0.88, 0.90)),  # flared
        _cup('cup4', 0.180, 'yellow', (0.94, 0.88, 0.52)),  # with a foot and a handle
        _cup('cup5', 0.170, 'pink', (0.96, 0.72, 0.76)),  # narrowing, with a handle
        _cup('cup6', 0.140, 'lilac', (0.78, 0.72, 0.94)),  # a tulip
        _cup('cup7', 0.185, 'brown', (0.66, 0.50, 0.36)),  # stepped, with a handle
        _cup('cup8', 0.210, 'orange', (0.98, 0.56, 0.20)),  # a goblet
        _cup('cup9', 0.280, 'purple', (0.62, 0.30, 0.72)),  # on a pedestal, with a handle
    )
}
"""Cups by shape, in the order of instances; they are of tinted glass, so that the water in them is seen."""


def instance(kind: str) -> Instance:
    """Return the instance of that shape.

    Raises:
        SceneError: there is none.
    """
    known = BOTTLES | CUPS
    if kind not in known:
        raise SceneError(f'There is no instance called {quoted(kind)}. {near(kind, known)}')
    return known[kind]

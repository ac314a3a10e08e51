"""Instances of a noun: ten bottles and ten cups, each with a profile, a mass and a color of its own.

The first eight are seen in training. The last two are novel: their profiles are of another class, and their colors are far from all others.
"""

from dataclasses import dataclass

from vlm_bench_sim.core.geometry import Vector
from vlm_bench_sim.core.looks import Color, Look
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


def _instance(kind: str, mass: float, color: str, rgb: Vector) -> Instance:
    return Instance(Model(kind, usual_size(kind), mass, _FRICTION), Look(Color(color, rgb)))


BOTTLES = {
    one.model.kind: one
    for one in (
        _instance('bottle0', 0.35, 'olive', (0.22, 0.31, 0.14)),  # wine
        _instance('bottle1', 0.30, 'brown', (0.42, 0.23, 0.10)),  # beer
        _instance('bottle2', 0.20, 'blue', (0.36, 0.62, 0.86)),  # water
        _instance('bottle3', 0.22, 'red', (0.76, 0.13, 0.11)),  # sauce
        _instance('bottle4', 0.12, 'amber', (0.80, 0.50, 0.14)),  # medicine
        _instance('bottle5', 0.24, 'lilac', (0.62, 0.52, 0.80)),  # shampoo
        _instance('bottle6', 0.28, 'white', (0.92, 0.91, 0.87)),  # milk
        _instance('bottle7', 0.26, 'gray', (0.52, 0.55, 0.57)),  # flask
        _instance('bottle8', 0.19, 'teal', (0.04, 0.60, 0.55)),  # two barrels
        _instance('bottle9', 0.16, 'pink', (0.95, 0.40, 0.62)),  # a tube on its cap
    )
}
"""Bottles by shape, in the order of instances; masses are those of bottles that are filled in part."""

CUPS = {
    one.model.kind: one
    for one in (
        _instance('cup0', 0.150, 'clear', (0.90, 0.94, 0.94)),  # straight
        _instance('cup1', 0.160, 'green', (0.62, 0.86, 0.62)),  # tapered, with a handle
        _instance('cup2', 0.155, 'gray', (0.55, 0.57, 0.60)),  # bellied, with a handle
        _instance('cup3', 0.150, 'cyan', (0.55, 0.88, 0.90)),  # flared
        _instance('cup4', 0.180, 'yellow', (0.94, 0.88, 0.52)),  # with a foot and a handle
        _instance('cup5', 0.170, 'pink', (0.96, 0.72, 0.76)),  # narrowing, with a handle
        _instance('cup6', 0.140, 'lilac', (0.78, 0.72, 0.94)),  # a tulip
        _instance('cup7', 0.185, 'brown', (0.66, 0.50, 0.36)),  # stepped, with a handle
        _instance('cup8', 0.210, 'orange', (0.98, 0.56, 0.20)),  # a goblet
        _instance('cup9', 0.280, 'purple', (0.62, 0.30, 0.72)),  # on a pedestal, with a handle
    )
}
"""Cups by shape, in the order of instances; masses are those of glass."""

"""Ready-made props of LoHoRavens and ClevrSkills with their published sizes, masses and frictions."""

from dataclasses import replace

from vlm_bench_sim.core.areas import Area
from vlm_bench_sim.core.geometry import Pose, Vector
from vlm_bench_sim.core.looks import Color, Texture
from vlm_bench_sim.core.props import Prop

BLOCKS = {'small': 0.04, 'big': 0.06}
"""Sides of LoHoRavens' blocks, m; both have the same mass."""

BLOCK_MASS, BOWL_MASS = 0.01, 0.05
ZONES = (0.10, 0.12, 0.15)
"""Sides of LoHoRavens' zones, m. LoHoRavens always draws 0.12 and scores 0.10 or 0.15; here the drawn zone is the scored one."""

COLORS = {
    name: Color(name, (r / 255, g / 255, b / 255))
    for name, (r, g, b) in {
        'blue': (78, 121, 167), 'red': (255, 87, 89), 'green': (89, 169, 78), 'orange': (242, 142, 43), 'yellow': (237, 201, 72),
        'purple': (176, 122, 161), 'pink': (255, 157, 167), 'cyan': (118, 183, 178), 'brown': (156, 117, 95), 'white': (255, 255, 255),
        'gray': (186, 176, 172),
    }.items()
}  # fmt: skip
"""LoHoRavens' colors by name."""

_THIN = 0.001


def block(name: str, color: Color, *, side: float = BLOCKS['small']) -> Prop:
    """Return a LoHoRavens cube with side `side` m."""
    return Prop(name, 'cube', (side, side, side), color, BLOCK_MASS, noun='block')


def bowl(name: str, color: Color, *, fixed: bool = True) -> Prop:
    """Return a LoHoRavens bowl; target bowls are fixed, others are not."""
    return Prop(name, 'bowl', (0.12, 0.12, 0.045), color, BOWL_MASS, fixed=fixed, noun='bowl')


def zone(name: str, color: Color, *, side: float = 0.12) -> Prop:
    """Return a square frame drawn on the table, `side` m outside; it touches nothing."""
    return Prop(name, 'zone', (side, side, _THIN), color, 0.0, ghost=True, noun='zone')


def area_marker(name: str, color: Color, *, size: tuple[float, float] = (0.18, 0.18), texture: Texture | None = None) -> Prop:
    """Return a plate 1 cm thick to put objects on (ClevrSkills' area: 0.18 or 0.35 m)."""
    return Prop(name, 'cube', (*size, 0.01), color, 1.0, fixed=True, noun='area', texture=texture)


def painted(name: str, area: Area, color: Color) -> Prop:
    """Return an area as a film of 1 mm on the table; it is visible but touches nothing."""
    x, y, _ = area.pose.position
    at = Pose((x, y, _THIN / 2), area.pose.orientation)
    return Prop(name, 'cube', (*area.size, _THIN), color, 0.0, pose=at, ghost=True, noun='area')


def floating_marker(name: str, color: Color, at: Vector, *, radius: float = 0.05) -> Prop:
    """Return a ball in the air that marks a goal of the tool. It is visible but touches nothing, and a cue may change its look."""
    return Prop(name, 'ball', (2 * radius,) * 3, color, 0.0, pose=Pose(at), ghost=True, noun='marker')


def in_the_air(prop: Prop, pose: Pose) -> Prop:
    """Return the prop as an obstacle fixed in the air."""
    return replace(prop, pose=pose, fixed=True)

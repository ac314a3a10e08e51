"""Contact sheets of the instances of a noun: bottles that stand and lie, and cups with water in them."""

from math import cos, pi

import numpy as np

from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core.bottles import FACET
from vlm_bench_sim.core.cups import CUPFUL, MASS, RADIUS
from vlm_bench_sim.core.geometry import Pose, Vector
from vlm_bench_sim.core.matter import Beads, packed
from vlm_bench_sim.core.objects.instances import BOTTLES, CUPS, SEEN, Instance
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.profiles import robot
from vlm_bench_sim.render.mesh import Bytes
from vlm_bench_sim.render.renderer import Renderer
from vlm_bench_tasks.pages.prop_sheet import LIGHT, fitted, sheet, together

COLUMNS, TILE = 5, 240

_SHARES = (1.0, 0.8, 0.6, 0.4, 0.2, 0.2, 0.4, 0.6, 0.8, 1.0)
_EYE: Vector = (0.30, 0.74, 0.50)


def bottles() -> Bytes:
    """Return the sheet of bottles, each upright and on its side."""
    return sheet([(_caption(kind, one), _bottle(one)) for kind, one in BOTTLES.items()], columns=COLUMNS)


def _bottle(one: Instance) -> Bytes:
    width, _, height = one.model.size
    upright = one.prop('upright', noun='bottle').at(Pose((0.45, -0.04, height / 2)))
    side = Pose.from_rpy((0.45, 0.06, width / 2 * cos(FACET)), (0.0, pi / 2, 0.25)) @ Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, FACET))
    return together((upright, one.prop('lying', noun='bottle').at(side)), eye=_EYE, size=TILE)


def cups() -> Bytes:
    """Return the sheet of cups, each with another amount of water that has come to rest."""
    world, renderer = BulletWorld(robot('panda')), Renderer(robot('panda'))
    tiles = []
    for (kind, one), share in zip(CUPS.items(), _SHARES, strict=True):
        cup = one.prop('cup', noun='cup').at(Pose.from_rpy((0.45, 0.0, one.model.size[2] / 2 + 5e-4), (0.0, 0.0, -1.9)))
        centres = packed(cup, round(share * CUPFUL), np.random.default_rng(0), radius=RADIUS)
        scene = Scene((cup,), beads=(Beads('water', centres, RADIUS, MASS),), light=LIGHT)
        renderer.load(scene)
        camera = fitted(cup.pose.apply(cup.solid.vertices), _EYE, size=TILE)
        picture = renderer.render(camera, world.load(scene), {}, samples=3).color
        tiles.append((f'{_caption(kind, one)}, {100 * share:.0f} %', picture))
    world.close()
    renderer.close()
    return sheet(tiles, columns=COLUMNS)


def _caption(kind: str, one: Instance) -> str:
    novel = int(kind[-1]) >= SEEN
    return f'{kind}: {one.look.color.name}{", novel" if novel else ""}'

"""A contact sheet of pouring and wiping, as simulated and rendered."""

from dataclasses import replace

import numpy as np

from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.geometry import Pose, Vector
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.matter import Beads, Dirt, packed
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.shapes import usual_size
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.profiles import robot
from vlm_bench_sim.render.mesh import Bytes
from vlm_bench_sim.render.renderer import Renderer
from vlm_bench_tasks.pages.prop_sheet import sheet

TILE = 300
COUNT = 40

_CLAY, _SAND, _SUN = Color('clay', (0.80, 0.42, 0.30)), Color('sand', (0.90, 0.84, 0.70)), Color('sun', (0.95, 0.78, 0.20))


def matter() -> Bytes:
    """Return the sheet."""
    world, renderer = BulletWorld(robot('panda')), Renderer(robot('panda'))
    tiles = [*_poured(world, renderer), *_wiped(world, renderer)]
    world.close()
    renderer.close()
    return sheet(tiles, columns=3)


def _poured(world: BulletWorld, renderer: Renderer) -> list[tuple[str, Bytes]]:
    """Return pictures of a full mug, of a bowl being filled from a mug, and of what remains when the bowl is taken away."""
    mug = replace(_prop('mug', 'mug2', _CLAY, (0.45, 0.04, 0.0565)), fixed=True)
    bowl = replace(_prop('bowl', 'bowl', _SAND, (0.45, -0.08, 0.0225)), fixed=True)
    scene = Scene((mug, bowl), beads=(Beads('water', packed(mug, COUNT, np.random.default_rng(0))),))
    above, side = _camera((0.54, 0.14, 0.36), (0.45, 0.01, 0.03)), _camera((0.80, -0.22, 0.34), (0.45, -0.05, 0.07))
    renderer.load(scene)
    tiles = [(f'{COUNT} beads in a mug', renderer.render(above, world.load(scene), {}, samples=3).color)]
    for share in np.linspace(0.0, 1.0, 40):
        world.place('mug', mug.pose.shifted((0.0, 0.0, 0.10 * share)))
        world.step()
    for share in np.linspace(0.0, 1.0, 60):
        world.place('mug', Pose.from_rpy((0.45, 0.04, 0.1565), (1.62 * share, 0.0, 0.0)))
        snapshot = world.step()
    tiles.append(('poured into a bowl', renderer.render(side, snapshot, {}, samples=3).color))
    for turn in (*np.linspace(1.62, 2.2, 20), *[2.2] * 20):
        world.place('mug', Pose.from_rpy((0.45, 0.04, 0.1565), (float(turn), 0.0, 0.0)))
        world.step()
    world.place('bowl', bowl.pose.shifted((0.0, 0.3, 0.0)))
    for _ in range(20):
        snapshot = world.step()
    return [*tiles, ('spilled: the bowl is gone', renderer.render(side, snapshot, {}, samples=3).color)]


def _wiped(world: BulletWorld, renderer: Renderer) -> list[tuple[str, Bytes]]:
    """Return pictures of an area with dirt before, while and after a sponge wipes it."""
    area = replace(_prop('area', 'rectangle_area', _SUN, (0.45, 0.0, 0.0005)), size=(0.30, 0.10, 0.001), ghost=True)
    sponge = _prop('sponge', 'sponge', Color('green', (0.25, 0.62, 0.38)), (0.27, 0.0, 0.0165))
    chance = np.random.default_rng(0)
    spots = np.column_stack([0.45 + np.linspace(-0.12, 0.12, 50), chance.normal(0.0, 0.005, 50), np.full(50, 0.0015)])
    scene = Scene((area, sponge), dirt=(Dirt('dirt', tuple((float(x), float(y), float(z)) for x, y, z in spots), 'sponge'),))
    camera = _camera((0.45, -0.30, 0.34), (0.44, 0.0, 0.0))
    renderer.load(scene)
    tiles, snapshot = [], world.load(scene)
    for text, end in (('dirt on an area', 0.20), ('half wiped', 0.42), ('wiped', 0.66)):
        snapshot = _slid(world, snapshot, end)
        tiles.append((text, renderer.render(camera, snapshot, {}, samples=3).color))
    return tiles


def _slid(world: BulletWorld, snapshot: Snapshot, end: float) -> Snapshot:
    """Move the sponge along x to `end`, m."""
    start = snapshot.pose('sponge').position[0]
    for x in np.linspace(start, end, 12):
        world.place('sponge', Pose((float(x), 0.0, 0.0165)))
        snapshot = world.step()
    return snapshot


def _prop(name: str, kind: str, color: Color, at: Vector) -> Prop:
    return Prop(name, kind, usual_size(kind), color, 0.15, 0.7, Pose(at))


def _camera(eye: Vector, target: Vector) -> Camera:
    return Camera('sheet', Pose.look_at(eye, target), fov=0.75, width=TILE, height=TILE)

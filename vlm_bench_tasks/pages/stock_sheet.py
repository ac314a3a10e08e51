"""Tiles of composite objects: stocked props, markers, areas, the balance, and a prop that is held at the start."""

from dataclasses import replace
from math import pi

import numpy as np

from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core.areas import AREAS
from vlm_bench_sim.core.geometry import Pose, Vector
from vlm_bench_sim.core.looks import Color, Texture
from vlm_bench_sim.core.objects.balance import ARM, DROP, PIVOT, balance
from vlm_bench_sim.core.objects.stock import BLOCKS, COLORS, area_marker, block, bowl, floating_marker, in_the_air, painted, zone
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Light, RobotStart, Scene
from vlm_bench_sim.core.shapes import usual_size
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.profiles import robot
from vlm_bench_sim.render.mesh import Bytes
from vlm_bench_sim.render.renderer import Renderer
from vlm_bench_tasks.pages.prop_sheet import TILE, fitted, together

_ABOVE: Vector = (0.20, 0.62, 0.85)
_LOOKS = {
    'waiting': Color('red', (0.85, 0.22, 0.20)),
    'next': Color('green', (0.16, 0.70, 0.30)),
    'done': Color('yellow', (0.95, 0.80, 0.15)),
}
_DOWN = Pose.from_rpy((0.0, 0.0, 0.0), (pi, 0.0, 0.0))


def stock() -> list[tuple[str, Bytes]]:
    """Return a tile of each object, with its caption."""
    return [
        ('blocks, 4 and 6 cm', together((_on(block('a', COLORS['red']), 0.42, 0.0, 0.3), _on(_big(COLORS['blue']), 0.50, -0.02, 0.6)))),
        ('blocks in bowls', together(_settled(*_bowls()))),
        ('zones: 10, 12, 15 cm', together(_zones(), eye=_ABOVE)),
        ('stack on a zone', together(_settled(*_stack()))),
        ('named areas', together(_areas(), eye=(0.9, 0.0, 1.1))),
        ('area marker', together((_marker(), _on(Prop('c', 'cylinder', (0.06, 0.06, 0.05), _LOOKS['done'], 0.1), 0.43, 0.02, 0.0, 0.01)))),
        ('floating markers (cues)', together(_cues(), eye=(0.25, 0.85, 0.55), down=True)),
        ('obstacles in the air', together(_obstacles(), eye=(0.25, 0.85, 0.50), down=True)),
        ('balance scale', _balance()),
        ('held at the start', _held()),
    ]  # fmt: skip


def _on(prop: Prop, x: float, y: float, yaw: float, on: float = 0.0) -> Prop:
    return prop.at(Pose.from_rpy((x, y, on + prop.size[2] / 2), (0.0, 0.0, yaw)))


def _big(color: Color) -> Prop:
    return block('b', color, side=BLOCKS['big'])


def _bowls() -> tuple[Prop, ...]:
    found = []
    for i, (into, name) in enumerate((('blue', 'yellow'), ('green', 'red'))):
        x = 0.38 + 0.14 * i
        found += [_on(bowl(f'bowl_{i}', COLORS[into]), x, 0.0, 0.0), _on(block(f'block_{i}', COLORS[name]), x, 0.0, 0.4, 0.02)]
    return tuple(found)


def _zones() -> tuple[Prop, ...]:
    places = ((0.36, 0.04), (0.50, 0.05), (0.40, -0.11))
    named = zip((0.10, 0.12, 0.15), ('red', 'green', 'blue'), places, strict=True)
    return tuple(_on(zone('z', COLORS[name], side=side), x, y, 0.2) for side, name, (x, y) in named)


def _stack() -> tuple[Prop, ...]:
    names = ('blue', 'orange', 'green', 'red')
    tower = tuple(_on(block(f'block_{i}', COLORS[name]), 0.45, 0.0, 0.5 + 0.06 * (-1) ** i, 0.04 * i) for i, name in enumerate(names))
    return (_on(zone('z', COLORS['purple'], side=0.12), 0.45, 0.0, 0.5), *tower)


def _areas() -> tuple[Prop, ...]:
    colors = ('blue', 'green', 'orange', 'pink', 'white')
    films = [painted(name, area, COLORS[color]) for (name, area), color in zip(AREAS.items(), colors, strict=True)]
    return tuple(replace(film, pose=film.pose.shifted((0.0, 0.0, 0.001 * (film.name == 'center')))) for film in films)


def _marker() -> Prop:
    plate = area_marker('m', COLORS['purple'], texture=Texture('checker', COLORS['white'], 0.06))
    return _on(plate, 0.45, 0.0, 0.4)


def _cues() -> tuple[Prop, ...]:
    places = ((0.34, 0.0, 0.12), (0.45, 0.0, 0.17), (0.56, 0.0, 0.11))
    order = ('done', 'next', 'waiting')
    return tuple(floating_marker(look, _LOOKS[look], at, radius=0.025) for look, at in zip(order, places, strict=True))


def _obstacles() -> tuple[Prop, ...]:
    things = (('star', 'orange', (0.36, 0.0, 0.14), (1.2, 0.3, 0.4)), ('cube', 'blue', (0.46, 0.02, 0.19), (0.5, 0.4, 0.2)),
              ('cylinder', 'red', (0.55, 0.0, 0.12), (0.6, -0.7, 0.0)))  # fmt: skip
    return tuple(in_the_air(Prop(k, k, usual_size(k), COLORS[c], 0.1), Pose.from_rpy(at, turn)) for k, c, at, turn in things)


def _settled(*props: Prop) -> tuple[Prop, ...]:
    """Return the props at their resting poses."""
    world = BulletWorld(robot('panda'))
    now = world.load(Scene(props))
    world.close()
    return Scene(props).now(now)


def _balance() -> Bytes:
    """Return the balance some seconds after a heavier and a lighter tower were placed on it."""
    scale = balance('scale', Pose((0.55, 0.0, 0.0)))
    heavy, light = (block(name, COLORS[name], side=0.05) for name in ('red', 'blue'))
    laid = (_on(replace(heavy, mass=0.16), 0.3, 0.3, 0.0), _on(replace(light, mass=0.13), 0.3, -0.3, 0.0))
    world = BulletWorld(robot('panda'))
    scene = Scene(laid, mechanisms=(scale,), light=Light((0.75, 0.10, 0.80)))
    world.load(scene)
    for one, y in zip(laid, (ARM, -ARM), strict=True):
        world.place(one.name, Pose((0.55, y, PIVOT - DROP + 0.0255)))
    for _ in range(80):
        now = world.step()
    world.close()
    corners = np.array([(0.55 + x, y, z) for x in (-0.08, 0.08) for y in (-0.32, 0.32) for z in (0.0, 0.80)])
    return _shown(scene, now, corners, eye=(1.0, 0.35, 0.28), arm=False)


def _held() -> Bytes:
    cube = Prop('cube', 'cube', usual_size('cube'), COLORS['red'], 0.07)
    scene = Scene((cube,), robot=RobotStart(held='cube', grasp=_DOWN), light=Light((0.75, 0.10, 0.80)))
    world = BulletWorld(robot('panda'))
    now = world.load(scene)
    world.close()
    at = np.asarray(now.pose('cube').position)
    corners = at + np.array([(x, y, z) for x in (-0.06, 0.06) for y in (-0.06, 0.06) for z in (-0.04, 0.10)])
    return _shown(scene, now, corners, eye=(0.90, 0.30, 0.30), arm=True)


def _shown(scene: Scene, now: Snapshot, corners: np.ndarray, *, eye: Vector, arm: bool) -> Bytes:
    profile = robot('panda')
    links = Kinematics(profile).link_poses({name: joint.position for name, joint in now.joints.items()}) if arm else {}
    renderer = Renderer(profile)
    renderer.load(scene)
    picture = renderer.render(fitted(corners, eye, size=TILE), now, links, samples=3).color
    renderer.close()
    return picture

"""Pictures show furniture link by link, where its joints have it."""

from dataclasses import replace

import numpy as np
import pytest

from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Color, Texture
from vlm_bench_sim.core.mechanisms import Joint, Link, Mechanism
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import JointState, Snapshot
from vlm_bench_sim.profiles import robot
from vlm_bench_sim.render import Renderer

RED, BLUE, GREY = Color('red', (0.9, 0.1, 0.1)), Color('blue', (0.1, 0.1, 0.9)), Color('steel', (0.6, 0.6, 0.6))
FRONT = Camera('front', Pose.look_at((-0.6, 0.0, 0.2), (0.5, 0.0, 0.15)), fov=0.6, width=160, height=120)


def part(name: str, size: tuple[float, float, float], x: float, color: Color, **change) -> Prop:
    return Prop(name, 'cube', size, color, 1.0, pose=Pose((x, 0.0, 0.0)), **change)


def cabinet(**change) -> Mechanism:
    body = Link('body', (part('carcass', (0.2, 0.3, 0.3), 0.1, BLUE),))
    slide = Joint('prismatic', Pose((0.0, 0.0, 0.0)), (-1.0, 0.0, 0.0), 0.0, 0.2)
    drawer = Link(
        'drawer',
        (part('front', (0.02, 0.16, 0.1), -0.011, RED, **change), part('bar', (0.01, 0.06, 0.02), -0.05, GREY)),
        'body',
        slide,
        ('bar',),
    )
    return Mechanism('cabinet', (body, drawer), Pose((0.5, 0.0, 0.15)))


@pytest.fixture(scope='module')
def renderer():
    made = Renderer(robot('panda'))
    yield made
    made.close()


def seen(renderer, piece: Mechanism, position: float | None = None):
    scene = Scene((), mechanisms=(piece,))
    renderer.load(scene)
    joints = {} if position is None else {'cabinet/drawer': JointState(position)}
    picture = renderer.render(FRONT, Snapshot(0, 0, {}, Pose(), 0.0, mechanisms=joints), {})
    return picture, picture.ids == scene.ids['cabinet/drawer'], picture.ids == scene.ids['cabinet/body']


def test_each_link_has_its_own_number_and_each_part_its_own_color(renderer):
    picture, drawer, body = seen(renderer, cabinet())
    assert min(drawer.sum(), body.sum()) > 200
    reddest = picture.color[drawer].astype(int)
    assert (reddest[:, 0] > reddest[:, 2] + 60).mean() > 0.5
    assert (np.abs(reddest[:, 0] - reddest[:, 2]) < 25).mean() > 0.05  # the steel bar
    bluest = picture.color[body].astype(int)
    assert (bluest[:, 2] > bluest[:, 0] + 30).mean() > 0.9


def test_a_drawer_is_drawn_where_the_snapshot_has_it_and_else_where_it_starts(renderer):
    closed = seen(renderer, cabinet())[0].depth[60, 80]
    opened = seen(renderer, cabinet(), 0.15)[0].depth[60, 80]
    started = seen(renderer, cabinet().started(drawer=0.15))[0].depth[60, 80]
    assert closed - opened == pytest.approx(0.15, abs=0.003)
    assert started == pytest.approx(opened, abs=1e-6)


def test_a_pattern_of_one_part_does_not_cover_the_others(renderer):
    checked = Texture('checker', Color('white', (1.0, 1.0, 1.0)), 0.04)
    plain, drawer, _ = seen(renderer, cabinet())
    woven, _, body = seen(renderer, cabinet(texture=checked))
    assert (np.abs(plain.color.astype(int) - woven.color)[drawer].max(axis=1) > 40).mean() > 0.2
    np.testing.assert_array_equal(plain.color[body], woven.color[body])


def test_furniture_throws_shadows(renderer):
    piece = replace(cabinet(), pose=Pose((0.6, 0.0, 0.15)))
    above = Camera('above', Pose.look_at((0.3, -0.2, 1.2), (0.55, -0.2, 0.0)), fov=0.9, width=120, height=120)
    scenes = [Scene((), mechanisms=mechanisms) for mechanisms in ((piece,), ())]
    pictures = []
    for scene in scenes:
        renderer.load(scene)
        pictures.append(renderer.render(above, {}, {}))
    table = (pictures[0].ids == 1) & (pictures[1].ids == 1)
    darker = pictures[1].color[table].astype(int).sum(axis=1) - pictures[0].color[table].astype(int).sum(axis=1)
    assert (darker > 40).mean() > 0.02

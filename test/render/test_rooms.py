"""Rooms in pictures: the background is drawn once for a fixed camera and looks the same to a moving one; what is near casts shadows."""

from dataclasses import replace

import numpy as np
import pytest

from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.objects.rooms import PLANS, STUDY
from vlm_bench_sim.core.objects.stock import COLORS, block
from vlm_bench_sim.core.scene import Light, Scene, Table
from vlm_bench_sim.core.snapshot import ROOM
from vlm_bench_sim.profiles import cameras
from vlm_bench_sim.render import Renderer
from vlm_bench_sim.render.shaders import OBJECTS

(BASE,) = cameras('arnold:base', 160, 120)
FAST = ('room0', 'room7', 'room18')
BLOCK = block('one', COLORS['red']).at(Pose((0.45, 0.0, 0.02)))


def scene(name: str, **change) -> Scene:
    return replace(Scene((BLOCK,), room=name), **change)


def poses(x: float = 0.45) -> dict[str, Pose]:
    return {'one': Pose((x, 0.0, 0.02))}


@pytest.mark.parametrize('shadows', [True, False])
@pytest.mark.parametrize('name', FAST)
def test_a_fixed_camera_and_a_moving_one_at_its_place_see_the_same(renderer: Renderer, links, name, shadows) -> None:
    renderer.load(scene(name, light=Light(shadows=shadows)))
    hand = 'panda_hand'
    moving = replace(BASE, pose=links[hand].inverse() @ BASE.pose, link=hand)
    fixed = [renderer.render(BASE, poses(x), links) for x in (0.45, 0.50)]
    other = [renderer.render(moving, poses(x), links) for x in (0.45, 0.50)]
    for a, b in zip(fixed, other, strict=True):
        differs = (np.abs(a.color.astype(int) - b.color).max(axis=-1) > 3).mean()
        assert differs < 0.002 and (a.ids != b.ids).mean() < 0.002
    assert (fixed[0].color != fixed[1].color).any()


@pytest.mark.parametrize('name', PLANS)
def test_a_room_fills_the_picture_and_fits_into_one(renderer: Renderer, name) -> None:
    """Behind the table there is no empty background, and the room's parts leave room for props."""
    given = scene(name)
    assert len(given.surroundings.far) + len(given.surroundings.shell) + len(given.surroundings.near) < OBJECTS
    renderer.load(given)
    picture = renderer.render(BASE, poses(), {})
    assert (picture.ids != 0).all() and (picture.ids == given.ids[ROOM]).mean() > 0.1
    assert picture.color[picture.ids == given.ids[ROOM]].std() > 12
    counts = renderer.alone(BASE, poses(), {})
    assert counts[given.ids[ROOM]] == picture.ids.size


def test_the_background_does_not_change_with_the_arm_and_the_table_does(renderer: Renderer, links) -> None:
    """No shadow of the arm falls on it, so the picture of it that is kept stays right."""
    given = scene('room2', light=Light((-0.5, 0.1, 0.8)))
    renderer.load(given)
    with_arm, without = renderer.render(BASE, poses(), links), renderer.render(BASE, poses(), {})
    both = (with_arm.ids == given.ids[ROOM]) & (without.ids == given.ids[ROOM])
    away = both & (with_arm.depth > 2.2)
    assert away.sum() > 100 and (with_arm.color[away] == without.color[away]).all()
    table = (with_arm.ids == 1) & (without.ids == 1)
    assert (np.abs(with_arm.color[table].astype(int) - without.color[table]).max(axis=-1) > 10).sum() > 50


def test_what_stands_in_a_room_is_dark_on_its_shadowed_side_and_on_the_floor(renderer: Renderer) -> None:
    """The table throws its shadow on the floor beside it."""
    light = Light((0.1, -0.6, 0.8))
    camera = Camera('side', Pose.look_at((0.4, 2.0, 0.6), (0.4, 0.9, -0.74)), fov=0.8, width=160, height=120)
    pictures = []
    for shadows in (True, False):
        renderer.load(scene('room9', light=replace(light, shadows=shadows)))
        pictures.append(renderer.render(camera, poses(), {}).color.astype(int))
    darker = (pictures[1] - pictures[0]).max(axis=-1)
    assert (darker > 15).mean() > 0.05 and (darker < 4).mean() > 0.2


def test_a_neighbour_throws_its_shadow_on_the_table(renderer: Renderer) -> None:
    light = Light((0.0, -0.8, 0.6))
    top = Camera('top', Pose.look_at((0.28, 0.0, 1.0), (0.28001, 0.0, 0.0)), fov=1.0, width=160, height=160)
    renderer.load(scene('room0', light=light))
    there = renderer.render(top, poses(), {})
    renderer.load(scene('', light=light))
    bare = renderer.render(top, poses(), {})
    table = (there.ids == 1) & (bare.ids == 1)
    assert ((bare.color[table].astype(int) - there.color[table]).max(axis=-1) > 15).sum() > 100


def test_rooms_change_nothing_about_the_study_and_about_no_room(renderer: Renderer) -> None:
    """They are drawn as before, whatever was drawn between."""
    before = {}
    for name in ('', STUDY, 'room1', '', STUDY, 'room1'):
        renderer.load(scene(name, table=Table()))
        picture = renderer.render(BASE, poses(), {}, samples=3)
        assert (before.setdefault(name, picture.color) == picture.color).all()

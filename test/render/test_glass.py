"""What is behind glass is seen through it: beads keep depth and id of their own, and all else has those of the nearest wall."""

from collections.abc import Sequence
from dataclasses import replace
from math import cos, radians, sin

import numpy as np
import pytest
from scipy.stats import spearmanr

from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core.camera import Camera, Picture
from vlm_bench_sim.core.cups import CUPFUL as FULL
from vlm_bench_sim.core.cups import RADIUS
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Color, Look, glass
from vlm_bench_sim.core.matter import Beads, packed
from vlm_bench_sim.core.objects.instances import CUPS
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import Light, Scene
from vlm_bench_sim.render import Renderer
from vlm_bench_sim.render.shaders import FEW

AT = (0.5, 0.0, 0.05)
GREEN, RED = Color('green', (0.6, 0.9, 0.6)), Color('red', (0.9, 0.3, 0.3))


def view(degrees: float, *, far: float = 0.9, fov: float = 0.8, size: int = 128) -> Camera:
    """A camera on the side of the robot, at an angle above the table."""
    x, _, z = AT
    eye = (x - far * cos(radians(degrees)), 0.0, z + far * sin(radians(degrees)))
    return Camera('view', Pose.look_at(eye, AT), fov=fov, width=size, height=size)


NEAR = view(35, far=0.4, fov=0.45)


def cup(kind: str = 'cup1', *, look: Look | None = None, at: tuple[float, float] = (0.5, 0.0)) -> Prop:
    prop = CUPS[kind].prop(kind, noun='cup')
    return prop.at(Pose.from_rpy((*at, prop.size[2] / 2), (0.0, 0.0, 0.7))).dressed(look or prop.look)


def water(prop: Prop, count: int) -> tuple[Beads, ...]:
    return (Beads('water', packed(prop, count, np.random.default_rng(1), radius=RADIUS), RADIUS, 1.3e-3),) if count else ()


def poses(scene: Scene) -> dict[str, Pose]:
    return {prop.name: prop.pose for prop in scene.props}


def shot(renderer: Renderer, scene: Scene, camera: Camera = NEAR) -> Picture:
    renderer.load(scene)
    return renderer.render(camera, poses(scene), {})


def opaque(scene: Scene) -> Scene:
    return replace(scene, props=tuple(replace(prop, texture=None) for prop in scene.props))


def near_beads(ids: np.ndarray, scene: Scene) -> np.ndarray:
    return np.isin(ids, [scene.ids[group.name] for group in scene.beads])


def block(x: float) -> Prop:
    return Prop('block', 'cube', (0.02, 0.05, 0.05), RED, 0.1, pose=Pose((x, 0.02, 0.025)))


@pytest.mark.parametrize('kind', ['cup0', 'cup2', 'cup9'])
def test_a_camera_sees_how_full_a_cup_is(renderer: Renderer, panda: RobotProfile, kind: str) -> None:
    world, counts = BulletWorld(panda), range(0, FULL + 1, 6)
    seen: dict[float, list[int]] = {30.0: [], 50.0: []}
    for count in counts:
        scene = Scene((cup(kind),), beads=water(cup(kind), count))
        now = world.load(scene)
        renderer.load(scene)
        for degrees, found in seen.items():
            found.append(int(near_beads(renderer.render(view(degrees), now, {}).ids, scene).sum()))
    world.close()
    for found in seen.values():
        assert spearmanr(list(counts), found).statistic >= 0.95
        assert found[0] == 0 and found[-1] > 60


@pytest.mark.parametrize('props', [(), (block(0.42),), (block(0.58),)], ids=['alone', 'before it', 'behind it'])
def test_ids_and_depths_are_of_the_nearest_wall_but_where_beads_are_behind_it(renderer: Renderer, props: Sequence[Prop]) -> None:
    scene = Scene((cup(), *props), beads=water(cup(), FULL))
    seen, solid, open_ = (shot(renderer, one) for one in (scene, opaque(scene), replace(scene, props=tuple(props))))
    wet = near_beads(open_.ids, replace(scene, props=tuple(props)))
    ids = np.where(wet, scene.ids['water'], solid.ids)
    assert (seen.ids == ids).all()
    assert (seen.depth == np.where(wet, open_.depth, solid.depth)).all()
    assert wet.sum() > 500 and (seen.ids == scene.ids['cup1']).sum() > 500


def test_the_colors_are_of_what_is_behind_with_a_tint(renderer: Renderer) -> None:
    empty = Scene((cup(look=glass(GREEN)),), light=Light(shadows=False))
    seen, solid, bare = (shot(renderer, one).color.astype(int) for one in (empty, opaque(empty), replace(empty, props=())))
    here = shot(renderer, empty).ids == empty.ids['cup1']
    red, green, _ = (seen[here] / np.maximum(bare[here], 1)).T
    assert np.median(red) < np.median(green) < 1.0, 'it takes red from the table'
    assert np.abs(np.median(seen[here] - bare[here], axis=0)).sum() < np.abs(np.median(solid[here] - bare[here], axis=0)).sum()
    assert (seen[~here] == bare[~here]).all()


def test_every_wall_is_seen(renderer: Renderer) -> None:
    """Behind the far wall of a cup the table is darker than behind the wall of half a cup, which a thing inside it hides."""
    full = Scene((cup('cup0', look=glass(GREEN)),), light=Light(shadows=False))
    inner = Prop('inner', 'cylinder', (0.066, 0.066, 0.06), Color('sand', (0.80, 0.68, 0.53)), 0.1, pose=Pose((0.5, 0.0, 0.036)))
    through, before = shot(renderer, full).color, shot(renderer, replace(full, props=(*full.props, inner))).color
    alone = shot(renderer, replace(full, props=(inner,))).color
    bare = shot(renderer, replace(full, props=())).color
    middle = slice(62, 70), slice(62, 66)
    four, two = (np.median(a[middle][..., 0] / b[middle][..., 0]) for a, b in ((through, bare), (before, alone)))
    assert four < two - 0.02


@pytest.mark.parametrize('shadows', [True, False])
def test_the_order_of_props_makes_no_difference(renderer: Renderer, shadows: bool) -> None:
    one, other = cup('cup1', at=(0.45, 0.02)), cup('cup8', at=(0.54, -0.02))
    scene = Scene((one, other), beads=water(other, 30), light=Light(shadows=shadows))
    first, second = shot(renderer, scene), shot(renderer, replace(scene, props=(other, one)))
    differences = np.abs(first.color.astype(int) - second.color)
    assert differences.max() <= 5 and differences.mean() < 0.1, 'each wall rounds the colors'
    assert (first.depth == second.depth).all()
    swapped = {scene.ids['cup1']: scene.ids['cup8'], scene.ids['cup8']: scene.ids['cup1']}
    assert (first.ids == np.vectorize(lambda number: swapped.get(number, number))(second.ids)).all()


def test_a_shadow_of_glass_is_fainter_than_that_of_a_solid_thing_and_ends_with_the_table(renderer: Renderer) -> None:
    scene = Scene((cup('cup8', at=(0.88, 0.0)),))
    camera = Camera('above', Pose.look_at((0.88, -0.4, 0.6), (0.88, 0.0, 0.0)), fov=0.9, width=128, height=128)
    seen, solid, bare = (shot(renderer, one, camera) for one in (scene, opaque(scene), replace(scene, props=())))
    table = (seen.ids == scene.ids['table']) & (solid.ids == scene.ids['table'])
    lost = [(bare.color.astype(int) - one.color)[..., 1] for one in (seen, solid)]
    seen_shadow, solid_shadow = (one[table & (one > 5)] for one in lost)
    assert len(seen_shadow) > 50 and np.median(seen_shadow) < np.median(solid_shadow) - 10
    beside = (bare.ids == 0) & (seen.ids == 0)
    assert beside.any() and (seen.color[beside] == bare.color[beside]).all()


def test_finer_pictures_and_pictures_painted_together_show_the_same(renderer: Renderer) -> None:
    scene = Scene((cup(),), beads=water(cup(), FULL))
    cameras = [NEAR, view(50), replace(NEAR, width=96, height=64)]
    renderer.load(scene)
    alone = [renderer.render(camera, poses(scene), {}) for camera in cameras]
    for one, other in zip(alone, renderer.pictures(cameras, poses(scene), {}), strict=True):
        assert all((getattr(one, name) == getattr(other, name)).all() for name in ('color', 'depth', 'ids'))
    fine = renderer.render(NEAR, poses(scene), {}, samples=3)
    assert (fine.ids == alone[0].ids).all()
    assert fine.depth == pytest.approx(alone[0].depth, abs=1e-5)
    assert np.abs(fine.color.astype(int) - alone[0].color).mean() < 6


def test_ids_beyond_one_byte_are_those_of_the_beads_too(renderer: Renderer) -> None:
    few = Scene((cup(),), beads=water(cup(), FULL))
    far = tuple(Prop(f'p{i}', 'cube', (0.01, 0.01, 0.01), RED, 0.01, pose=Pose((-1.0, 0.02 * i, 0.005))) for i in range(300))
    many = replace(few, props=(*far, *few.props))
    assert many.ids['cup1'] > FEW
    one, other = shot(renderer, few), shot(renderer, many)
    for name in ('cup1', 'water'):
        assert ((one.ids == few.ids[name]) == (other.ids == many.ids[name])).all()
    assert other.depth == pytest.approx(one.depth, rel=1e-6)


def test_glass_leaves_pictures_of_other_scenes_and_other_renderers_alone(renderer: Renderer, panda: RobotProfile) -> None:
    clear = Scene((cup(),), beads=water(cup(), 20))
    solid = opaque(clear)
    before = shot(renderer, solid)
    first = shot(renderer, clear)
    after = shot(renderer, solid)
    fresh = Renderer(panda)
    second = shot(fresh, clear)
    fresh.close()
    for one, other in ((before, after), (first, second)):
        assert all(getattr(one, name).tobytes() == getattr(other, name).tobytes() for name in ('color', 'depth', 'ids'))


def test_a_see_through_thing_fills_as_many_pixels_alone_as_a_solid_one(renderer: Renderer) -> None:
    scene = Scene((cup(),), beads=water(cup(), 20))
    found = []
    for one in (scene, opaque(scene)):
        renderer.load(one)
        found.append(renderer.alone(NEAR, poses(scene), {}))
    assert found[0] == found[1] and found[0][scene.ids['cup1']] > 500

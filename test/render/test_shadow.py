"""Shadows lie where geometry says, are soft at their edges only, and move with what throws them."""

from dataclasses import replace

import numpy as np
import pytest

from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.objects.rooms import FLOOR
from vlm_bench_sim.core.objects.stock import COLORS, zone
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.core.scene import Light, Scene, Table
from vlm_bench_sim.render import Renderer

SIDE, HEIGHT = 0.06, 0.30
WHITE = Color('white', (1.0, 1.0, 1.0))
TOP = Camera('top', Pose.look_at((0.45, 0.0, 1.2), (0.45001, 0.0, 0.0)), fov=0.7, width=240, height=240)
LIGHT = Light(direction=(0.4, 0.3, 0.8))


def scene(light: Light = LIGHT, x: float = 0.45) -> Scene:
    """A white cube that floats above a white table."""
    cube = Prop('cube', 'cube', (SIDE, SIDE, SIDE), WHITE, 0.1, pose=Pose((x, 0.0, HEIGHT)))
    return Scene((cube,), table=Table(color=WHITE), light=light)


def look(renderer: Renderer, given: Scene, camera: Camera = TOP) -> np.ndarray:
    renderer.load(given)
    return renderer.render(camera, {prop.name: prop.pose for prop in given.props}, {}).color.astype(int)


def points(camera: Camera) -> np.ndarray:
    """Where on the table each pixel's centre looks, (height, width, 2) m."""
    u, v = np.meshgrid(np.arange(camera.width), np.arange(camera.height))
    rays = np.stack([u, v, np.ones_like(u)], -1).reshape(-1, 3) @ np.linalg.inv(camera.intrinsics).T @ camera.pose.rotation.T
    eye = np.asarray(camera.pose.position)
    return (eye - rays * eye[2] / rays[:, 2:])[:, :2].reshape(camera.height, camera.width, 2)


def dark(renderer: Renderer, given: Scene) -> np.ndarray:
    """Where the table is darker than without shadows."""
    plain = look(renderer, replace(given, light=replace(given.light, shadows=False)))
    return (plain - look(renderer, given)).max(axis=-1)


def test_a_shadow_lies_where_the_light_throws_it_and_is_as_large_as_what_throws_it(renderer: Renderer) -> None:
    darker = dark(renderer, scene())
    where = points(TOP)[darker > 10]
    along = HEIGHT / LIGHT.direction[2]
    wanted = np.array([0.45, 0.0]) - along * np.asarray(LIGHT.direction[:2])
    assert np.linalg.norm(where.mean(axis=0) - wanted) < 0.006
    pixel = np.ptp(points(TOP)[:, :, 0]) / 239
    slant = SIDE / LIGHT.direction[2]
    outline = (SIDE + slant * LIGHT.direction[0]) * (SIDE + slant * LIGHT.direction[1]) - slant**2 * LIGHT.direction[0] * LIGHT.direction[1]
    assert len(where) * pixel**2 == pytest.approx(outline, rel=0.12)


def test_what_the_light_reaches_is_as_bright_as_without_shadows(renderer: Renderer) -> None:
    """No surface throws a shadow on itself; only the shadow's rim is in between."""
    darker = dark(renderer, scene())
    assert (darker <= 1).mean() > 0.85
    rim = ((darker > 1) & (darker < darker.max() - 3)).sum()
    assert 20 < rim < 0.5 * (darker > 1).sum()
    assert darker.max() > 40


def test_the_shadow_moves_with_what_throws_it_and_with_the_light(renderer: Renderer) -> None:
    first = points(TOP)[dark(renderer, scene()) > 10].mean(axis=0)
    moved = points(TOP)[dark(renderer, scene(x=0.52)) > 10].mean(axis=0)
    assert moved - first == pytest.approx([0.07, 0.0], abs=0.006)
    turned = points(TOP)[dark(renderer, scene(replace(LIGHT, direction=(-0.4, 0.3, 0.8)))) > 10].mean(axis=0)
    assert turned[0] > 0.45 > first[0]


def test_a_prop_that_moves_between_two_pictures_takes_its_shadow_along(renderer: Renderer) -> None:
    given = scene()
    renderer.load(given)
    renderer.render(TOP, {'cube': given.props[0].pose}, {})
    later = renderer.render(TOP, {'cube': scene(x=0.52).props[0].pose}, {}).color
    assert (later == look(renderer, scene(x=0.52))).all()


def test_every_camera_sees_the_same_shadow(renderer: Renderer) -> None:
    given = scene()
    renderer.load(given)
    other = replace(TOP, pose=Pose.look_at((0.1, 0.3, 1.0), (0.4, 0.0, 0.0)))
    poses = {'cube': given.props[0].pose}
    alone = renderer.render(other, poses, {}).color
    renderer.load(given)
    renderer.render(TOP, poses, {})
    assert (renderer.render(other, poses, {}).color == alone).all()


def test_strength_and_color_of_the_light_show(renderer: Renderer) -> None:
    bright, dim, red = (
        look(renderer, scene(light))[5, 5]
        for light in (LIGHT, replace(LIGHT, strength=0.3), replace(LIGHT, color=Color('red', (1.0, 0.2, 0.2))))
    )
    assert (dim < bright - 20).all()
    assert red[0] == pytest.approx(bright[0], abs=3)
    assert red[1] < bright[1] - 20


@pytest.mark.parametrize(
    'wrong', [{'direction': (0.0, 0.0, 0.0)}, {'direction': (1.0, 0.0, 0.05)}, {'strength': -1.0}, {'direction': (0.0, 0.0, float('nan'))}]
)
def test_a_light_that_cannot_be_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(SceneError, match='from above'):
        Light(**wrong)


def test_the_thin_rim_of_a_zone_is_of_one_color_and_throws_no_shadow(renderer: Renderer) -> None:
    """Rims of 1 mm: their dark sides and shadows, thinner than a pixel, would look like dashes."""
    mark = zone('zone', COLORS['gray'], side=0.15).at(Pose.from_rpy((0.45, 0.0, 0.001), (0.0, 0.0, 0.3)))
    camera = replace(TOP, pose=Pose.look_at((1.1, -0.3, 0.5), (0.45, 0.0, 0.0)))
    given = Scene((mark,), table=Table(color=WHITE), light=LIGHT)
    assert (look(renderer, given, camera) == look(renderer, replace(given, light=replace(LIGHT, shadows=False)), camera)).all()
    renderer.load(given)
    picture = renderer.render(camera, {'zone': mark.pose}, {})
    seen = picture.color[picture.ids == given.ids['zone']].astype(int)
    assert len(seen) > 100 and np.ptp(seen, axis=0).max() <= 2


def fine(renderer: Renderer, given: Scene, camera: Camera, samples: int = 1) -> np.ndarray:
    renderer.load(given)
    return renderer.render(camera, {}, {}, samples=samples).color.astype(int)


@pytest.mark.parametrize('samples', [1, 3])
def test_what_stands_in_a_room_throws_its_shadow_on_the_floor(renderer: Renderer, samples: int) -> None:
    """The stool's seat, 0.47 m above the floor: its round shadow lies where the light throws it."""
    seat, height = np.array([1.55, 0.75]), 0.45
    light = Light(direction=(0.5, -0.1, 0.8))
    shift = -height / 0.8 * np.asarray(light.direction[:2])
    camera = Camera('down', Pose.look_at((1.3, 0.75, 1.2), (1.30001, 0.75, FLOOR)), fov=0.6, width=200, height=200)
    given = Scene((), room='study', light=light)
    plain = fine(renderer, replace(given, light=replace(light, shadows=False)), camera, samples)
    darker = (plain - fine(renderer, given, camera, samples)).max(axis=-1)
    where = points_on_floor(camera)
    away, hidden = np.linalg.norm(where - seat - shift, axis=-1), np.linalg.norm(where - seat, axis=-1) < 0.24
    assert ((away < 0.16) & ~hidden).sum() > 200 and darker[(away < 0.16) & ~hidden].min() > 5
    beyond = (where - seat) @ shift / np.linalg.norm(shift) > np.linalg.norm(shift)  # on the other side than the legs
    ring = (away > 0.20) & (away < 0.30) & beyond
    assert ring.sum() > 200 and np.abs(darker[ring]).max() <= 3


def test_under_a_table_in_a_room_it_is_dark_without_a_seam(renderer: Renderer) -> None:
    """The map of what is on the table ends in the midst of the floor below it."""
    light = Light(direction=(0.02, 0.03, 1.0))
    camera = Camera('low', Pose.look_at((-1.4, 0.0, -0.5), (0.35, 0.0, FLOOR)), fov=0.4, width=160, height=120)
    given = Scene((), room='study', light=light)
    difference = fine(renderer, replace(given, light=replace(light, shadows=False)), camera) - fine(renderer, given, camera)
    rays = points_on_floor(camera)
    under = (np.abs(rays[..., 0] - 0.35) < 0.45) & (np.abs(rays[..., 1]) < 0.5)
    outside = (rays[..., 0] > -1.0) & (rays[..., 0] < -0.3)
    assert under.sum() > 100 and difference[under].max(axis=-1).min() > 5
    assert outside.sum() > 100 and np.abs(difference[outside]).max() <= 1


def points_on_floor(camera: Camera) -> np.ndarray:
    """Where on the floor each pixel's centre looks, (height, width, 2) m; far away for what looks up."""
    u, v = np.meshgrid(np.arange(camera.width), np.arange(camera.height))
    rays = np.stack([u, v, np.ones_like(u)], -1).reshape(-1, 3) @ np.linalg.inv(camera.intrinsics).T @ camera.pose.rotation.T
    eye = np.asarray(camera.pose.position)
    along = np.where(rays[:, 2] < -1e-3, (FLOOR - eye[2]) / np.minimum(rays[:, 2], -1e-3), 1e3)
    return (eye + along[:, None] * rays)[:, :2].reshape(camera.height, camera.width, 2)


def test_walls_of_a_room_throw_no_shadow_and_a_room_changes_nothing_on_the_table(renderer: Renderer) -> None:
    low = Light(direction=(-0.9, 0.1, 0.3))
    given = scene(low)
    table = Camera('table', Pose.look_at((0.45, 0.0, 1.2), (0.45001, 0.0, 0.0)), fov=0.5, width=120, height=120)
    assert (look(renderer, given, table) == look(renderer, replace(given, room='study'), table)).all()

"""Pictures against what geometry says, pixel by pixel."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from vlm_bench_sim.core.camera import Camera, Picture
from vlm_bench_sim.core.errors import SceneError, WorldError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import Light, Scene
from vlm_bench_sim.core.snapshot import Body, Snapshot
from vlm_bench_sim.profiles import cameras
from vlm_bench_sim.render import Renderer

RED = Color('red', (1.0, 0.0, 0.0))
PALETTE = {
    'red': (1, 0, 0),
    'maroon': (0.5, 0, 0),
    'lime': (0, 1, 0),
    'green': (0, 0.5, 0),
    'blue': (0, 0, 1),
    'navy': (0, 0, 0.5),
    'yellow': (1, 1, 0),
    'cyan': (0, 1, 1),
    'magenta': (1, 0, 1),
    'silver': (0.75, 0.75, 0.75),
    'gray': (0.5, 0.5, 0.5),
    'orange': (1, 0.5, 0),
    'olive': (0.5, 0.5, 0),
    'purple': (0.5, 0, 0.5),
    'teal': (0, 0.5, 0.5),
    'azure': (0, 0.5, 1),
    'violet': (0.5, 0, 1),
    'rose': (1, 0, 0.5),
    'black': (0, 0, 0),
    'white': (1, 1, 1),
}


def box(name: str, size: tuple[float, float, float], pose: Pose, color: Color = RED) -> Prop:
    return Prop(name, 'cube', size, color, 0.1, pose=pose)


def poses(scene: Scene) -> dict[str, Pose]:
    return {prop.name: prop.pose for prop in scene.props}


def cast(camera: Camera, boxes: list[tuple[int, tuple[float, ...], Pose]]) -> tuple[np.ndarray, np.ndarray]:
    """Return ids and depth by intersecting the ray through each pixel's centre with each box."""
    u, v = np.meshgrid(np.arange(camera.width), np.arange(camera.height))
    pixels = np.stack([u, v, np.ones_like(u)], axis=-1).reshape(-1, 3)
    rays = pixels @ np.linalg.inv(camera.intrinsics).T @ camera.pose.rotation.T  # of depth 1 along the optical axis
    depths = []
    for _, size, pose in boxes:
        start = pose.inverse().apply([camera.pose.position])[0]
        along = rays @ pose.rotation
        with np.errstate(divide='ignore'):
            one, two = (-np.array(size) / 2 - start) / along, (np.array(size) / 2 - start) / along
        enter, leave = np.minimum(one, two).max(axis=1), np.maximum(one, two).min(axis=1)
        depths.append(np.where((enter < leave) & (enter > 0), enter, np.inf))
    table = np.array(depths)
    nearest = table.argmin(axis=0)
    depth = table.min(axis=0)
    ids = np.where(np.isfinite(depth), np.array([i for i, _, _ in boxes])[nearest], 0)
    shape = (camera.height, camera.width)
    return ids.reshape(shape), np.where(ids > 0, depth, 0.0).reshape(shape)


def inside(ids: np.ndarray) -> np.ndarray:
    """Return which pixels have neighbours of their own kind all round."""
    same = np.ones_like(ids, dtype=bool)
    for axis in (0, 1):
        for step in (1, -1):
            same &= ids == np.roll(ids, step, axis=axis)
    return same


@pytest.mark.parametrize(
    'camera',
    [
        Camera('front', Pose.look_at((1.2, 0.1, 0.7), (0.4, 0.0, 0.05)), fov=0.8, width=160, height=120),
        Camera('tilted', Pose.look_at((0.2, -0.5, 0.6), (0.45, 0.05, 0.0), up=(0.3, 0.2, 1.0)), fov=1.1, width=97, height=131),
        Camera('above', Pose.look_at((0.4, 0.0, 0.9), (0.4, 0.0, 0.0), up=(1.0, 0.0, 0.0)), fov=0.7, width=128, height=128),
    ],
    ids=lambda camera: camera.name,
)
def test_depth_and_ids_are_those_of_the_ray_through_each_pixel(renderer: Renderer, camera: Camera) -> None:
    scene = Scene(
        (
            box('a', (0.05, 0.05, 0.05), Pose.from_rpy((0.40, 0.05, 0.025), (0.0, 0.0, 0.4))),
            box('b', (0.10, 0.06, 0.20), Pose.from_rpy((0.50, -0.10, 0.10), (0.1, 0.2, 1.0))),
            box('c', (0.04, 0.30, 0.02), Pose.from_rpy((0.30, 0.10, 0.15), (0.5, 0.0, 0.0))),
        )
    )
    renderer.load(scene)
    picture = renderer.render(camera, poses(scene), {})
    boxes = [(scene.ids[p.name], p.size, p.pose) for p in scene.props] + [(1, scene.table.box.size, Pose(scene.table.box.centre))]
    ids, depth = cast(camera, boxes)
    differ = picture.ids != ids
    assert differ.mean() < 5e-4  # a ray that grazes an edge may fall on either side
    assert not (differ & inside(ids)).any()
    assert np.abs(picture.depth - depth)[~differ].max() < 1e-4
    assert set(np.unique(ids)) >= {1, 3, 4, 5}


def test_a_small_thing_appears_where_the_intrinsics_say(renderer: Renderer) -> None:
    at = [(0.35, -0.30, 0.05), (0.60, 0.25, 0.05), (0.25, 0.20, 0.30), (0.70, -0.20, 0.15)]
    scene = Scene(tuple(box(f'p{i}', (0.02, 0.02, 0.02), Pose(p)) for i, p in enumerate(at)))
    renderer.load(scene)
    for camera in cameras('vlmbench:left_shoulder,overhead,front', 320, 240):
        picture = renderer.render(camera, poses(scene), {})
        for name, number in list(scene.ids.items())[2:]:
            rows, columns = np.nonzero(picture.ids == number)
            expected = camera.project(np.array([scene.prop(name).pose.position]), camera.pose)[0]
            assert np.hypot(columns.mean() - expected[0], rows.mean() - expected[1]) < 0.5


def test_ids_are_those_of_the_scene_and_nothing_is_seen_where_the_id_is_zero(renderer: Renderer, links: dict[str, Pose]) -> None:
    scene = Scene(tuple(box(f'p{i}', (0.05, 0.05, 0.05), Pose((0.4, 0.1 * i - 0.2, 0.025))) for i in range(5)))
    renderer.load(scene)
    front = cameras('vlmbench:front')[0]
    picture = renderer.render(front, poses(scene), links)
    assert set(np.unique(picture.ids)) == {0, *scene.ids.values()}
    assert ((picture.depth == 0) == (picture.ids == 0)).all()
    assert (picture.color.dtype, picture.depth.dtype, picture.ids.dtype) == (np.uint8, np.float32, np.uint16)
    assert picture.color.shape == (256, 256, 3)


def test_the_whole_arm_is_in_the_front_and_shoulder_pictures(renderer: Renderer, links: dict[str, Pose]) -> None:
    renderer.load(Scene(()))
    for camera in cameras('vlmbench:left_shoulder,right_shoulder,front'):
        robot = renderer.render(camera, {}, links).ids == 2
        assert 0.05 < robot.mean() < 0.4
        for link in ('panda_link0', 'panda_link4', 'panda_link6', 'panda_hand'):
            u, v = camera.project(np.array([links[link].position]), camera.pose)[0]
            assert 0 < u < 255 and 0 < v < 255, f'{link} is outside the picture of {camera.name}'


def test_the_workspace_is_in_the_pictures_of_all_fixed_cameras() -> None:
    corners = np.array([(x, y, 0.0) for x in (0.30, 0.65) for y in (-0.35, 0.35)])
    for camera in cameras('vlmbench:left_shoulder,right_shoulder,overhead,front'):
        seen = camera.project(corners, camera.pose)
        assert (seen > 4).all() and (seen < 251).all(), camera.name


def test_the_wrist_camera_sees_both_fingertips_and_what_lies_before_the_gripper(renderer: Renderer, links: dict[str, Pose]) -> None:
    tool = links['panda_hand'] @ Pose((0.0, 0.0, 0.25))
    scene = Scene((box('near', (0.04, 0.04, 0.04), tool),))
    renderer.load(scene)
    picture = renderer.render(cameras('vlmbench:wrist')[0], poses(scene), links)
    assert (picture.ids == scene.ids['near']).sum() > 500
    fingers = (picture.ids == 2) & (picture.depth < 0.15)
    assert fingers[:, :80].any() and fingers[:, -80:].any() and not fingers[:160].any()


def test_a_camera_on_a_link_goes_where_the_link_goes(renderer: Renderer, links: dict[str, Pose]) -> None:
    scene = Scene((box('a', (0.05, 0.05, 0.05), Pose((0.4, 0.0, 0.025))),))
    renderer.load(scene)
    wrist = cameras('vlmbench:wrist')[0]
    lifted = {name: pose.shifted((0.05, -0.1, 0.1)) for name, pose in links.items()}
    fixed = Camera('fixed', lifted[wrist.link] @ wrist.pose, fov=wrist.fov, near=wrist.near, far=wrist.far)
    assert same(renderer.render(wrist, poses(scene), lifted), renderer.render(fixed, poses(scene), lifted))
    assert not same(renderer.render(wrist, poses(scene), lifted), renderer.render(wrist, poses(scene), links))


def test_a_snapshot_serves_as_well_as_poses(renderer: Renderer, links: dict[str, Pose]) -> None:
    scene = Scene((box('a', (0.05, 0.05, 0.05), Pose()),))
    renderer.load(scene)
    moved = Pose((0.5, 0.1, 0.025))
    snapshot = Snapshot(0, 0, {}, Pose(), 0.0, bodies={'a': Body(moved)})
    front = cameras('vlmbench:front')[0]
    assert same(renderer.render(front, snapshot, links), renderer.render(front, {'a': moved}, links))


def test_more_samples_smooth_colors_and_leave_depth_and_ids_alone(renderer: Renderer, links: dict[str, Pose]) -> None:
    scene = Scene((box('a', (0.05, 0.05, 0.05), Pose.from_rpy((0.5, 0.1, 0.025), (0, 0, 0.5))),), light=Light(shadows=False))
    renderer.load(scene)
    front = cameras('vlmbench:front', 128, 96)[0]
    sharp, smooth = (renderer.render(front, poses(scene), links, samples=n) for n in (1, 3))
    assert (sharp.ids == smooth.ids).all()
    assert np.abs(sharp.depth - smooth.depth).max() < 1e-4
    flat = inside(sharp.ids) & (sharp.ids == 1)
    assert np.abs(sharp.color[flat].astype(int) - smooth.color[flat]).max() <= 1
    assert len(np.unique(smooth.color.reshape(-1, 3), axis=0)) > len(np.unique(sharp.color.reshape(-1, 3), axis=0))


def test_the_same_request_gives_the_same_bytes_in_any_renderer(panda: RobotProfile, links: dict[str, Pose]) -> None:
    scene = Scene((box('a', (0.05, 0.05, 0.05), Pose((0.4, 0.0, 0.025))),))
    other = Scene((box('z', (0.09, 0.05, 0.05), Pose((0.5, 0.2, 0.025))), box('y', (0.02, 0.02, 0.02), Pose((0.4, 0.0, 0.3)))))
    front, overhead = cameras('vlmbench:front,overhead', 96, 96)
    one, two = Renderer(panda), Renderer(panda)
    one.load(scene)
    two.load(other)
    first = one.render(front, poses(scene), links)
    foreign = two.render(overhead, poses(other), links)
    assert same(first, one.render(front, poses(scene), links))
    two.load(scene)
    assert same(first, two.render(front, poses(scene), links))
    one.close()
    two.load(other)
    assert same(foreign, two.render(overhead, poses(other), links))
    two.close()


def test_a_renderer_made_in_one_thread_serves_another(renderer: Renderer, links: dict[str, Pose]) -> None:
    renderer.load(Scene(()))
    front = cameras('vlmbench:front', 64, 64)[0]
    here = renderer.render(front, {}, links)
    with ThreadPoolExecutor(1) as other:
        assert same(here, other.submit(renderer.render, front, {}, links).result())
    assert same(here, renderer.render(front, {}, links))


def test_no_two_colors_of_the_palette_look_alike(renderer: Renderer) -> None:
    spots = [(0.25 + 0.1 * (i % 5), -0.2 + 0.12 * (i // 5), 0.02) for i in range(len(PALETTE))]
    props = [box(n, (0.04, 0.04, 0.04), Pose(at), Color(n, rgb)) for at, (n, rgb) in zip(spots, PALETTE.items(), strict=True)]
    scene = Scene(tuple(props))
    renderer.load(scene)
    picture = renderer.render(cameras('vlmbench:overhead')[0], poses(scene), {})
    looks = np.array([np.median(picture.color[picture.ids == scene.ids[name]], axis=0) for name in PALETTE])
    apart = np.abs(looks[:, None] - looks[None]).max(axis=2) + 255 * np.eye(len(looks))
    assert apart.min() > 25
    wanted = 255 * np.array(list(PALETTE.values()))
    assert np.abs(looks - wanted).max() < 40  # lit from above, a color looks like itself


def test_errors_say_what_is_missing(panda: RobotProfile, links: dict[str, Pose]) -> None:
    scene = Scene((box('cup', (0.05, 0.05, 0.05), Pose()),))
    front, wrist = cameras('vlmbench:front,wrist', 32, 32)
    made = Renderer(panda)
    with pytest.raises(WorldError, match=r'load\(scene\)'):
        made.render(front, {}, links)
    made.load(scene)
    with pytest.raises(WorldError, match="'cup', a prop"):
        made.render(front, {'cap': Pose()}, links)
    with pytest.raises(WorldError, match="'panda_hand', a link"):
        made.render(front, poses(scene), {k: v for k, v in links.items() if k != 'panda_hand'})
    with pytest.raises(WorldError, match="'panda_hand', a link that carries camera wrist"):
        made.render(wrist, poses(scene), {})
    with pytest.raises(WorldError, match='found 2'):
        made.render(front, poses(scene), links, samples=2)
    with pytest.raises(SceneError, match='at most 1000'):
        made.load(Scene(tuple(box(f'p{i}', (0.01, 0.01, 0.01), Pose()) for i in range(1000))))
    assert (made.render(front, poses(scene), links).ids == 2).any()  # a scene that was refused leaves the one before in place
    made.close()


def same(a: Picture, b: Picture) -> bool:
    return all(x.tobytes() == y.tobytes() for x, y in ((a.color, b.color), (a.depth, b.depth), (a.ids, b.ids)))


def test_a_room_fills_what_was_background_and_changes_nothing_else(renderer: Renderer, links: dict[str, Pose]) -> None:
    front = cameras('vlmbench:front', 96, 72)[0]
    scene = Scene((box('a', (0.05, 0.05, 0.05), Pose((0.5, 0.1, 0.025))),))
    renderer.load(scene)
    bare = renderer.render(front, poses(scene), links)
    renderer.load(replace(scene, room='study'))
    seen = renderer.render(front, poses(scene), links)
    known = bare.ids > 0
    assert (seen.ids[known] == bare.ids[known]).all()
    assert np.allclose(seen.depth[known], bare.depth[known], atol=1e-5)
    assert (seen.ids[~known] == 4).mean() > 0.9

"""What is published of every camera agrees with what it draws, to half a pixel."""

from types import SimpleNamespace

import numpy as np
import pytest

from test.render.outlines import chain, drawn, plates, told
from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import Light, Scene
from vlm_bench_sim.profiles import camera_sets, cameras
from vlm_bench_sim.render import Renderer
from vlm_bench_sim.ros import driver, fields

HALF_A_PIXEL = 0.5


def transforms(message: dict) -> dict[tuple[str, str], Pose]:
    found = {}
    for one in message['transforms']:
        at, turned = one['transform']['translation'], one['transform']['rotation']
        found[one['header']['frame_id'], one['child_frame_id']] = Pose(tuple(at.values()), tuple(turned.values()))
    return found


def test_the_suites_have_their_cameras():
    assert {name: [camera.name for camera in cameras(name)] for name in camera_sets()} == {
        'vlmbench': ['left_shoulder', 'right_shoulder', 'overhead', 'wrist', 'front'],
        'lohoravens': ['front', 'left', 'right', 'top'],
        'arnold': ['front', 'base', 'left', 'wrist_bottom', 'wrist'],
        'clevrskills': ['base', 'hand', 'overview'],
    }
    assert [camera.name for camera in cameras('clevrskills:object')] == ['object']


@pytest.mark.parametrize('size', [(256, 256), (640, 480)], ids=lambda size: f'{size[0]}x{size[1]}')
@pytest.mark.parametrize('name', [*camera_sets(), 'clevrskills:object'])
def test_corners_are_drawn_where_camera_info_and_tf_say(
    renderer: Renderer, panda: RobotProfile, links: dict[str, Pose], name: str, size: tuple[int, int]
) -> None:
    found: tuple[Camera, ...] = cameras(name, *size)
    frames = driver.Frames(panda.urdf, found)
    tree = transforms(frames.static(0)[1]) | transforms(frames.moving(links, 0)[1])
    worst = {}
    for camera in found:
        info = SimpleNamespace(**fields.camera_info(camera, 0))
        assert (info.width, info.height) == size
        pose = chain(info.header['frame_id'], tree)
        scene = Scene(plates(info, pose, 0.03 if camera.link else 0.15), light=Light(shadows=False))
        renderer.load(scene)
        ids = renderer.render(camera, {prop.name: prop.pose for prop in scene.props}, links).ids
        for plate in scene.props:
            expected = told(info, pose, plate)
            off = np.abs(drawn(ids == scene.ids[plate.name], expected) - expected)
            worst[camera.name, plate.name] = off.max()
    assert max(worst.values()) < HALF_A_PIXEL, worst


def test_a_camera_that_is_a_pixel_off_would_be_noticed(renderer: Renderer, links: dict[str, Pose]) -> None:
    """The measure itself: a principal point one pixel to the side, or a focal length one percent too long."""
    (camera,) = cameras('lohoravens:left', 640, 480)
    info = SimpleNamespace(**fields.camera_info(camera, 0))
    scene = Scene(plates(info, camera.pose, 0.15), light=Light(shadows=False))
    renderer.load(scene)
    ids = renderer.render(camera, {prop.name: prop.pose for prop in scene.props}, links).ids
    f, cx, cy = info.k[0], info.k[2], info.k[5]
    for wrong in ([f, 0, cx + 1, 0, f, cy, 0, 0, 1], [1.01 * f, 0, cx, 0, 1.01 * f, cy, 0, 0, 1]):
        info.k = wrong
        expected = [told(info, camera.pose, plate) for plate in scene.props]
        off = [np.abs(drawn(ids == scene.ids[p.name], e) - e).max() for p, e in zip(scene.props, expected, strict=True)]
        assert max(off) > HALF_A_PIXEL


def test_a_wrist_camera_hangs_on_the_tool_of_every_robot() -> None:
    assert cameras('vlmbench:wrist')[0].link == 'panda_hand'
    (wrist,) = cameras('vlmbench:wrist', robot='ur5e')
    assert wrist.link == 'vacuum'

"""Pictures painted together, or on ground that was painted before, are those painted one by one."""

from dataclasses import replace

import numpy as np
import pytest

from vlm_bench_sim.core.camera import Camera, Picture
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Texture
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.core.scene import Light, Scene, Table
from vlm_bench_sim.profiles import cameras
from vlm_bench_sim.render import Renderer
from vlm_bench_sim.render.painter import AT_ONCE
from vlm_bench_sim.render.shaders import FEW

RED, BLUE = Color('red', (0.8, 0.1, 0.1)), Color('blue', (0.1, 0.1, 0.8))
CUBE = Prop('cube', 'cube', (0.05, 0.05, 0.05), RED, 0.1, pose=Pose((0.5, 0.0, 0.025)))
LIGHTS = (Light(), Light(shadows=False))


def poses(scene: Scene) -> dict[str, Pose]:
    return {prop.name: prop.pose for prop in scene.props}


def same(one: Picture, other: Picture) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ('color', 'depth', 'ids'))


@pytest.mark.parametrize('light', LIGHTS, ids=('shadows', 'none'))
def test_pictures_painted_together_are_those_painted_alone(renderer: Renderer, links: dict[str, Pose], light: Light) -> None:
    """More cameras than are painted at once, of two sizes, one of them on the hand."""
    chosen = (*cameras('vlmbench', 64, 48), *cameras('vlmbench', 48, 48))
    assert len(chosen) > AT_ONCE and any(camera.link for camera in chosen)
    scene = Scene((CUBE,), light=light)
    renderer.load(scene)
    together = renderer.pictures(chosen, poses(scene), links)
    alone = [renderer.render(camera, poses(scene), links) for camera in reversed(chosen)][::-1]
    assert all(same(one, other) for one, other in zip(together, alone, strict=True))
    assert len({picture.color.tobytes() for picture in together}) == len(chosen)


@pytest.mark.parametrize('light', LIGHTS, ids=('shadows', 'none'))
def test_a_camera_on_the_hand_sees_what_one_that_stands_there_sees(renderer: Renderer, links: dict[str, Pose], light: Light) -> None:
    """Nobody can tell whether the ground was painted before or into the picture."""
    wrist = next(camera for camera in cameras('vlmbench', 96, 96) if camera.link)
    fixed = replace(wrist, link='', pose=links[wrist.link] @ wrist.pose)
    scene = Scene((CUBE,), light=light)
    renderer.load(scene)
    assert same(*(renderer.render(camera, poses(scene), links) for camera in (wrist, fixed)))
    assert same(*(renderer.render(camera, poses(scene), links) for camera in (fixed, wrist)))


@pytest.mark.parametrize('light', LIGHTS, ids=('shadows', 'none'))
def test_the_ground_is_painted_anew_for_another_scene_light_table_or_camera(
    renderer: Renderer, links: dict[str, Pose], light: Light
) -> None:
    (front,) = cameras('vlmbench:front', 64, 64)
    first = Scene((CUBE,), light=light)
    others = [
        replace(first, table=Table(color=BLUE)),
        replace(first, table=replace(first.table, texture=Texture('checker', BLUE, 0.1))),
        replace(first, light=replace(light, strength=0.4)),
    ]
    seen = [shot(renderer, scene, front, links) for scene in (first, *others, first)]
    assert same(seen[0], seen[-1]) and len({picture.color.tobytes() for picture in seen}) == 4
    bare = renderer.render(front, poses(first), links, table=False)
    assert not (bare.ids == first.ids['table']).any() and not same(bare, seen[0])
    assert same(renderer.render(front, poses(first), links), seen[0])
    moved = renderer.render(replace(front, pose=front.pose.shifted((0.0, 0.0, 0.1))), poses(first), links)
    wide = renderer.render(replace(front, fov=1.2), poses(first), links)
    assert not same(moved, seen[0]) and not same(wide, seen[0])


@pytest.mark.parametrize('light', LIGHTS, ids=('shadows', 'none'))
def test_ids_beyond_one_byte_are_told_apart_and_depth_stays(renderer: Renderer, links: dict[str, Pose], light: Light) -> None:
    """Three hundred small cubes, each seen from above where it is; the same picture of twelve of them is as deep."""
    above = Camera('above', Pose.look_at((0.5, 0.0, 1.0), (0.5001, 0.0, 0.0)), fov=0.7, width=320, height=320)
    places = {f'p{i}': Pose((0.35 + 0.02 * (i // 20), -0.19 + 0.02 * (i % 20), 0.005)) for i in range(300)}
    scene = Scene(tuple(Prop(name, 'cube', (0.01, 0.01, 0.01), RED, 0.01, pose=at) for name, at in places.items()), light=light)
    renderer.load(scene)
    picture = renderer.render(above, places, {})
    tops = np.array([at.shifted((0.0, 0.0, 0.005)).position for at in places.values()])
    columns, rows = np.round(above.project(tops, above.pose)).astype(int).T
    assert [int(number) for number in picture.ids[rows, columns]] == [scene.ids[name] for name in places]
    assert max(scene.ids[name] for name in places) > FEW
    assert picture.depth[rows, columns] == pytest.approx(above.pose.inverse().apply(tops)[:, 2], abs=1e-5)
    few = replace(scene, props=scene.props[:12])
    renderer.load(few)
    fewer, known = renderer.render(above, places, {}), [few.ids[f'p{i}'] for i in range(12)]
    shared = np.isin(picture.ids, known) & np.isin(fewer.ids, known)
    assert shared.sum() > 12 * 20 and np.array_equal(picture.ids[shared], fewer.ids[shared])
    assert fewer.depth[shared] == pytest.approx(picture.depth[shared], rel=1e-6)


def shot(renderer: Renderer, scene: Scene, camera: Camera, links: dict[str, Pose]) -> Picture:
    renderer.load(scene)
    return renderer.render(camera, poses(scene), links)

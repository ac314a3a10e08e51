"""How many pixels a thing would fill alone, against pictures of it alone."""

from dataclasses import replace

import moderngl
import numpy as np
import pytest

from vlm_bench_sim.core.errors import WorldError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.matter import Beads, Dirt
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.shapes import usual_size
from vlm_bench_sim.core.snapshot import Body, Snapshot
from vlm_bench_sim.core.visible_boxes import visible_boxes
from vlm_bench_sim.profiles import cameras, robot
from vlm_bench_sim.render import Renderer

RED = Color('red', (1.0, 0.0, 0.0))
(FRONT,) = cameras('vlmbench:front', 160, 120)


def crowd(count: int) -> Scene:
    """Mugs and blocks in a heap, so that they hide one another."""
    rng = np.random.default_rng(count)
    props = []
    for i in range(count):
        kind = ('mug1', 'cube', 'star')[i % 3]
        at = Pose.from_rpy((rng.uniform(0.3, 0.5), rng.uniform(-0.15, 0.15), rng.uniform(0.03, 0.2)), rng.uniform(-2, 2, 3).tolist())
        props.append(Prop(f'p{i}', kind, usual_size(kind), RED, 0.1, pose=at))
    return Scene(tuple(props))


def poses(scene: Scene) -> dict[str, Pose]:
    return {prop.name: prop.pose for prop in scene.props}


def test_pictures_of_many_sizes_do_not_pile_up(renderer: Renderer, links: dict[str, Pose]) -> None:
    """What was counted in for a size is freed once others have been asked for, and is there again when it is needed."""
    scene = crowd(3)
    renderer.load(scene)
    first = renderer.alone(FRONT, poses(scene), links)
    made, textures = renderer._context.texture, []
    renderer._context.texture = lambda *given, **more: textures.append(made(*given, **more)) or textures[-1]
    try:
        for width in range(60, 108, 2):
            renderer.alone(replace(FRONT, width=width), poses(scene), links)
            renderer.render(replace(FRONT, width=width), poses(scene), links)
    finally:
        renderer._context.texture = made
    alive = [texture for texture in textures if not isinstance(texture.mglo, moderngl.InvalidObject)]
    assert len(textures) >= 4 * 24 and len(alive) <= len(textures) / 2
    assert renderer.alone(FRONT, poses(scene), links) == first


@pytest.mark.parametrize('count', [6, 75])
def test_each_thing_counts_as_in_a_picture_of_its_own(renderer: Renderer, links: dict[str, Pose], count: int) -> None:
    """75 props need three passes."""
    scene = crowd(count)
    renderer.load(scene)
    counts = renderer.alone(FRONT, poses(scene), links)
    assert set(counts) == set(scene.ids.values())
    for prop in scene.props[:: max(1, count // 8)]:
        renderer.load(replace(scene, props=(prop,)))
        alone = renderer.render(FRONT, poses(scene), {}, table=False).ids == 3
        assert abs(counts[scene.ids[prop.name]] - alone.sum()) <= 1, prop.name
        assert alone.sum() > 20


def test_what_stands_behind_another_is_seen_to_the_share_that_shows(renderer: Renderer, links: dict[str, Pose]) -> None:
    """A wall hides the left half of a block as the camera sees it, and no more."""
    block = Prop('block', 'cube', (0.02, 0.12, 0.08), RED, 0.1, pose=Pose((0.55, 0.0, 0.04)))
    wall = Prop('wall', 'cube', (0.002, 0.30, 0.30), RED, 0.1, pose=Pose((0.70, -0.15, 0.15)))
    scene = Scene((block, wall))
    renderer.load(scene)
    picture = renderer.render(FRONT, poses(scene), links)
    found = {one.instance: one for one in visible_boxes(picture.ids, renderer.alone(FRONT, poses(scene), links))}
    assert found[3].visibility == pytest.approx(0.5, abs=0.06)
    assert found[4].visibility == 1.0


def test_beads_and_dirt_count_as_one_thing_a_group(renderer: Renderer, links: dict[str, Pose]) -> None:
    """A block on the dirt hides a part of it; what was wiped away would fill nothing."""
    (near,) = cameras('vlmbench:front', 640, 480)
    spots = tuple((0.45 + 0.01 * (i % 6), 0.01 * (i // 6), 0.0005) for i in range(36))
    block = Prop('block', 'cube', (0.03, 0.04, 0.06), RED, 0.1, pose=Pose((0.535, 0.01, 0.03)))
    water = Beads('water', tuple((0.45, -0.15 + 0.01 * i, 0.01) for i in range(8)), radius=0.006)
    scene = Scene((block,), beads=(water,), dirt=(Dirt('soil', spots, wiper='block'),))
    renderer.load(scene)
    counts = []
    for left in (tuple(range(36)), tuple(range(18))):
        now = Snapshot(0, 0, {}, Pose(), 0.0, bodies={'block': Body(block.pose)}, dirt={'soil': left})
        found = {one.instance: one for one in visible_boxes(renderer.render(near, now, {}).ids, renderer.alone(near, now, {}))}
        assert found[scene.ids['water']].visibility == 1.0
        assert found[scene.ids['soil']].visibility < 0.9
        counts.append(renderer.alone(near, now, {})[scene.ids['soil']])
    assert counts[1] < 0.7 * counts[0]


def test_counting_leaves_the_next_picture_as_it_was(renderer: Renderer, links: dict[str, Pose]) -> None:
    scene = crowd(5)
    renderer.load(scene)
    before = renderer.render(FRONT, poses(scene), links)
    renderer.alone(FRONT, poses(scene), links)
    after = renderer.render(FRONT, poses(scene), links)
    assert (before.color == after.color).all() and (before.ids == after.ids).all() and (before.depth == after.depth).all()


def test_without_the_table_the_ground_is_plain(renderer: Renderer, links: dict[str, Pose]) -> None:
    scene = crowd(3)
    renderer.load(scene)
    assert (renderer.render(FRONT, poses(scene), links).ids == 1).any()
    assert not (renderer.render(FRONT, poses(scene), links, table=False).ids == 1).any()


def test_without_a_scene_there_is_nothing_to_count(links: dict[str, Pose]) -> None:
    made = Renderer(robot('panda'))
    with pytest.raises(WorldError, match=r'load\(scene\)'):
        made.alone(FRONT, {}, links)
    made.close()

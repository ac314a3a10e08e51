"""Beads are round and where the snapshot says, specks are seen until they are wiped away, each under the id of its group."""

import numpy as np
import pytest

from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.matter import SOIL, WATER, Beads, Dirt
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Body, Snapshot

SPONGE = Prop('sponge', 'cube', (0.05, 0.05, 0.03), Color('green', (0.0, 0.5, 0.0)), 0.1, pose=Pose((0.45, 0.2, 0.015)))
SPECKS = tuple((0.36 + 0.03 * i, -0.08, 0.0005) for i in range(6))
SCENE = Scene(
    (SPONGE,),
    beads=(Beads('water', ((0.45, 0.0, 0.02), (0.45, 0.06, 0.02)), radius=0.02), Beads('oil', ((0.6, 0.0, 0.02),), radius=0.02)),
    dirt=(Dirt('dirt', SPECKS, 'sponge', size=(0.01, 0.01, 0.001)),),
    room='study',
)
ABOVE = Camera('above', Pose.look_at((0.45, 0.0, 0.8), (0.45, 0.001, 0.0)), fov=0.6, width=320, height=320)


def now(**changed) -> Snapshot:
    seen = {'beads': {group.name: group.centres for group in SCENE.beads}, 'dirt': {'dirt': tuple(range(6))}} | changed
    return Snapshot(0, 0, {}, Pose(), 0.0, bodies={'sponge': Body(SPONGE.pose)}, **seen)


def pixels(points: np.ndarray) -> np.ndarray:
    """Where the camera sees (n, 3) points of the world: (n, 2) columns and rows."""
    x = ABOVE.pose.inverse().apply(points) @ ABOVE.intrinsics.T
    return x[:, :2] / x[:, 2:]


def test_groups_have_ids_after_the_props_and_before_the_room():
    assert SCENE.ids == {'table': 1, 'robot': 2, 'sponge': 3, 'water': 4, 'oil': 5, 'dirt': 6, 'room': 7}


def test_a_bead_is_a_disc_of_its_size_and_color(renderer):
    renderer.load(SCENE)
    picture = renderer.render(ABOVE, now(), {})
    column, row = pixels(np.array([(0.6, 0.0, 0.02)]))[0]
    oil = np.argwhere(picture.ids == SCENE.ids['oil'])
    assert oil.mean(axis=0) == pytest.approx((row, column), abs=1.0)
    radius = ABOVE.intrinsics[0, 0] * 0.02 / 0.78
    assert len(oil) == pytest.approx(np.pi * radius**2, rel=0.12)
    assert picture.depth[round(row), round(column)] == pytest.approx(0.8 - 0.04, abs=2e-3)
    seen = picture.color[picture.ids == SCENE.ids['water']].mean(axis=0)
    assert np.argmax(seen) == 2 and seen[2] > 2 * seen[0] and WATER.rgb[2] > SOIL.rgb[2]


def test_beads_are_where_the_snapshot_says(renderer):
    renderer.load(SCENE)
    moved = renderer.render(ABOVE, now(beads={'water': ((0.45, -0.04, 0.1), (0.45, 0.06, 0.02)), 'oil': ((0.5, 0.1, 0.02),)}), {})
    for group, at in (('water', (0.45, -0.04, 0.1)), ('oil', (0.5, 0.1, 0.02))):
        column, row = pixels(np.array([at]))[0].round().astype(int)
        assert moved.ids[row, column] == SCENE.ids[group]
    column, row = pixels(np.array([(0.6, 0.0, 0.02)]))[0].round().astype(int)
    assert moved.ids[row, column] == SCENE.ids['table']


def test_a_speck_that_was_wiped_away_is_not_seen(renderer):
    renderer.load(SCENE)
    spots = pixels(np.array(SPECKS)).round().astype(int)
    for left in ((0, 1, 2, 3, 4, 5), (1, 4), ()):
        ids = renderer.render(ABOVE, now(dirt={'dirt': left}), {}).ids
        assert [i for i, (column, row) in enumerate(spots) if ids[row, column] == SCENE.ids['dirt']] == list(left)


def test_without_a_snapshot_all_is_as_it_begins(renderer):
    renderer.load(SCENE)
    first = renderer.render(ABOVE, {'sponge': SPONGE.pose}, {})
    assert (first.ids == renderer.render(ABOVE, now(), {}).ids).all()

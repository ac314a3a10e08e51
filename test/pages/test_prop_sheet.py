"""Contact sheets hold a picture of everything."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('moderngl')

from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core.household import HOUSEHOLD
from vlm_bench_sim.core.looks import PATTERNS, TABLES
from vlm_bench_sim.core.objects.instances import BOTTLES, CUPS
from vlm_bench_sim.core.scene import Table
from vlm_bench_sim.core.shapes import kinds
from vlm_bench_sim.profiles import robot
from vlm_bench_tasks.pages.clevrskills_sheet import COLUMNS, household
from vlm_bench_tasks.pages.prop_sheet import TILE, shapes, sheet, textures
from vlm_bench_tasks.pages.scene_sheet import ravens
from vlm_bench_tasks.settings import splits


def tiles(picture: np.ndarray, columns: int) -> list[np.ndarray]:
    rows = np.split(picture, picture.shape[0] // (TILE + 22))
    return [tile[:TILE] for row in rows for tile in np.split(row, columns, axis=1)]


def every_object() -> set[str]:
    return {kind for pools in splits('clevrskills').pools.values() for group in pools.shape.values() for kind in group}


@pytest.mark.long
def test_every_shape_and_every_texture_has_a_tile_that_shows_it():
    for picture, columns, count in (
        (sheet(shapes(), columns=6), 6, len(kinds()) - len(BOTTLES | CUPS | HOUSEHOLD)),
        (household(), COLUMNS, len(every_object())),
        (textures(), 4, len(PATTERNS) + len(TABLES)),
    ):
        for tile in (framed[:, :-4] for framed in tiles(picture, columns)[:count]):
            corner = tile[-4:, :4].reshape(-1, 3).mean(axis=0)
            assert (np.abs(tile.astype(int) - corner).max(axis=2) > 25).mean() > 0.02


def test_a_sheet_fills_its_last_row_with_paper():
    picture = sheet([(str(i), np.zeros((TILE, TILE, 3), np.uint8)) for i in range(3)], columns=2)
    assert picture.shape == (2 * (TILE + 22), 2 * TILE, 3)
    assert (picture[-TILE:, -TILE:] == 250).any()


def test_a_sheet_without_captions_says_nothing_and_shows_the_same():
    tiles = [('cube', np.full((TILE, TILE, 3), 90, np.uint8))]
    told, silent = sheet(tiles, columns=1), sheet(tiles, columns=1, captions=False)
    assert told.shape == silent.shape
    assert (told[:TILE] == silent[:TILE]).all()
    assert (silent[TILE:] == (250, 250, 248)).all() and not (told[TILE:] == (250, 250, 248)).all()


def test_the_room_and_the_material_of_the_table_change_no_state():
    plain = ravens()
    tables = [replace(plain.table, color=look.color, texture=look.texture) for look in TABLES.values()]
    looks = [replace(plain, room='study'), *(replace(plain, table=table) for table in tables)]
    assert Table(color=TABLES['beech'].color, texture=TABLES['beech'].texture) == Table() == plain.table
    world, hashes = BulletWorld(robot('panda')), set()
    for scene in (plain, *looks):
        world.load(scene)
        for _ in range(5):
            world.step()
        hashes.add(world.state_hash())
    world.close()
    assert len(hashes) == 1

"""The sheet of cameras shows every camera of every set, the arm and the props in view."""

import numpy as np
import pytest

pytest.importorskip('moderngl')

from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.profiles import camera_sets, cameras, robot
from vlm_bench_sim.render.prompt import PromptPainter
from vlm_bench_tasks.pages import camera_sheet


def test_every_set_has_a_row():
    assert {row.set for row in camera_sheet.ROWS} == set(camera_sets())


@pytest.mark.parametrize('row', camera_sheet.ROWS, ids=lambda row: row.set)
def test_every_camera_sees_things_on_the_table_and_a_fixed_one_most_of_them(row):
    scene = camera_sheet.table()
    profile = robot(row.robot)
    painter = PromptPainter(profile, Kinematics(profile).link_poses)
    for camera in cameras(row.set, *row.shape, robot=row.robot):
        ids = set(np.unique(painter.picture(scene, camera, robot=True, table=True).ids))
        assert len(ids - {0, 1, 2}) >= (3 if camera.link else 7), camera.name
        assert 2 in ids, f'{camera.name} sees nothing of the robot'
    painter.close()


@pytest.mark.slow
def test_the_sheet_holds_a_tile_for_each_of_them():
    """Four rows; between the tiles is paper, and none of them is blank."""
    sheet = camera_sheet.camera_sheet()
    margin = 16
    assert (sheet[:, :margin] == 250).mean() > 0.6 and sheet.shape[1] == 1032 + 2 * margin
    top = 34
    for row in camera_sheet.ROWS:
        width, height = row.shape
        for i in range(len(cameras(row.set))):
            left = margin + i * (width + 8)
            assert sheet[top : top + height, left : left + width].std() > 15, (row.set, i)
        top += height + 20 + 34

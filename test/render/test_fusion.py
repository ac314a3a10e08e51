"""Maps of rendered views, against the scene that was rendered."""

import numpy as np
import pytest

from vlm_bench_sim.core.fusion import CLIPORT_6D, LOHORAVENS, Plot, PosedPicture, top_down
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.profiles import cameras
from vlm_bench_sim.render import Renderer

SCENE = Scene((
    Prop('low', 'cube', (0.12, 0.20, 0.05), Color('red', (1.0, 0.0, 0.0)), 0.1, pose=Pose((0.40, 0.15, 0.025))),
    Prop('tall', 'cube', (0.08, 0.10, 0.15), Color('blue', (0.0, 0.0, 1.0)), 0.1, pose=Pose((0.52, -0.10, 0.075))),
))  # fmt: skip


@pytest.mark.parametrize(
    ('group', 'width', 'height', 'plot'),
    [('vlmbench:left_shoulder,right_shoulder,overhead,front', 360, 360, CLIPORT_6D), ('lohoravens', 640, 480, LOHORAVENS)],
    ids=['vlmbench', 'lohoravens'],
)
def test_a_map_shows_each_box_to_a_pixel(renderer: Renderer, group: str, width: int, height: int, plot: Plot) -> None:
    renderer.load(SCENE)
    poses = {prop.name: prop.pose for prop in SCENE.props}
    views = [PosedPicture(renderer.render(camera, poses, {}), camera, camera.pose) for camera in cameras(group, width, height)]
    found = top_down(views, plot, topmost=True)
    assert found.color.shape[:2] == plot.shape
    for prop, channel in zip(SCENE.props, (0, 2), strict=True):
        top = prop.size[2] - plot.low[2]
        there = np.abs(found.height - top) < 0.002
        rows, columns = np.nonzero(there)
        middle, half = np.array(prop.pose.position), np.array(prop.size) / 2
        first, last = plot.cell(tuple(middle - half)), plot.cell(tuple(middle + half))
        assert np.abs([rows.min() - first[0], columns.min() - first[1], rows.max() - last[0], columns.max() - last[1]]).max() <= 1
        inner = found.color[first[0] + 2 : last[0] - 1, first[1] + 2 : last[1] - 1]
        assert there[first[0] + 2 : last[0] - 1, first[1] + 2 : last[1] - 1].mean() > 0.95
        assert (inner.argmax(axis=2) == channel).mean() > 0.95
    assert (found.views == 0).mean() < 0.02, 'the table is on the map, and each box hides little of it from all views'
    table = plot.cell((0.60, 0.30, 0.0))
    assert found.height[table] == pytest.approx(-plot.low[2], abs=0.002)

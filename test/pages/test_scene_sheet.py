"""Scenes for the gallery: things stand apart, and every task is shown by every camera."""

import pytest

pytest.importorskip('moderngl')

from itertools import combinations

import numpy as np

from vlm_bench_sim import profiles
from vlm_bench_sim.core.scene import footprint
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.pages import scene_sheet

SIZE = 48


@pytest.mark.parametrize('seed', range(5))
def test_what_lohoravens_lays_stands_apart_and_is_the_same_again(seed):
    scene = scene_sheet.ravens(seed=seed)
    assert scene == scene_sheet.ravens(seed=seed) != scene_sheet.ravens(seed=seed + 1)
    assert all(a.pose.distance(b.pose) > footprint(a) + footprint(b) for a, b in combinations(scene.props, 2))
    assert {prop.noun for prop in scene.props} == {'zone', 'bowl', 'block'}


def test_a_row_shows_a_task_from_every_camera_of_its_suite(monkeypatch):
    first = catalogue.tasks()[0]
    monkeypatch.setattr(catalogue, 'tasks', lambda: (first,))
    family = first.split('/')[0]
    picture = scene_sheet.tasks(family, size=SIZE)
    views = profiles.cameras(family)
    assert picture.shape == (SIZE + 22, SIZE * len(views), 3)
    tiles = np.split(picture[:SIZE], len(views), axis=1)
    assert all(np.abs(a.astype(int) - b).mean() > 3 for a, b in combinations(tiles, 2))

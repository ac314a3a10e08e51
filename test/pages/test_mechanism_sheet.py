"""The sheet of furniture holds a picture of each model in each state."""

import numpy as np
import pytest

pytest.importorskip('moderngl')

from vlm_bench_sim.core.objects.furniture import CABINETS, CHESTS, FINISHES, LEVELS, MODELS, furniture
from vlm_bench_tasks.pages.mechanism_sheet import FINISHED, opened, picture

SIZE = 64
SAMPLE = ('cabinet2', 'door1', 'drawer1')
"""One with two upright hinges and no frame, one in a frame, one of drawers."""


@pytest.mark.parametrize('model', [pytest.param(model, marks=[pytest.mark.slow] * (model not in SAMPLE)) for model in MODELS])
def test_closed_half_and_open_look_different(model):
    piece = furniture(model, 'one')
    tiles = [picture(opened(piece, share), piece, SIZE).astype(int) for share in (0.0, 0.5, 1.0)]
    for one, other in ((0, 1), (1, 2), (0, 2)):
        assert (np.abs(tiles[one] - tiles[other]).max(axis=2) > 25).mean() > 0.005


def test_the_upper_drawers_of_a_chest_do_not_hide_the_lower_ones():
    joints = opened(furniture('drawer1', 'one'), 1.0).joints
    assert joints['one/top'].start == joints['one/top'].upper
    assert joints['one/top'].start > joints['one/middle'].start > joints['one/bottom'].start > 0.0


def test_drawers_side_by_side_and_doors_are_opened_alike():
    joints = opened(furniture('chest8', 'one'), 1.0).joints
    rows = [{joints[f'one/{level}_{column}'].start for column in ('left', 'center', 'right')} for level in LEVELS]
    assert [len(row) for row in rows] == [1, 1, 1] and min(rows[0]) > min(rows[1]) > min(rows[2]) > 0.0
    assert all(joint.start == joint.upper for joint in opened(furniture('cabinet9', 'one'), 1.0).joints.values())


def test_each_sheet_shows_its_models_in_finishes_that_exist():
    assert not FINISHED.keys() & (CHESTS.keys() | CABINETS.keys())
    assert FINISHED.keys() | CHESTS.keys() | CABINETS.keys() == MODELS.keys()
    assert set(FINISHED.values()) <= FINISHES.keys()

"""Boxes and visibility from instance ids."""

import numpy as np
import pytest

from vlm_bench_sim.core.visible_boxes import VisibleBox, visible_boxes


def test_boxes_are_those_worked_out_by_hand():
    ids = np.array([[0, 0, 7, 7], [0, 2, 7, 0], [2, 2, 0, 0], [0, 0, 0, 7]], np.uint16)
    assert visible_boxes(ids) == (VisibleBox(2, 0, 1, 2, 2, 3), VisibleBox(7, 2, 0, 2, 4, 4))


def test_boxes_are_those_of_a_loop_over_all_pixels():
    ids = np.random.default_rng(4).integers(0, 300, (37, 53)).astype(np.uint16)
    ids[:, 40:] = 65535
    found = {one.instance: one for one in visible_boxes(ids)}
    assert list(found) == sorted(set(ids.ravel().tolist()) - {0})
    for number, one in found.items():
        rows, columns = np.nonzero(ids == number)
        assert (one.x, one.y, one.pixels) == (columns.min(), rows.min(), len(rows))
        assert (one.x + one.width, one.y + one.height) == (columns.max() + 1, rows.max() + 1)


def test_an_empty_picture_shows_nothing():
    assert visible_boxes(np.zeros((5, 4), np.uint16)) == ()


@pytest.mark.parametrize(('alone', 'share'), [({3: 8}, 0.5), ({3: 4}, 1.0), ({3: 3}, 1.0), ({}, 1.0), (None, None)])
def test_visibility_is_the_share_of_the_pixels_it_would_have_alone(alone, share):
    ids = np.zeros((4, 4), np.uint16)
    ids[1:3, 1:3] = 3
    assert visible_boxes(ids, alone)[0].visibility == share

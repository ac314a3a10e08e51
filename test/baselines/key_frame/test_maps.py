"""Maps as input, and the moves of augmentation: what is named by the targets stays under them."""

from dataclasses import replace
from math import pi

import numpy as np
import pytest

from vlm_bench_baselines.key_frame.maps import Move, centre, channels, highest_around, inside, moved, varied
from vlm_bench_baselines.key_frame.settings import KeyFrameTraining

SETTINGS = KeyFrameTraining(noise=0.0, light=0.0)


def colors_below(one, plot):
    return [tuple(one.color[plot.cell(target.position)].tolist()) for target in (one.pick, one.place)]


def test_channels_are_of_about_the_same_size(table):
    one = table(0)
    found = channels(one.color, one.height, one.seen)
    assert found.shape == (7, *one.height.shape) and found.dtype == np.float32
    assert np.abs(found).max() <= 1.0
    assert found[3].max() == pytest.approx(0.4)  # dm
    assert found[5, 0, 0] == -1.0 and found[5, -1, 0] == 1.0 and found[6, 0, -1] == 1.0


def test_the_centre_of_a_cell_lies_in_it(plot):
    assert plot.cell((*centre(plot, 3, 5), 0.0)) == (3, 5)


def test_the_highest_around_is_of_the_near_ones(table, plot):
    one = table(0)
    row, column = plot.cell(one.pick.position)
    assert highest_around(one.height, row + 2, column) == pytest.approx(0.04)
    assert highest_around(np.zeros((5, 5), np.float32), 0, 4) == 0.0


@pytest.mark.parametrize('turn', [0.0, pi / 2, pi, 1.0, -2.5])
def test_a_move_takes_map_and_targets_to_the_same_place(table, plot, turn):
    seen = 0
    for seed in range(20):
        one, move = table(seed), Move(turn, (0.03, -0.05))
        after = moved(one, plot, move)
        if inside(plot, after.pick) and inside(plot, after.place):
            assert colors_below(after, plot) == colors_below(one, plot)
            seen += 1
        assert (after.pick.yaw - one.pick.yaw - turn) % pi == pytest.approx(0.0, abs=1e-9) or (
            after.pick.yaw - one.pick.yaw - turn
        ) % pi == pytest.approx(pi, abs=1e-9)
    assert seen >= 5


def test_a_leaning_tool_turns_with_the_world(table, plot):
    one = table(0)
    leaning = replace(one, pick=replace(one.pick, approach=(0.6, 0.0, -0.8)))
    assert moved(leaning, plot, Move(pi / 2, (0.0, 0.0))).pick.approach == pytest.approx((0.0, 0.6, -0.8))


def test_what_comes_in_from_outside_is_table(table, plot):
    one = table(0)
    after = moved(one, plot, Move(0.0, (0.2, 0.0)))
    assert (after.color[:, :8] == np.median(one.color, axis=(0, 1))).all() and not after.height[:, :8].any() and after.seen.all()


@pytest.mark.parametrize(('axis', 'turns', 'moves'), [('color', True, True), ('relative', False, True), ('region', False, False)])
def test_only_what_the_words_allow_is_changed(table, plot, axis, turns, moves):
    changed = [
        (table(seed, axis), varied(table(seed, axis), plot, settings=SETTINGS, chance=np.random.default_rng(seed))) for seed in range(8)
    ]
    assert any(one.pick.yaw != pytest.approx(after.pick.yaw) for one, after in changed) == turns
    assert any(one.pick.position != pytest.approx(after.pick.position) for one, after in changed) == moves
    for one, after in changed:
        assert inside(plot, after.pick) and inside(plot, after.place)
        assert colors_below(after, plot) == colors_below(one, plot)


def test_light_and_noise_change_little_and_not_the_hue(table, plot):
    one = table(0, 'region')
    after = varied(one, plot, settings=KeyFrameTraining(), chance=np.random.default_rng(0))
    assert 0.0 < np.abs(after.height - one.height).max() < 0.01
    ratio = after.color[one.color > 100] / one.color[one.color > 100]
    assert ratio.min() > 0.89 and ratio.max() < 1.11 and np.ptp(ratio) < 0.02

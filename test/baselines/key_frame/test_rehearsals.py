"""What the expert did, found again by sentence and map."""

from dataclasses import replace

import numpy as np
import pytest

from test.baselines.test_demonstrations import DOWN, write
from vlm_bench_baselines.demonstrations import Target
from vlm_bench_baselines.key_frame.reading import Reading
from vlm_bench_baselines.key_frame.rehearsals import ORIENTATION, POSITION, Rehearsals
from vlm_bench_sim.core.fusion import TopDown

SENTENCE = 'Put the cube away.'
OWN = Target((0.9, 0.9, 0.9), (0.0, 1.0, 0.0), 1.0)


@pytest.fixture
def rehearsals(tmp_path):
    for seed, x in ((3, 0.15), (4, 0.25)):
        color = np.full((1, 2, 4, 3), 20 * seed, np.uint8)
        write(tmp_path / f'{seed}.npz', seed=seed, pick=np.array([(x, 0.05, 0.02, *DOWN)], np.float32), **{'map.color': color})
    return Rehearsals(tmp_path)


def seen(shade, shape=(2, 4)):
    return TopDown(np.full((*shape, 3), shade, np.uint8), np.zeros(shape, np.float32), np.ones(shape, np.uint8))


@pytest.mark.parametrize(('shade', 'x'), [(60, 0.15), (66, 0.15), (79, 0.25)])
def test_the_map_that_is_most_alike_is_meant(rehearsals, shade, x):
    assert rehearsals.nearest(seen(shade), SENTENCE).pick.position[0] == pytest.approx(x)


def test_another_sentence_or_another_size_is_refused(rehearsals):
    for sentence, shape in (('Put the ball away.', (2, 4)), (SENTENCE, (4, 4))):
        with pytest.raises(LookupError, match='holds no demonstration'):
            rehearsals.nearest(seen(60, shape), sentence)


def test_only_what_is_given_is_right(rehearsals):
    reading = Reading(OWN, OWN, np.zeros((2, 2, 4)))
    placed = rehearsals.corrected(reading, seen(60), SENTENCE, given=POSITION)
    assert placed.pick == replace(OWN, position=pytest.approx((0.15, 0.05, 0.02)))
    turned = rehearsals.corrected(reading, seen(60), SENTENCE, given=ORIENTATION)
    assert turned.place.position == OWN.position and turned.place.approach == pytest.approx((0.0, 0.0, -1.0))

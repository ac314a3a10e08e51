"""Demonstrations as they are read: what an export holds, and files that are none."""

import json

import numpy as np
import pytest

from vlm_bench_baselines.demonstrations import MAPS
from vlm_bench_sim.core.errors import ConfigError

PLOT = {'low': [0.0, 0.0, 0.0], 'high': [0.4, 0.2, 0.3], 'pixel': 0.1, 'below': 0.01}
DOWN = (1.0, 0.0, 0.0, 0.0)


def write(path, *, seed=3, plot=PLOT, shape=(2, 4), **arrays):
    about = {
        'bag': {'instruction': 'Put the cube away.', 'task': 'a/b', 'axis': 'color', 'seed': str(seed)},
        'survey': {'plot': 'cliport_6d', 'cameras': 'vlmbench', 'width': 256, 'height': 256},
        'plot': plot,
    }
    whole = {
        'metadata': np.array(json.dumps(about)),
        'map.color': np.full((1, *shape, 3), 7, np.uint8),
        'map.height': np.full((1, *shape), 0.1, np.float32),
        'map.views': np.ones((1, *shape), np.uint8),
        'pick': np.array([(0.15, 0.05, 0.02, *DOWN)], np.float32),
        'place': np.array([(0.35, 0.15, 0.06, *DOWN)], np.float32),
        'opening': np.array([0.08], np.float32),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, **whole | arrays)


def test_a_file_holds_a_demonstration_for_each_carry(tmp_path):
    write(tmp_path / 'b' / 'two.npz', seed=4)
    write(tmp_path / 'a.npz')
    found, survey, _ = MAPS.examples(tmp_path)
    assert [(one.seed, one.task, one.axis, one.sentence) for one in found] == [(s, 'a/b', 'color', 'Put the cube away.') for s in (3, 4)]
    assert survey.plot.shape == (2, 4) and survey.plot.below == 0.01 and survey.cameras == 'vlmbench'
    assert found[0].place.position == pytest.approx((0.35, 0.15, 0.06))
    assert found[0].pick.approach == pytest.approx((0.0, 0.0, -1.0)) and found[0].pick.yaw == pytest.approx(0.0)
    assert found[0].seen.all()


def test_a_folder_without_maps_is_refused(tmp_path):
    with pytest.raises(ConfigError, match='no maps'):
        MAPS.examples(tmp_path)


def test_maps_made_in_different_ways_are_refused(tmp_path):
    write(tmp_path / 'a.npz')
    write(tmp_path / 'b.npz', plot=PLOT | {'below': 0.0})
    with pytest.raises(ConfigError, match='different ways'):
        MAPS.examples(tmp_path)


@pytest.mark.parametrize(
    'arrays',
    [
        {'pick': np.array([(0.15, 0.05, 0.02)], np.float32)},
        {'map.height': np.zeros((1, 3, 4), np.float32)},
        {'metadata': np.array('{')},
        {'metadata': np.array('{}')},
        {'metadata': np.array([None], object)},
        {'place': np.zeros((2, 7), np.float32)},
        {'pick': np.array([(np.nan, 0.05, 0.02, *DOWN)], np.float32)},
        {'pick': np.array([(0.1, 0.05, 0.02, 0.0, 0.0, 0.0, 0.0)], np.float32)},
    ],
    ids=['no orientation', 'another size', 'no json', 'no words', 'an object', 'another number', 'no number', 'no turn'],
)
def test_a_damaged_file_is_refused_by_name(tmp_path, arrays):
    write(tmp_path / 'a.npz', **arrays)
    with pytest.raises(ConfigError, match=r'a\.npz'):
        MAPS.examples(tmp_path)


@pytest.mark.parametrize('content', [b'', b'PK', b'no zip at all'])
def test_what_is_no_archive_is_refused_by_name(tmp_path, content):
    (tmp_path / 'a.npz').write_bytes(content)
    with pytest.raises(ConfigError, match=r'a\.npz'):
        MAPS.examples(tmp_path)

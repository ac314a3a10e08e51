"""What policies learn from, kept apart and told: purposes of seeds, digests, and files that nobody should have to trust."""

import io
import json
import os
import struct
import zipfile

import numpy as np
import pytest

from test.baselines.test_demonstrations import PLOT, write
from vlm_bench_baselines.demonstrations import MAPS
from vlm_bench_sim.core.errors import ConfigError

ABOUT = {'instruction': 'Put it away.', 'task': 'a/b', 'axis': 'color', 'split': 'seen', 'seed': '3'}


def described(**bag):
    return {'metadata': np.array(json.dumps({'bag': ABOUT | bag, 'survey': {'cameras': 'x', 'width': 64, 'height': 64}, 'plot': PLOT}))}


def both(tmp_path, train=3, validation=80_000):
    write(tmp_path / 'train' / 'a.npz', seed=train)
    write(tmp_path / 'val' / 'a.npz', seed=validation)
    return MAPS.data([tmp_path / 'train'], tmp_path / 'val')


def test_what_was_learned_from_is_told_by_splits_seeds_and_bytes(tmp_path):
    first = both(tmp_path)
    assert first.origin == {'splits': ('',), 'validation': (80_000, 80_000), 'digests': first.digests}
    assert both(tmp_path).digests == first.digests
    write(tmp_path / 'train' / 'a.npz', **{'map.color': np.full((1, 2, 4, 3), 8, np.uint8)})
    other = MAPS.data([tmp_path / 'train'], tmp_path / 'val')
    assert other.digests[0] != first.digests[0] and other.digests[1] == first.digests[1]


@pytest.mark.parametrize(
    ('seeds', 'says'),
    [
        ((100_001, 80_000), r'train holds a/b with seed 100001, whose purpose is test; train was expected'),
        ((80_001, 80_000), 'whose purpose is validate; train was expected'),
        ((3, 100_001), r'val holds a/b with seed 100001, whose purpose is test; train or validate was expected'),
    ],
)
def test_seeds_for_tests_are_for_neither_and_those_for_validation_not_to_learn_from(tmp_path, seeds, says):
    with pytest.raises(ConfigError, match=says):
        both(tmp_path, *seeds)


def test_held_out_seeds_of_the_training_may_choose_weights(tmp_path):
    assert both(tmp_path, 3, 900).origin['validation'] == (900, 900)


def test_a_folder_that_is_named_twice_is_refused(tmp_path):
    both(tmp_path)
    with pytest.raises(ConfigError, match='named twice'):
        MAPS.data([tmp_path / 'train', tmp_path / 'val' / '..' / 'train'], tmp_path / 'val')
    write(tmp_path / 'train' / 'more' / 'b.npz', seed=4)
    with pytest.raises(ConfigError, match=r'more lies in another folder that is named'):
        MAPS.data([tmp_path / 'train', tmp_path / 'train' / 'more'], tmp_path / 'val')


def test_a_copy_of_a_file_is_no_second_example(tmp_path):
    both(tmp_path)
    (tmp_path / 'train' / 'b.npz').write_bytes((tmp_path / 'train' / 'a.npz').read_bytes())
    with pytest.raises(ConfigError, match=r'b\.npz is a copy of .*a\.npz'):
        MAPS.examples(tmp_path / 'train')


def test_a_linked_folder_is_not_left_out_silently(tmp_path):
    both(tmp_path)
    (tmp_path / 'train' / 'more').symlink_to(tmp_path / 'val')
    with pytest.raises(ConfigError, match=r'more is a link to a folder'):
        MAPS.examples(tmp_path / 'train')


def test_a_scene_that_was_learned_from_along_another_axis_does_not_choose_weights(tmp_path):
    write(tmp_path / 'train' / 'a.npz', **described(axis='goal'))
    write(tmp_path / 'val' / 'a.npz', **described(axis='palette'))
    with pytest.raises(ConfigError, match="a/b, split 'seen', seed 3 is in the training and in the validation data"):
        MAPS.data([tmp_path / 'train'], tmp_path / 'val')


WRONG = {
    'a failure': described(verdict='failure'),
    'a list of tasks': described(task=['a/b']),
    'a number of words': described(instruction=7),
    'half a seed': described(seed=1.9),
    'a true seed': described(seed=True),
    'an endless seed': {'metadata': np.array(json.dumps({'bag': ABOUT | {'seed': float('inf')}, 'plot': PLOT}))},
    'a nest': {'metadata': np.array('[' * 100_000)},
    'an odd plot': {'metadata': np.array(json.dumps({'bag': ABOUT, 'survey': {}, 'plot': PLOT | {'pixel': 0.07}}))},
    'a tiny pixel': {'metadata': np.array(json.dumps({'bag': ABOUT, 'survey': {}, 'plot': PLOT | {'pixel': 1e-310}}))},
    'heights beyond measure': {'map.height': np.full((1, 2, 4), 1e30, np.float32)},
    'places beyond measure': {'place': np.full((1, 7), 1e30)},
    'colors of two bytes': {'map.color': np.full((1, 2, 4, 3), 300, np.int16)},
}


@pytest.mark.parametrize('arrays', WRONG.values(), ids=WRONG.keys())
def test_what_an_export_never_writes_is_refused_by_name(tmp_path, arrays):
    write(tmp_path / 'a.npz', **arrays)
    with pytest.raises(ConfigError, match=r'a\.npz holds no maps that can be read.*vlm-bench export maps'):
        MAPS.examples(tmp_path)


def archive(head, *, name='metadata.npy', flags=0):
    """A zip archive with one array, whose head promises what it wants."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, 'w', zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(name, head)
    data = bytearray(whole.getvalue())
    data[6] |= flags
    data[data.index(b'PK\x01\x02') + 8] |= flags
    return bytes(data)


def promising(shape):
    told = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({shape},), }}".ljust(117) + '\n'
    return b'\x93NUMPY\x01\x00' + struct.pack('<H', len(told)) + told.encode()


def broken():
    data = bytearray(archive(bytes(range(256)) * 40))
    data[60:90] = bytes(30)
    return bytes(data)


DAMAGED = {'corrupt': broken(), 'encrypted': archive(b'x', flags=1), 'promising': archive(promising(2**45)), 'no zip': promising(2**45)}


@pytest.mark.parametrize('content', DAMAGED.values(), ids=DAMAGED.keys())
def test_a_damaged_archive_is_refused_by_name(tmp_path, content):
    (tmp_path / 'a.npz').write_bytes(content)
    with pytest.raises(ConfigError, match=r'a\.npz holds no maps that can be read'):
        MAPS.examples(tmp_path)


def test_what_inflates_beyond_measure_or_never_ends_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr('vlm_bench_baselines.data.MOST_BYTES', 100_000)
    (tmp_path / 'a.npz').write_bytes(archive(bytes(10_000_000)))
    with pytest.raises(ConfigError, match='unpacks to more than'):
        MAPS.examples(tmp_path)
    (tmp_path / 'a.npz').unlink()
    os.mkfifo(tmp_path / 'a.npz')
    with pytest.raises(ConfigError, match='not a regular file'):
        MAPS.examples(tmp_path)

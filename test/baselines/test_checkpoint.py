"""Weights and their card: there and back, and files that hold no such thing."""

import json
import os
import struct
from typing import Literal

import pytest
import torch
from safetensors.torch import save_file

from vlm_bench_baselines.checkpoint import Card, fill, load, save
from vlm_bench_sim.core.errors import ConfigError

WEIGHTS = {'a': torch.arange(6.0).view(2, 3) / 7, 'number': torch.tensor([3])}
CARD = Card(kind='some', data='none', score={'both': 0.5})


def test_weights_and_card_come_back(tmp_path):
    save(tmp_path / 'deep' / 'w.safetensors', WEIGHTS, CARD)
    found, card = load(tmp_path / 'deep' / 'w.safetensors', Card)
    assert card == CARD and all(torch.equal(found[name], one) for name, one in WEIGHTS.items())
    assert [path.name for path in (tmp_path / 'deep').iterdir()] == ['w.safetensors']


def test_half_of_the_precision_needs_half_of_the_room_and_whole_numbers_stay(tmp_path):
    save(tmp_path / 'w.safetensors', WEIGHTS, CARD, half=True)
    found, _ = load(tmp_path / 'w.safetensors', Card)
    assert found['a'].dtype == torch.float32 and found['number'].tolist() == [3]
    assert torch.allclose(found['a'], WEIGHTS['a'], atol=1e-3) and not torch.equal(found['a'], WEIGHTS['a'])


def bomb(path):
    header = json.dumps({'a': {'dtype': 'F32', 'shape': [1 << 40], 'data_offsets': [0, 1 << 42]}}).encode()
    path.write_bytes(struct.pack('<Q', len(header)) + header)


@pytest.mark.parametrize(
    'make',
    [
        lambda path: None,
        lambda path: path.write_bytes(b''),
        lambda path: path.write_bytes(b'\x80\x04cos\nsystem\n'),
        bomb,
        lambda path: save_file({'a': torch.zeros(1)}, path),
        lambda path: save_file({'a': torch.zeros(1)}, path, metadata={'card': '{'}),
        lambda path: save_file({'a': torch.zeros(1)}, path, metadata={'card': '{"kind": 3}'}),
        lambda path: save_file({'a': torch.zeros(1)}, path, metadata={'card': '{"kind": "some", "more": 1}'}),
    ],
    ids=['missing', 'empty', 'a pickle', 'a bomb', 'no card', 'no json', 'wrong types', 'unknown fields'],
)
def test_what_holds_no_such_weights_is_refused_by_name(tmp_path, make):
    make(tmp_path / 'w.safetensors')
    with pytest.raises(ConfigError, match=r'w\.safetensors'):
        load(tmp_path / 'w.safetensors', Card)


class OtherCard(Card):
    kind: Literal['other'] = 'other'


def test_weights_of_another_kind_a_folder_and_the_state_of_a_training_are_told_apart(tmp_path):
    save(tmp_path / 'some.safetensors', WEIGHTS, CARD)
    with pytest.raises(ConfigError, match="holds weights of another kind of policy: 'some'; other was expected"):
        load(tmp_path / 'some.safetensors', OtherCard)
    with pytest.raises(ConfigError, match='is no regular file'):
        load(tmp_path, Card)
    with pytest.raises(ConfigError, match=r'the state of a training.*best\.safetensors'):
        fill(torch.nn.Linear(1, 1), {'average.weight': torch.zeros(1, 1)}, tmp_path / 'last.safetensors')


@pytest.mark.parametrize(
    ('weights', 'says'),
    [
        ({'a': torch.zeros(2, dtype=torch.complex64)}, 'numbers of the kinds C64'),
        ({'a': torch.zeros(2, dtype=torch.float8_e4m3fn)}, 'numbers of the kinds F8_E4M3'),
        ({'a': torch.zeros(2, dtype=torch.float64)}, 'numbers of the kinds F64'),
    ],
    ids=['complex', 'a byte each', 'eight bytes each'],
)
def test_numbers_that_no_training_writes_are_refused(tmp_path, weights, says):
    save_file(weights, tmp_path / 'a.safetensors', metadata={'card': CARD.model_dump_json()})
    with pytest.raises(ConfigError, match=says):
        load(tmp_path / 'a.safetensors', Card)


def test_weights_that_are_no_numbers_are_refused(tmp_path):
    with pytest.raises(ConfigError, match='weights that are no numbers'):
        fill(torch.nn.Linear(1, 1), {'weight': torch.tensor([[float('nan')]]), 'bias': torch.zeros(1)}, tmp_path)


def test_a_network_without_memory_takes_the_weights_as_they_are(tmp_path):
    with torch.device('meta'):
        network = torch.nn.Linear(2, 1)
    fill(network, {'weight': torch.ones(1, 2), 'bias': torch.zeros(1)}, tmp_path)
    assert network(torch.tensor([3.0, 4.0])).item() == 7.0


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / 'a.safetensors')
    with pytest.raises(ConfigError, match='no regular file'):
        load(tmp_path / 'a.safetensors', Card)


def test_on_a_full_disk_nothing_is_left_half_written(tmp_path, monkeypatch):
    def full(number):
        raise OSError(28, 'No space left on device')

    monkeypatch.setattr(os, 'fsync', full)
    with pytest.raises(ConfigError, match=r'a\.safetensors cannot be written.*No space left'):
        save(tmp_path / 'a.safetensors', WEIGHTS, CARD)
    assert not list(tmp_path.iterdir())


def test_who_may_read_other_files_may_read_weights(tmp_path):
    save(tmp_path / 'a.safetensors', {'a': torch.zeros(2)}, CARD)
    (tmp_path / 'other').touch()
    assert (tmp_path / 'a.safetensors').stat().st_mode == (tmp_path / 'other').stat().st_mode


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / 'file').write_text('')
    with pytest.raises(ConfigError, match='cannot be written'):
        save(tmp_path / 'file' / 'w.safetensors', WEIGHTS, CARD)

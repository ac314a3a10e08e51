"""The network: shapes, and that padding, other sentences of a batch and single words matter as they should."""

import pytest
import torch

from vlm_bench_baselines.key_frame.network import CHANNELS, Network
from vlm_bench_baselines.key_frame.settings import NetworkSettings
from vlm_bench_baselines.words import PADDING, Said

SMALL = NetworkSettings(widths=(8, 16, 16), words=8, sentence=8, matched=4, yaws=6)


@pytest.fixture
def network():
    torch.manual_seed(0)
    return Network(SMALL, 10).eval()


def test_each_pixel_has_a_logit_for_picks_and_one_for_places(network):
    answer = network(torch.rand(3, CHANNELS, 32, 24), Said(torch.randint(1, 10, (3, 5))))
    assert answer.heat.shape == (3, 2, 32, 24)
    details = network.details(answer, 1, torch.tensor([[0, 0], [31, 23], [7, 8]]), torch.zeros(3))
    assert details.yaw.shape == (3, 6) and details.z.shape == (3,) and details.approach.shape == (3, 3)


def test_maps_of_odd_scales_pass(network):
    assert network(torch.rand(1, CHANNELS, 34, 26), Said(torch.ones(1, 1, dtype=torch.long))).heat.shape == (1, 2, 34, 26)


def test_padding_and_the_rest_of_the_batch_change_nothing(network):
    maps, words = torch.rand(2, CHANNELS, 32, 24), torch.tensor([[3, 4, PADDING, PADDING], [5, 6, 7, 8]])
    together, alone = network(maps, Said(words)).heat[0], network(maps[:1], Said(words[:1, :2])).heat[0]
    assert torch.allclose(together, alone, atol=1e-5)


def test_each_word_and_their_order_matter(network):
    maps = torch.rand(1, CHANNELS, 32, 24)
    first, *others = (network(maps, Said(torch.tensor([words]))).heat for words in ([3, 4], [3, 5], [4, 3]))
    assert all(not torch.allclose(first, other, atol=1e-6) for other in others)


def test_a_pixel_of_the_map_is_a_pixel_of_the_answer(network):
    """What lies elsewhere than a change is least changed: the heat stands where the map does, and is neither turned nor mirrored."""
    maps = torch.zeros(1, CHANNELS, 64, 48)
    changed = maps.clone()
    changed[0, :4, 40:44, 8:12] = 1.0
    words = torch.tensor([[3, 4]])
    away = (network(changed, Said(words)).heat - network(maps, Said(words)).heat).abs().sum(1)[0]
    assert away[36:48, 4:16].mean() > 3 * away[:16, 32:].mean()

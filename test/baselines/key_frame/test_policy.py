"""The policy in the bench: it carries what its map names, sees with the cameras that it was taught with, and says what is missing."""

from pathlib import Path

import numpy as np
import pytest
import torch

pytest.importorskip('moderngl')

from vlm_bench_baselines import checkpoint
from vlm_bench_baselines.demonstrations import Target
from vlm_bench_baselines.key_frame.card import KeyFrameCard
from vlm_bench_baselines.key_frame.network import Network
from vlm_bench_baselines.key_frame.policy import KeyFramePolicy
from vlm_bench_baselines.key_frame.reading import Reading
from vlm_bench_baselines.key_frame.settings import KeyFrameTraining, NetworkSettings
from vlm_bench_baselines.words import Vocabulary
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.fusion import CLIPORT_6D
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.policy import Played
from vlm_bench_tasks.run import Bench

SIZE = NetworkSettings(widths=(8, 8), words=8, sentence=8, matched=4)
TASK = 'vlmbench/pick_place'


@pytest.fixture(scope='module')
def weights(tmp_path_factory):
    """Weights that were never trained."""
    path, words, plot = tmp_path_factory.mktemp('weights') / 'w.safetensors', Vocabulary.of(['put it in']), CLIPORT_6D
    torch.manual_seed(0)
    card = KeyFrameCard(
        network=SIZE, training=KeyFrameTraining(), words=words.words, low=plot.low, high=plot.high, pixel=plot.pixel,
        below=plot.below, cameras='vlmbench', width=64, height=64, tasks=(TASK,), seeds=(0, 1), carries=(1, 1),
    )  # fmt: skip
    checkpoint.save(path, Network(SIZE, words.size).state_dict(), card)
    return path


@pytest.fixture(scope='module')
def bench():
    bench = Bench(cameras='vlmbench', width=64, height=64)
    yield bench
    bench.close()


class Told(KeyFramePolicy):
    """Its network is told by the test what to answer."""

    answer: Reading
    maps = ()

    def _read(self):
        self.maps = (*self.maps, self._map())
        return self.answer


def test_a_carry_that_is_told_right_is_carried_out(weights, bench):
    """The hand, the fingers and the way are right: what is left to learn is where."""
    episode = catalogue.build(TASK, 'seen', 1001)
    policy = Told(str(weights))
    # From the expert's episode with this seed: the purple ring stands at (0.641, 0.051), the maroon container at (0.325, -0.038).
    pick, place = (0.6414, 0.0512, 0.0220), (0.3246, -0.0381, 0.0301)
    policy.answer = Reading(Target(pick, (0.0, 0.0, -1.0), -0.069), Target(place, (0.0, 0.0, -1.0), -0.906), np.zeros((2, 1, 1)))
    report = bench.run(episode, Played(policy)).report
    assert report.verdict is Verdict.SUCCESS, report.reason
    seen = policy.maps[0]
    assert seen.color.shape == (*CLIPORT_6D.shape, 3)
    row, column = CLIPORT_6D.cell(pick)
    assert seen.height[row - 5 : row + 6, column - 5 : column + 6].max() + CLIPORT_6D.low[2] > 0.02  # the ring


def test_nothing_in_the_hand_means_to_look_again(weights, bench):
    policy = Told(str(weights), carries='2')
    nothing = Target((0.5, 0.3, 0.1), (0.0, 0.0, -1.0), 0.0)
    policy.answer = Reading(nothing, nothing, np.zeros((2, 1, 1)))
    report = bench.run(catalogue.build(TASK, 'seen', 1001), Played(policy)).report
    assert report.verdict is Verdict.FAILURE and len(policy.maps) == 2


def test_what_was_never_trained_plays_to_a_verdict_and_the_same_again(weights, bench):
    policy = KeyFramePolicy(str(weights), carries='1')
    one, other = (bench.run(catalogue.build(TASK, 'seen', 1001), Played(policy)) for _ in range(2))
    assert one.report.verdict is Verdict.FAILURE and one.hashes == other.hashes
    assert policy.reading is not None and policy.reading.heat.shape == (2, *CLIPORT_6D.shape)


def test_without_cameras_it_says_which_ones_it_needs(weights):
    blind = Bench()
    try:
        with pytest.raises(ConfigError, match='--cameras vlmbench --size 64x64'):
            blind.run(catalogue.build(TASK, 'seen', 1001), Played(KeyFramePolicy(str(weights))))
    finally:
        blind.close()


@pytest.mark.parametrize(
    'arguments', [{'carries': '0'}, {'carries': 'x'}, {'blank': 'sound'}, {'given': 'position'}, {'given': 'all', 'rehearsals': '.'}]
)
def test_wrong_arguments_are_refused(weights, arguments):
    with pytest.raises(ConfigError):
        KeyFramePolicy(str(weights), **arguments)


def test_weights_that_were_trained_blind_play_blind(weights, tmp_path):
    found, card = checkpoint.load(weights, KeyFrameCard)
    checkpoint.save(tmp_path / 'w.safetensors', found, card.model_copy(update={'training': KeyFrameTraining(blank='words')}))
    for blank in ('', 'map'):
        with pytest.raises(ConfigError, match=r'trained without words\. Add blank=words'):
            KeyFramePolicy(str(tmp_path / 'w.safetensors'), blank=blank)
    KeyFramePolicy(str(tmp_path / 'w.safetensors'), blank='words')


def test_weights_that_do_not_fit_their_card_are_refused(weights, tmp_path):
    found, card = checkpoint.load(weights, KeyFrameCard)
    found.popitem()
    checkpoint.save(tmp_path / 'w.safetensors', found, card)
    with pytest.raises(ConfigError, match='do not fit their card'):
        KeyFramePolicy(str(tmp_path / 'w.safetensors'))


def test_a_file_that_is_missing_is_refused_by_name():
    with pytest.raises(ConfigError, match=r'nowhere\.safetensors'):
        KeyFramePolicy(str(Path('nowhere.safetensors')))

"""What the key-frame policy learns: its demonstrations and its batches."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from vlm_bench_baselines.data import Data
from vlm_bench_baselines.demonstrations import Demonstration, Survey
from vlm_bench_baselines.key_frame.batches import Batch, batch
from vlm_bench_baselines.key_frame.card import KeyFrameCard
from vlm_bench_baselines.key_frame.maps import inside, varied
from vlm_bench_baselines.key_frame.network import Network
from vlm_bench_baselines.key_frame.scoring import loss, quality
from vlm_bench_baselines.key_frame.settings import KeyFrameTraining, NetworkSettings
from vlm_bench_baselines.training import Lesson, Scores
from vlm_bench_baselines.words import Encoder, Vocabulary
from vlm_bench_sim.core.errors import ConfigError

_AT_ONCE = 64  # demonstrations of a batch for validation


KeyFrameData = Data[Demonstration, Survey]
"""Demonstrations, and how their maps were made."""


class KeyFrameLesson(Lesson):
    """Learns to take a thing and to let it go where a map from above and a sentence tell it.

    Args:
        data: what to learn from.
        network: size of the network.
        settings: how to train.
        encoder: a frozen encoder of sentences; None: words are learned.

    Raises:
        ConfigError: a demonstration lies outside its map.
    """

    shares: ClassVar = {'both': 'pick and place', 'pick': 'pick', 'place': 'place'}

    def __init__(self, data: KeyFrameData, *, network: NetworkSettings, settings: KeyFrameTraining, encoder: Encoder | None = None) -> None:
        self._data, self._plot, self._encoder = data, data.made.plot, encoder
        self._sizes = network.model_copy(update={'frozen': encoder.numbers if encoder else 0})
        for one in (*data.train, *data.validation):
            if not (inside(self._plot, one.pick) and inside(self._plot, one.place)):
                raise ConfigError(f'{one.task} with seed {one.seed} takes or leaves a thing outside its map. Export maps of a larger plot.')
        torch.manual_seed(settings.seed)
        self._vocabulary = Vocabulary.of(one.sentence for one in data.train)
        self.settings: KeyFrameTraining = settings
        self.network: Network = Network(self._sizes, self._vocabulary.size)
        self._validation = [self._batch(data.validation[i : i + _AT_ONCE]) for i in range(0, len(data.validation), _AT_ONCE)]

    def loss(self, chance: np.random.Generator) -> Tensor:
        """Return the loss of demonstrations that are moved, turned and lit at random."""
        train, settings = self._data.train, self.settings
        chosen = chance.choice(len(train), settings.batch, replace=len(train) < settings.batch)
        return loss(self.network, self._batch([varied(train[i], self._plot, settings=settings, chance=chance) for i in chosen]))

    def scores(self, network: nn.Module) -> Scores:
        """Return the numbers of `scoring.Quality`."""
        return asdict(quality(network, self._validation, self._plot.pixel))

    @staticmethod
    def rank(scores: Scores) -> tuple[float, ...]:
        """Return the share of right picks and places, and the loss among equals."""
        return scores['both'], -scores['loss']

    def card(self) -> KeyFrameCard:
        """Return the card, with no steps and no scores yet."""
        data, survey, plot = self._data, self._data.made, self._plot
        return KeyFrameCard(
            data='expert of vlm_bench', score={},
            network=self._sizes, training=self.settings, words=self._vocabulary.words,
            low=plot.low, high=plot.high, pixel=plot.pixel, below=plot.below,
            cameras=survey.cameras, width=survey.width, height=survey.height,
            tasks=data.tasks, seeds=data.seeds, **data.origin, carries=data.counts, clip=self._encoder.digest if self._encoder else '',
        )  # fmt: skip

    def _batch(self, found: Sequence[Demonstration]) -> Batch:
        return batch(found, self._plot, self._vocabulary, encoder=self._encoder, blank=self.settings.blank)

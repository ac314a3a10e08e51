"""The card of the weights of a key-frame policy."""

from typing import Literal

from pydantic import model_validator

from vlm_bench_baselines.cards import TrainedCard
from vlm_bench_baselines.key_frame.settings import KeyFrameTraining, NetworkSettings
from vlm_bench_baselines.words import Words
from vlm_bench_sim.core.fusion import Plot

MOST_NUMBERS = 1 << 25
"""Of the features of a map; a card from elsewhere cannot ask for more."""


class KeyFrameCard(TrainedCard):
    """What a key-frame policy is.

    Attributes:
        network, training: settings.
        words: the vocabulary.
        low, high, pixel, below: the plot of its maps (`core.fusion.Plot`).
        cameras: that made the maps.
        width, height: of their pictures, pixels.
        tasks: ids of the tasks that it was trained on.
        seeds: lowest and highest seed of the training data.
        carries: number of demonstrations for training and for validation.
        clip: SHA-256 of the CLIP whose words it reads; '' where words are learned.
    """

    kind: Literal['key_frame'] = 'key_frame'
    network: NetworkSettings
    training: KeyFrameTraining
    words: Words
    low: tuple[float, float, float]
    high: tuple[float, float, float]
    pixel: float
    below: float
    cameras: str
    width: int
    height: int
    tasks: tuple[str, ...]
    seeds: tuple[int, int]
    carries: tuple[int, int]
    clip: str = ''

    @model_validator(mode='after')
    def _can_be_drawn(self) -> 'KeyFrameCard':
        rows, columns = self.plot.shape
        if rows * columns * self.network.widths[0] > MOST_NUMBERS:
            raise ValueError(f'maps of {rows} x {columns} pixels with {self.network.widths[0]} numbers each hold more than {MOST_NUMBERS}')
        if rows % 2 or columns % 2:
            raise ValueError(f'maps of {rows} x {columns} pixels cannot be halved')
        return self

    @property
    def plot(self) -> Plot:
        """What a map covers."""
        return Plot(self.low, self.high, self.pixel, self.below)

"""The card of the weights of a policy like PerAct."""

from typing import Literal

from pydantic import model_validator

from vlm_bench_baselines.cards import TrainedCard
from vlm_bench_baselines.per_act.frames import MOST_CELLS
from vlm_bench_baselines.per_act.settings import PerActNetwork, PerActTraining
from vlm_bench_baselines.words import Words
from vlm_bench_sim.core.voxels import Grid

MOST_NUMBERS = 1 << 28
"""Of the features of a grid, or of the learned places of its patches; a card from elsewhere cannot ask for more."""


class PerActCard(TrainedCard):
    """What a policy is.

    Attributes:
        network, training: settings.
        words: the vocabulary.
        low, side, cells: its grid (`core.voxels.Grid`).
        cameras: that see it.
        width, height: of their pictures, pixels.
        tasks: ids of the tasks that it was trained on.
        seeds: lowest and highest seed of the training data.
        frames: number of key frames for training and for validation.
    """

    kind: Literal['per_act'] = 'per_act'
    network: PerActNetwork
    training: PerActTraining
    words: Words
    low: tuple[float, float, float]
    side: float
    cells: int
    cameras: str
    width: int
    height: int
    tasks: tuple[str, ...]
    seeds: tuple[int, int]
    frames: tuple[int, int]

    @model_validator(mode='after')
    def _fits(self) -> 'PerActCard':
        if self.grid.cells > MOST_CELLS:
            raise ValueError(f'a grid of {self.cells} voxels a side is larger than {MOST_CELLS}')
        if self.cells**3 * self.network.width > MOST_NUMBERS:
            raise ValueError(f'{self.cells} voxels a side with {self.network.width} numbers each are more than {MOST_NUMBERS}')
        return self

    @property
    def grid(self) -> Grid:
        """What its voxels cover."""
        return Grid(self.low, self.side, self.cells)

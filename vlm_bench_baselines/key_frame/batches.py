"""Batches of demonstrations, and what the network shall answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi

import numpy as np
import torch
from torch import Tensor

from vlm_bench_baselines.demonstrations import Demonstration, Heights, Target
from vlm_bench_baselines.key_frame.maps import DECIMETRE, channels, highest_around
from vlm_bench_baselines.words import UNKNOWN, Encoder, Said, Vocabulary, said
from vlm_bench_sim.core.fusion import Plot


@dataclass(frozen=True, eq=False)
class Wanted:
    """The right answers for picks or for places.

    Attributes:
        cells: (batch, 2) row and column of the map.
        yaw: (batch,) angle about the approach direction, rad.
        z: (batch,) height of the tool above the plot's floor, dm.
        approach: (batch, 3) unit vectors.
        heights: (batch,) greatest height around the cell, dm.
    """

    cells: Tensor
    yaw: Tensor
    z: Tensor
    approach: Tensor
    heights: Tensor


@dataclass(frozen=True, eq=False)
class Batch:
    """Input and right answers.

    Attributes:
        maps: (batch, 7, rows, columns).
        said: sentences.
        wanted: for picks and for places.
    """

    maps: Tensor
    said: Said
    wanted: tuple[Wanted, Wanted]


def batch(found: Sequence[Demonstration], plot: Plot, vocabulary: Vocabulary, *, encoder: Encoder | None = None, blank: str = '') -> Batch:
    """Return demonstrations as a batch; `blank`: one of `settings.BLANKS`."""
    maps = np.stack([channels(one.color, one.height, one.seen) for one in found])
    heights = [one.height for one in found]
    picks, places = _wanted([one.pick for one in found], heights, plot), _wanted([one.place for one in found], heights, plot)
    told = said([one.sentence for one in found], vocabulary, encoder)
    return Batch(*blanked(torch.from_numpy(maps), told, blank), (picks, places))


def blanked(maps: Tensor, told: Said, blank: str) -> tuple[Tensor, Said]:
    """Return maps and sentences, of which one says nothing if `blank` names it."""
    if blank == 'words':
        nothing = None if told.features is None else torch.zeros_like(told.features[:, :1])
        return maps, Said(torch.full_like(told.tokens[:, :1], UNKNOWN), nothing)
    return (torch.zeros_like(maps), told) if blank == 'map' else (maps, told)


def _wanted(targets: Sequence[Target], heights: Sequence[Heights], plot: Plot) -> Wanted:
    cells = [plot.cell(target.position) for target in targets]
    around = [highest_around(height, *cell) for height, cell in zip(heights, cells, strict=True)]
    return Wanted(
        torch.tensor(cells),
        torch.tensor([target.yaw for target in targets], dtype=torch.float32),
        torch.tensor([(target.position[2] - plot.low[2]) / DECIMETRE for target in targets], dtype=torch.float32),
        torch.tensor([target.approach for target in targets], dtype=torch.float32),
        torch.tensor(around, dtype=torch.float32) / DECIMETRE,
    )


def heat_targets(cells: Tensor, rows: int, columns: int, width: float = 1.0) -> Tensor:
    """Return (batch, rows x columns) probabilities: a Gaussian of `width` pixels around each cell."""
    down, right = torch.arange(rows)[None, :, None], torch.arange(columns)[None, None, :]
    away = (down - cells[:, 0, None, None]) ** 2 + (right - cells[:, 1, None, None]) ** 2
    return (-away / (2 * width**2)).flatten(1).softmax(1)


def yaw_targets(yaw: Tensor, bins: int, width: float = 0.7) -> Tensor:
    """Return (batch, bins) probabilities over half a turn, smeared over `width` bins; the last bin is next to the first."""
    at = (yaw[:, None] + pi / 2) / pi * bins - 0.5
    away = torch.remainder(at - torch.arange(bins) + bins / 2, bins) - bins / 2
    return (-(away**2) / (2 * width**2)).softmax(1)


def yaw_of(logits: Tensor) -> Tensor:
    """Return the angle of the most likely of each row of bins, rad, from -π/2 to π/2."""
    bins = logits.shape[1]
    return (logits.argmax(1) + 0.5) / bins * pi - pi / 2

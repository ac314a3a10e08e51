"""The network: a U-Net over a map, conditioned on a sentence, that tells where to take a thing and where to let it go.

Like 6D-CLIPort (VLMbench, section 5.1) it turns a top-down map of color and height and a sentence into two heat maps, and at their peaks
into an angle and a height. Unlike there, the meaning of words is learned from the data, and the map is not compared with 36 turned crops of
itself: it runs on a CPU.
"""

from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

from vlm_bench_baselines.key_frame.settings import NetworkSettings
from vlm_bench_baselines.layers import FilmBlock, Sentence, head
from vlm_bench_baselines.words import Said

CHANNELS = 7
"""Red, green, blue, height, whether a camera saw the pixel, and the pixel's row and column."""

PARTS = ('pick', 'place')
FINE = 2
"""Pixels of the map along a side of a pixel of the network."""

_MORE = 4  # numbers of a head beside the angle: height, and direction of the approach


@dataclass(frozen=True, eq=False)
class Answer:
    """What the network tells of a batch, for picks and places.

    Attributes:
        heat: (batch, 2, rows, columns) logits of where the tool goes.
        features: (batch, channels, rows / 2, columns / 2), from which `Network.details` tells the rest at a pixel.
        meanings: (batch, 2, numbers), what the sentence says about each.
    """

    heat: Tensor
    features: Tensor
    meanings: Tensor


@dataclass(frozen=True, eq=False)
class Details:
    """How the tool stands at a pixel.

    Attributes:
        yaw: (batch, bins) logits.
        z: (batch,) height of the tool above the plot's floor, in dm.
        approach: (batch, 3) direction of the approach, not normalised.
    """

    yaw: Tensor
    z: Tensor
    approach: Tensor


class Network(nn.Module):
    """The network.

    Args:
        settings: its size.
        tokens: size of the vocabulary.
    """

    def __init__(self, settings: NetworkSettings, tokens: int) -> None:
        super().__init__()
        widths, meaning = settings.widths, 2 * settings.sentence
        self._settings = settings
        self.sentence = Sentence(tokens, words=settings.words, states=settings.sentence, parts=len(PARTS), frozen=settings.frozen)
        self.first = nn.Conv2d(CHANNELS * FINE**2, widths[0], 1)
        self.down = nn.ModuleList(FilmBlock(width, width, meaning=meaning) for width in widths)
        self.coarser = nn.ModuleList(nn.Conv2d(a, b, 3, stride=2, padding=1) for a, b in pairwise(widths))
        self.up = nn.ModuleList(FilmBlock(a + b, a, meaning=meaning) for a, b in pairwise(widths))
        self.heat = nn.Conv2d(widths[0], len(PARTS) * FINE**2, 1)
        self.matched = nn.Conv2d(widths[0], len(PARTS) * FINE**2 * settings.matched, 1)
        self.asked = nn.Linear(settings.words + meaning, settings.matched)
        self.near = nn.Conv2d(widths[0], widths[0], 3, padding=1)
        known, inner = widths[0] + settings.words + meaning + 1, 2 * widths[0]
        self.heads = nn.ModuleDict({part: head(known, inner, settings.yaws + _MORE) for part in PARTS})

    def forward(self, maps: Tensor, said: Said) -> Answer:
        """Return what a batch of maps, (batch, 7, rows, columns), and sentences asks for."""
        whole, meanings = self.sentence(said.tokens, features=said.features)
        x, skipped = self.first(functional.pixel_unshuffle(maps, FINE)), []
        for level, block in enumerate(self.down):
            x = block(x, whole)
            if level < len(self.coarser):
                skipped.append(x)
                x = functional.relu(self.coarser[level](x))
        for level in reversed(range(len(self.up))):
            finer = skipped[level]
            x = functional.interpolate(x, size=finer.shape[2:], mode='nearest')
            x = self.up[level](torch.cat([finer, x], 1), whole)
        return Answer(self._heat(x, meanings), functional.relu(self.near(x)), meanings)

    def _heat(self, x: Tensor, meanings: Tensor) -> Tensor:
        batch, _, rows, columns = x.shape
        pixels = self.matched(x).view(batch, len(PARTS), FINE**2, self._settings.matched, rows, columns)
        said = self.asked(meanings) / self._settings.matched**0.5
        fitting = torch.einsum('bpfmrc,bpm->bpfrc', pixels, said).reshape(batch, -1, rows, columns)
        return functional.pixel_shuffle(fitting + self.heat(x), FINE)

    def details(self, answer: Answer, part: int, cells: Tensor, heights: Tensor) -> Details:
        """Return how the tool stands at a pixel of each map.

        Args:
            answer: of the network.
            part: 0 for picks, 1 for places.
            cells: (batch, 2) row and column of the map.
            heights: (batch,) the greatest height around it, dm.
        """
        at = answer.features[torch.arange(len(cells)), :, cells[:, 0] // FINE, cells[:, 1] // FINE]
        known = torch.cat([at, answer.meanings[:, part], heights[:, None]], 1)
        told = self.heads[PARTS[part]](known)
        return Details(told[:, :-_MORE], told[:, -_MORE], told[:, 1 - _MORE :])

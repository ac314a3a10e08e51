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
from vlm_bench_baselines.words import PADDING

CHANNELS = 7
"""Red, green, blue, height, whether a camera saw the pixel, and the pixel's row and column."""

PARTS = ('pick', 'place')
FINE = 2
"""Pixels of the map along a side of a pixel of the network."""

_MORE = 4  # numbers of a head beside the angle: height, and direction of the approach
_NEIGHBOURS = 2  # words to each side with which a word is seen at once


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
        self.sentence = _Sentence(settings, tokens)
        self.first = nn.Conv2d(CHANNELS * FINE**2, widths[0], 1)
        self.down = nn.ModuleList(_Block(width, width, meaning=meaning) for width in widths)
        self.coarser = nn.ModuleList(nn.Conv2d(a, b, 3, stride=2, padding=1) for a, b in pairwise(widths))
        self.up = nn.ModuleList(_Block(a + b, a, meaning=meaning) for a, b in pairwise(widths))
        self.heat = nn.Conv2d(widths[0], len(PARTS) * FINE**2, 1)
        self.matched = nn.Conv2d(widths[0], len(PARTS) * FINE**2 * settings.matched, 1)
        self.asked = nn.Linear(settings.words + meaning, settings.matched)
        self.near = nn.Conv2d(widths[0], widths[0], 3, padding=1)
        known, inner = widths[0] + settings.words + meaning + 1, 2 * widths[0]
        self.heads = nn.ModuleDict({part: _head(known, inner, settings.yaws + _MORE) for part in PARTS})

    def forward(self, maps: Tensor, tokens: Tensor) -> Answer:
        """Return what a batch of maps, (batch, 7, rows, columns), and sentences, (batch, words), asks for."""
        whole, meanings = self.sentence(tokens)
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


def _head(known: int, inner: int, told: int) -> nn.Module:
    return nn.Sequential(nn.Linear(known, inner), nn.ReLU(), nn.Linear(inner, told))


class _Sentence(nn.Module):
    """A sentence as one vector, and as one for each part: the words that matter for it, weighed by learned attention."""

    def __init__(self, settings: NetworkSettings, tokens: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(tokens, settings.words, padding_idx=PADDING)
        self.local = nn.Conv1d(settings.words, settings.words, 2 * _NEIGHBOURS + 1, padding=_NEIGHBOURS)
        self.recurrent = nn.GRU(settings.words, settings.sentence, batch_first=True, bidirectional=True)
        self.attention = nn.Linear(settings.words + 2 * settings.sentence, len(PARTS))
        self.joined = nn.Linear(len(PARTS) * (settings.words + 2 * settings.sentence), 2 * settings.sentence)

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """Return (batch, numbers) and (batch, 2, numbers) of sentences, (batch, words)."""
        there = tokens != PADDING
        words = self.embedding(tokens)
        known = words + functional.relu(self.local(words.transpose(1, 2)).transpose(1, 2)) * there[..., None]
        packed = nn.utils.rnn.pack_padded_sequence(
            known, there.sum(1).cpu(), batch_first=True, enforce_sorted=False
        )  # so that padding has no influence
        states, _ = nn.utils.rnn.pad_packed_sequence(self.recurrent(packed)[0], batch_first=True, total_length=tokens.shape[1])
        weights = self.attention(torch.cat([known, states], 2)).masked_fill(~there[..., None], float('-inf')).softmax(1)
        meanings = torch.einsum('bwp,bwm->bpm', weights, torch.cat([words, states], 2))
        return functional.relu(self.joined(meanings.flatten(1))), meanings


class _Block(nn.Module):
    """Two convolutions whose channels the sentence scales and shifts (FiLM, Perez et al. 2018), around a shortcut."""

    def __init__(self, given: int, width: int, *, meaning: int) -> None:
        super().__init__()
        groups = max(1, width // 8)
        self.first, self.second = nn.Conv2d(given, width, 3, padding=1), nn.Conv2d(width, width, 3, padding=1)
        self.norms = nn.ModuleList(nn.GroupNorm(groups, width) for _ in range(2))
        self.film = nn.Linear(meaning, 2 * width)
        self.shortcut: nn.Module = nn.Conv2d(given, width, 1) if given != width else nn.Identity()

    def forward(self, x: Tensor, sentence: Tensor) -> Tensor:
        """Return (batch, width, rows, columns)."""
        scale, shift = self.film(sentence)[:, :, None, None].chunk(2, 1)
        y = functional.relu(self.norms[0](self.first(x)))
        y = self.norms[1](self.second(y)) * (1.0 + scale) + shift
        return functional.relu(self.shortcut(x) + y)

"""The network: patches of voxels and a sentence meet in a few latent vectors (Perceiver IO), which tell how good each voxel is as a target.

Like PerAct (Shridhar et al. 2022, section 3.3). Unlike there, words are learned from the data, the sentence comes as three vectors, and the
orientation is an approach direction with an angle about it instead of three Euler angles, which are singular where a tool points ahead.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from vlm_bench_baselines.layers import Sentence, head
from vlm_bench_baselines.per_act.frames import CHANNELS
from vlm_bench_baselines.per_act.settings import PerActNetwork

_HAND = 2  # numbers that tell about the hand
_SAID = 2  # vectors of the sentence beside the whole
_MORE = 7  # numbers of the head beside the angle: offset, approach direction, whether the hand closes


@dataclass(frozen=True, eq=False)
class Answer:
    """What the network tells of a batch.

    Attributes:
        heat: (batch, cells, cells, cells) logits of where the tool goes, by x, y and z.
        features: (batch, width, cells, cells, cells), from which `Network.details` tells the rest at a voxel.
        whole: (batch, numbers) of the whole scene.
    """

    heat: Tensor
    features: Tensor
    whole: Tensor


@dataclass(frozen=True, eq=False)
class Details:
    """How the tool stands at a voxel.

    Attributes:
        yaw: (batch, bins) logits.
        offset: (batch, 3) from the voxel's centre, in voxels.
        approach: (batch, 3) direction of the approach, not normalised.
        closes: (batch,) logit.
    """

    yaw: Tensor
    offset: Tensor
    approach: Tensor
    closes: Tensor


class Network(nn.Module):
    """The network.

    Args:
        settings: its size.
        tokens: size of the vocabulary.
        cells: number of voxels along a side of the grid.
    """

    def __init__(self, settings: PerActNetwork, tokens: int, *, cells: int) -> None:
        super().__init__()
        width, latent, meaning = settings.width, settings.latent, 2 * settings.sentence
        self._patch, self._cells = settings.patch, cells
        side = -(-cells // settings.patch)
        self.sentence = Sentence(tokens, words=settings.words, states=settings.sentence, parts=_SAID)
        self.whole, self.said = nn.Linear(meaning, width), nn.Linear(settings.words + meaning, width)
        self.hand = nn.Linear(_HAND, width)
        self.first = nn.Conv3d(CHANNELS, width, 1)
        self.patches = nn.Conv3d(width, width, settings.patch, stride=settings.patch)
        self.place = nn.Parameter(0.02 * torch.randn(side**3 + _SAID + 2, width))
        self.latents = nn.Parameter(0.02 * torch.randn(settings.latents, latent))
        self.into = _Attention(latent, width, heads=settings.heads)
        self.blocks = nn.ModuleList(_Attention(latent, latent, heads=settings.heads) for _ in range(settings.depth))
        self.back = _Attention(width, latent, heads=1)
        self.joined = nn.Conv3d(2 * width, width, 3, padding=1)
        self.heat = nn.Conv3d(width, 1, 1)
        self.head = head(2 * width + latent, 2 * width, settings.yaws + _MORE)

    def forward(self, cubes: Tensor, hand: Tensor, tokens: Tensor) -> Answer:
        """Return what a batch asks for.

        Args:
            cubes: (batch, 7, cells, cells, cells).
            hand: (batch, 2), whether it is closed and how wide it is.
            tokens: (batch, words).
        """
        whole, meanings = self.sentence(tokens)
        more = -self._cells % self._patch  # empty voxels that fill up the last patch
        fine = functional.relu(self.first(functional.pad(cubes, (0, more) * 3)))
        coarse = functional.relu(self.patches(fine))
        said = torch.cat([self.whole(whole)[:, None], self.said(meanings), self.hand(hand)[:, None]], 1)
        sequence = torch.cat([coarse.flatten(2).transpose(1, 2), said], 1) + self.place
        latents = self.into(self.latents.expand(len(cubes), -1, -1), sequence)
        for block in self.blocks:
            latents = block(latents, latents)
        patches = sequence[:, : -said.shape[1]]
        known = self.back(patches, latents).transpose(1, 2).view_as(coarse)
        finer = functional.interpolate(known, scale_factor=float(self._patch), mode='trilinear')
        features = functional.relu(self.joined(torch.cat([fine, finer], 1)))[..., : self._cells, : self._cells, : self._cells]
        return Answer(self.heat(features)[:, 0], features, torch.cat([features.amax((2, 3, 4)), latents.mean(1)], 1))

    def details(self, answer: Answer, cells: Tensor) -> Details:
        """Return how the tool stands at a voxel of each cube, (batch, 3) indices along x, y and z."""
        x, y, z = cells.T
        told = self.head(torch.cat([answer.features[torch.arange(len(cells)), :, x, y, z], answer.whole], 1))
        return Details(told[:, :-_MORE], told[:, -7:-4], told[:, -4:-1], told[:, -1])


class _Attention(nn.Module):
    """Attention of some vectors to others, and a perceptron, each around a shortcut and after a norm."""

    def __init__(self, width: int, known: int, *, heads: int) -> None:
        super().__init__()
        self.asking, self.asked, self.inner = nn.LayerNorm(width), nn.LayerNorm(known), nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, heads, kdim=known, vdim=known, batch_first=True)
        self.more = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x: Tensor, known: Tensor) -> Tensor:
        """Return (batch, n, width) vectors that have looked at (batch, m, known) others."""
        others = self.asked(known)
        x = x + self.attention(self.asking(x), others, others, need_weights=False)[0]
        found: Tensor = x + self.more(self.inner(x))
        return found

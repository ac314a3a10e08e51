"""The network: pictures and a sentence become the next rows of a motion, through convolutions that the sentence conditions (FiLM).

Like BC-Z (Jang et al. 2021, section 4) it tells several rows at once and plays the first of them. Unlike there, it is small enough for a
CPU, words are learned, features are read out as places in the picture (spatial softmax, Levine et al. 2016), also
those that fit the words which attention chose, and the rows are joint positions relative to the measured ones.
"""

from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

from vlm_bench_baselines.bc_z.settings import BcZNetwork
from vlm_bench_baselines.layers import FilmBlock, Pictures, Sentence, head

LOOKS = 2
"""Places in a picture that words ask for, beside those that its own features tell."""


@dataclass(frozen=True)
class Scope:
    """What a network is made for.

    Attributes:
        tokens: size of the vocabulary.
        cameras: number of cameras.
        joints: number of the arm's joints.
        grips: number of commands among which it chooses for the gripper.
    """

    tokens: int
    cameras: int
    joints: int
    grips: int


class Network(nn.Module):
    """The network.

    Args:
        settings: its size.
        scope: what it is made for.
    """

    def __init__(self, settings: BcZNetwork, scope: Scope) -> None:
        super().__init__()
        widths, meaning = settings.widths, 2 * settings.sentence
        self._settings, self._scope = settings, scope
        self.sentence = Sentence(scope.tokens, words=settings.words, states=settings.sentence, parts=LOOKS, pictures=settings.pictures)
        self.first = nn.Conv2d(3, widths[0], 5, stride=2, padding=2)
        self.camera = nn.Embedding(scope.cameras, widths[0])
        self.blocks = nn.ModuleList(FilmBlock(width, width, meaning=meaning) for width in widths)
        self.coarser = nn.ModuleList(nn.Conv2d(a, b, 3, stride=2, padding=1) for a, b in pairwise(widths))
        self.matched = nn.Conv2d(widths[-1], LOOKS * settings.matched, 1)
        self.asked = nn.Linear(settings.words + meaning, settings.matched)
        known = 2 * (widths[-1] + LOOKS) * scope.cameras + meaning + (scope.joints if settings.state else 0)
        self.trunk = nn.Sequential(nn.Linear(known, settings.hidden), nn.LayerNorm(settings.hidden), nn.ReLU())
        self.motion = head(settings.hidden, settings.hidden, settings.rows * scope.joints)
        self.grips = head(settings.hidden, settings.hidden, settings.rows * scope.grips)

    def forward(self, pictures: Tensor, state: Tensor, tokens: Tensor, prompt: Pictures | None = None) -> tuple[Tensor, Tensor]:
        """Return (batch, rows, joints) normalised changes, and (batch, rows, grips) logits.

        Args:
            pictures: (batch, cameras, 3, side, side) from -1 to 1.
            state: (batch, joints) normalised positions.
            tokens: (batch, words).
            prompt: pictures among the words.
        """
        batch, cameras = pictures.shape[:2]
        whole, meanings = self.sentence(tokens, prompt)
        each = whole.repeat_interleave(cameras, 0)
        x = self.first(pictures.flatten(0, 1)) + self.camera.weight.repeat(batch, 1)[:, :, None, None]
        for level, block in enumerate(self.blocks):
            x = block(functional.relu(x), each)
            if level < len(self.coarser):
                x = self.coarser[level](x)
        said = self.asked(meanings).repeat_interleave(cameras, 0)
        fitting = torch.einsum('nlmrc,nlm->nlrc', self.matched(x).unflatten(1, said.shape[1:]), said)
        places = _places(torch.cat([x, fitting], 1)).view(batch, -1)
        known = torch.cat([places, whole, *([state] if self._settings.state else [])], 1)
        inner = self.trunk(known)
        shape = batch, self._settings.rows, -1
        return self.motion(inner).view(shape), self.grips(inner).view(shape)


def _places(x: Tensor) -> Tensor:
    """Return (n, 2 channels): the mean row and column of each channel, from -1 to 1, weighed by its softmax."""
    rows, columns = x.shape[2:]
    heat = x.flatten(2).softmax(2).view_as(x)
    down, right = (torch.linspace(-1, 1, n, dtype=x.dtype) for n in (rows, columns))
    return torch.cat([heat.sum(3) @ down, heat.sum(2) @ right], 1)

"""Layers that several networks share: sentences with learned words and pictures, and convolutions that a sentence conditions."""

from dataclasses import dataclass
from itertools import pairwise
from math import gcd

import torch
from torch import Tensor, nn
from torch.nn import functional

from vlm_bench_baselines.words import PADDING

_COPY = 4  # pixels along a side of the small copy of a picture
_NEIGHBOURS = 2  # words to each side with which a word is seen at once


def head(known: int, inner: int, told: int) -> nn.Module:
    """Return a perceptron with one hidden layer."""
    return nn.Sequential(nn.Linear(known, inner), nn.ReLU(), nn.Linear(inner, told))


@dataclass(frozen=True, eq=False)
class Pictures:
    """The pictures of a batch of instructions.

    Attributes:
        pixels: (n, 3, side, side) from -1 to 1.
        at: (n, 2) row of the batch, and index of the word for which it stands.
    """

    pixels: Tensor
    at: Tensor


class Sentence(nn.Module):
    """A sentence as one vector, and as one for each part of an answer: the words that matter for it, weighed by learned attention.

    Args:
        tokens: size of the vocabulary.
        words: numbers of a word's embedding.
        states: numbers of the hidden state of the recurrent network, in each direction.
        parts: number of parts.
        pictures: whether there may be pictures among the words.
        frozen: numbers of a word's features from a frozen encoder; 0 where words are learned.
    """

    def __init__(self, tokens: int, *, words: int, states: int, parts: int, pictures: bool = False, frozen: int = 0) -> None:
        super().__init__()
        self.frozen = nn.Linear(frozen, words) if frozen else None
        self.pictures = _Encoder(words) if pictures else None
        self.embedding = nn.Embedding(tokens, words, padding_idx=PADDING)
        self.local = nn.Conv1d(words, words, 2 * _NEIGHBOURS + 1, padding=_NEIGHBOURS)
        self.recurrent = nn.GRU(words, states, batch_first=True, bidirectional=True)
        self.attention = nn.Linear(words + 2 * states, parts)
        self.joined = nn.Linear(parts * (words + 2 * states), 2 * states)

    def forward(self, tokens: Tensor, pictures: Pictures | None = None, features: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Return (batch, numbers) and (batch, parts, numbers) of sentences.

        Args:
            tokens: (batch, words).
            pictures: what they say is added to their words.
            features: (batch, words, numbers) of a frozen encoder.
        """
        there = tokens != PADDING
        words = self.embedding(tokens)
        if features is not None and self.frozen is not None:
            words = self.frozen(features)
        if pictures is not None and self.pictures is not None:
            rows, places = pictures.at.T
            words = words.index_put((rows, places), self.pictures(pictures.pixels).to(words.dtype), accumulate=True)
        known = words + functional.relu(self.local(words.transpose(1, 2)).transpose(1, 2)) * there[..., None]
        packed = nn.utils.rnn.pack_padded_sequence(
            known, there.sum(1).cpu(), batch_first=True, enforce_sorted=False
        )  # so that padding has no influence
        states, _ = nn.utils.rnn.pad_packed_sequence(self.recurrent(packed)[0], batch_first=True, total_length=tokens.shape[1])
        weights = self.attention(torch.cat([known, states], 2)).masked_fill(~there[..., None], float('-inf')).softmax(1)
        meanings = torch.einsum('bwp,bwm->bpm', weights, torch.cat([words, states], 2))
        return functional.relu(self.joined(meanings.flatten(1))), meanings


class _Encoder(nn.Module):
    """Turns pictures, (n, 3, side, side), into (n, told) vectors; a small copy of the picture goes straight to the end."""

    def __init__(self, told: int) -> None:
        super().__init__()
        widths = (3, 16, 32, 48)
        layers: list[nn.Module] = []
        for a, b in pairwise(widths):
            layers += [nn.Conv2d(a, b, 3, stride=2, padding=1), nn.ReLU()]
        self.fine = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(2), nn.Flatten())
        self.coarse = nn.Sequential(nn.AdaptiveAvgPool2d(_COPY), nn.Flatten())
        self.joined = nn.Sequential(nn.Linear(4 * widths[-1] + 3 * _COPY**2, told), nn.LayerNorm(told))

    def forward(self, pixels: Tensor) -> Tensor:
        """Return the vectors."""
        found: Tensor = self.joined(torch.cat([self.fine(pixels), self.coarse(pixels)], 1))
        return found


class FilmBlock(nn.Module):
    """Two convolutions whose channels the sentence scales and shifts (FiLM, Perez et al. 2018), around a shortcut.

    Args:
        given: channels of the input.
        width: channels of the output.
        meaning: numbers of the sentence.
    """

    def __init__(self, given: int, width: int, *, meaning: int) -> None:
        super().__init__()
        groups = gcd(width, max(1, width // 8))  # of 8 channels, if that divides them
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

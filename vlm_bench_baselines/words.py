"""Words of instructions as numbers, with a vocabulary learned from the sentences of the training data."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Protocol

import torch
from pydantic import Field
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

PADDING, UNKNOWN = 0, 1
MOST_WORDS = 10_000
"""Of a vocabulary; a card from elsewhere cannot ask for more."""

Words = Annotated[tuple[Annotated[str, Field(pattern=r'^[a-z0-9]{1,64}$')], ...], Field(max_length=MOST_WORDS)]
"""The words of a card: such as `split` returns."""

_FIRST = 2
_MARKER = re.compile(r'<image ([0-9]+)>')
_WORD = re.compile(r'[a-z0-9]+')


def split(sentence: str) -> list[str]:
    """Return the words of a sentence in lower case, without punctuation."""
    return _WORD.findall(sentence.lower())


def pictured(sentence: str) -> list[tuple[int, int]]:
    """Return for each marker of a picture, such as `<image 1>`, the picture's number and the index of that number among the words."""
    starts = [word.start() for word in _WORD.finditer(sentence.lower())]
    return [(int(marker[1]), starts.index(marker.start(1))) for marker in _MARKER.finditer(sentence.lower())]


@dataclass(frozen=True)
class Vocabulary:
    """The words that a policy knows. Token 0 is padding, 1 any unknown word.

    Attributes:
        words: each known word once; the first one has token 2.
    """

    words: tuple[str, ...]

    @classmethod
    def of(cls, sentences: Iterable[str]) -> 'Vocabulary':
        """Return the words of these sentences, in alphabetical order."""
        return cls(tuple(sorted({word for sentence in sentences for word in split(sentence)})))

    @property
    def size(self) -> int:
        """Number of tokens."""
        return len(self.words) + _FIRST

    def tokens(self, sentence: str) -> list[int]:
        """Return the token of each word; of a sentence without words, one unknown word."""
        known = {word: token for token, word in enumerate(self.words, start=_FIRST)}
        return [known.get(word, UNKNOWN) for word in split(sentence)] or [UNKNOWN]


class Encoder(Protocol):
    """A frozen encoder of sentences."""

    numbers: int
    digest: str

    def features(self, sentence: str) -> Tensor:
        """Return (words, numbers)."""
        ...


@dataclass(frozen=True, eq=False)
class Said:
    """Sentences as a network takes them.

    Attributes:
        tokens: (batch, words); 0 is padding.
        features: (batch, words, numbers) of a frozen encoder; None where words are learned.
    """

    tokens: Tensor
    features: Tensor | None = None


def said(sentences: Sequence[str], vocabulary: Vocabulary, encoder: Encoder | None = None) -> Said:
    """Return sentences as tokens of a vocabulary, or as features of a frozen encoder."""
    if encoder is None:
        return Said(torch.tensor(padded([vocabulary.tokens(sentence) for sentence in sentences])))
    rows = [encoder.features(sentence) for sentence in sentences]
    tokens = torch.tensor(padded([[UNKNOWN] * len(row) for row in rows]))
    return Said(tokens, pad_sequence(rows, batch_first=True))


def padded(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return rows of tokens, filled up with padding to the longest."""
    longest = max(len(row) for row in rows)
    return [[*row, *[PADDING] * (longest - len(row))] for row in rows]

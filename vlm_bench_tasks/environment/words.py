"""The observation space of instructions, which works with shared memory.

Gymnasium's vector environments read shared memory once and keep the result. Arrays are views and stay up to date, but a decoded text
would stay as it was before the first episode (gymnasium 1.4). The texts of this space are decoded on access.
"""

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Text
from gymnasium.vector.utils import read_from_shared_memory

LETTERS = ''.join(map(chr, [*range(32, 127), *range(160, 384), *range(0x2010, 0x2040)]))
LONGEST = 1000  # characters


class Words(Text):
    """Sentences in any language with Latin letters."""

    def __init__(self) -> None:
        super().__init__(LONGEST, min_length=0, charset=LETTERS)

    def __repr__(self) -> str:
        return f'Words(at most {LONGEST} characters)'  # Text prints all letters


class Shared(Sequence[str]):
    """The current texts in shared memory; a copy of them is a tuple."""

    def __init__(self, space: Text, numbers: npt.NDArray[np.int32]) -> None:
        self._letters, self._numbers = space.character_list, numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            return tuple(self._text(row) for row in self._numbers[index])
        return self._text(self._numbers[index])

    def __iter__(self) -> Iterator[str]:
        return (self._text(row) for row in self._numbers)

    def __deepcopy__(self, memo: dict[int, Any]) -> tuple[str, ...]:
        return tuple(self)

    def _text(self, row: npt.NDArray[np.int32]) -> str:
        return ''.join(self._letters[number] for number in row if number < len(self._letters))


@read_from_shared_memory.register(Words)
def _(space: Words, shared_memory: Any, n: int = 1) -> Shared:
    return Shared(space, np.frombuffer(shared_memory.get_obj(), np.int32).reshape(n, space.max_length))

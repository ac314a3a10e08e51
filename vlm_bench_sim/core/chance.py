"""Chance by counting: what a stream gives at a place depends on seed, name and place alone, never on who asked before or how often."""

from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from vlm_bench_sim.core.errors import TaskError

_PLACES = 2**64  # of a stream; each has as many blocks of numbers for itself


@dataclass(frozen=True)
class Chance:
    """All streams of one seed.

    Raises:
        TaskError: the seed is not a whole number from 0.
    """

    seed: int = 0

    def __post_init__(self) -> None:
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise TaskError(f'A seed is a whole number from 0; found {self.seed!r}.')

    def at(self, stream: str, place: int = 0) -> np.random.Generator:
        """Return a generator at a place of a stream, such as a physics step or a control period, counted from 0."""
        digest = sha256(f'{self.seed}/{stream}'.encode()).digest()
        # Philox is a block cipher over a counter: another place is another start of the counter, which costs nothing to reach.
        philox = np.random.Philox(key=int.from_bytes(digest[:16], 'big'), counter=(place % _PLACES) << 128)
        return np.random.Generator(philox)

"""Counter-based random numbers: they depend only on seed, stream name and place, not on earlier draws."""

from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from vlm_bench_sim.core.errors import TaskError

_PLACES = 2**64  # per stream; each place has as many blocks of numbers of its own


@dataclass(frozen=True)
class Chance:
    """All random streams of one seed.

    Raises:
        TaskError: the seed is not an integer ≥ 0.
    """

    seed: int = 0

    def __post_init__(self) -> None:
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise TaskError(f'A seed is a whole number from 0; found {self.seed!r}.')

    def at(self, stream: str, place: int = 0) -> np.random.Generator:
        """Return the generator at a place of a stream, such as a physics step or a control period, counted from 0."""
        digest = sha256(f'{self.seed}/{stream}'.encode()).digest()
        # Philox is a block cipher over a counter: another place is another start value, which costs nothing to reach.
        philox = np.random.Philox(key=int.from_bytes(digest[:16], 'big'), counter=(place % _PLACES) << 128)
        return np.random.Generator(philox)

"""Random streams. Every consumer has its own, so a new consumer does not change the others."""

import json
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from vlm_bench_sim.core.errors import TaskError

LAST_SEED = 2**63 - 1
"""The greatest integer that a ROS parameter can hold."""


@dataclass(frozen=True)
class Streams:
    """The random streams of one episode. A stream depends only on task, split, seed and its name, never on earlier draws.

    Names in use: layout, layout/1, … (if the previous one did not fit), looks, room, language, values, matter, grasps, planner/0,
    planner/1, …, perturbation, policy.

    Raises:
        TaskError: the seed is not an integer from 0 to `LAST_SEED`.
    """

    task: str
    split: str
    seed_number: int

    def __post_init__(self) -> None:
        number = self.seed_number
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= LAST_SEED:
            raise TaskError(f'A seed is a whole number from 0 to 2⁶³ − 1; found {str(number)[:40]}.')

    def generator(self, name: str) -> np.random.Generator:
        """Return a new generator at the start of the stream."""
        return np.random.default_rng(self._entropy(name))

    def seed(self, name: str) -> int:
        """Return a seed from the stream for a library with its own generator: 1…2³¹ − 1 (OMPL does not accept 0)."""
        return self._entropy(name) % (2**31 - 1) + 1

    def _entropy(self, name: str) -> int:
        key = json.dumps([self.task, self.split, self.seed_number, name])
        return int.from_bytes(sha256(key.encode()).digest()[:16], 'big')


PUBLIC = Streams('', '', 0)
"""Streams for everyone from whom the seed of the episode is secret."""

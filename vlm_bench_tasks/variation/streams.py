"""Streams of chance: every consumer has its own, so that adding one perturbs no other."""

import json
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from vlm_bench_sim.core.errors import TaskError

LAST_SEED = 2**63 - 1
"""The greatest number that a parameter of a ROS node holds."""


@dataclass(frozen=True)
class Streams:
    """All chance of one episode. A stream depends on task, split, seed and its name alone, never on who drew before.

    Names in use: layout, layout/1, … (where the one before had no room), looks, language, values, matter, grasps, planner/0, planner/1, …,
    perturbation, policy.

    Raises:
        TaskError: the seed is not a whole number from 0 to `LAST_SEED`.
    """

    task: str
    split: str
    seed_number: int

    def __post_init__(self) -> None:
        number = self.seed_number
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= LAST_SEED:
            raise TaskError(f'A seed is a whole number from 0 to 2⁶³ − 1; found {str(number)[:40]}.')

    def generator(self, name: str) -> np.random.Generator:
        """Return a fresh generator at the head of the stream."""
        return np.random.default_rng(self._entropy(name))

    def seed(self, name: str) -> int:
        """Return the seed of the stream for a library with a generator of its own: 1…2³¹ − 1 (OMPL takes no 0)."""
        return self._entropy(name) % (2**31 - 1) + 1

    def _entropy(self, name: str) -> int:
        key = json.dumps([self.task, self.split, self.seed_number, name])
        return int.from_bytes(sha256(key.encode()).digest()[:16], 'big')


PUBLIC = Streams('', '', 0)
"""Chance for whom the seed of the episode is a secret."""

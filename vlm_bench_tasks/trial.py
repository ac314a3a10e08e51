"""A trial: an episode that shall be played, by whom and under which conditions. A sweep, an evaluation and a data set are lists of them."""

import re
from dataclasses import dataclass
from hashlib import blake2b

from vlm_bench_sim.core.perturbation import NONE, Perturbation
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.episode import Episode

Key = tuple[str, str, str, int]
"""Task, axis, split and seed: what pairs the same trial of two policies."""


@dataclass(frozen=True)
class Trial:
    """One episode to be played; two trials that are equal come to the same.

    Attributes:
        task: id.
        axis: that varies.
        split: of the pools.
        seed: of every stream of chance.
        robot: name of the profile.
        policy: that plays, as `--policy` names it.
        perturbation: what is made harder.
        cameras: a camera set, cameras of it, or 'none'.
        width, height: of the pictures, pixels.
    """

    task: str
    axis: str
    split: str
    seed: int
    robot: str
    policy: str = 'oracle'
    perturbation: Perturbation = NONE
    cameras: str = 'none'
    width: int = 256
    height: int = 256

    @property
    def key(self) -> Key:
        """What its result is known by among those of one policy under the same conditions."""
        return self.task, self.axis, self.split, self.seed

    @property
    def name(self) -> str:
        """Its key as the name of a file."""
        return re.sub(r'[^A-Za-z0-9_]', '-', '_'.join(map(str, self.key)))

    @property
    def revision(self) -> int:
        """The revision of its task."""
        return catalogue.task(self.task).revision

    def token(self, *more: object) -> str:
        """Return what marks its bag: another one wherever the trial, its task's revision, or one of these values differs."""
        return blake2b(repr((self, self.revision, more)).encode(), digest_size=8).hexdigest()

    def build(self) -> Episode:
        """Return its episode, perturbed.

        Raises:
            VlmBenchError: it cannot be built.
        """
        return catalogue.perturbed(catalogue.build(self.task, self.split, self.seed, self.axis), self.perturbation)

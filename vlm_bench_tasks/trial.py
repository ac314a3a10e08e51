"""A trial: one episode with its policy and conditions. Sweeps, evaluations and data sets are lists of trials."""

import re
from dataclasses import dataclass
from hashlib import blake2b

from vlm_bench_sim.core.engine import PYBULLET
from vlm_bench_sim.core.perturbation import NONE, Perturbation
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.episode import Episode

Key = tuple[str, str, str, int]
"""Task, axis, split and seed: the same trial has the same key for every policy."""


@dataclass(frozen=True)
class Trial:
    """One episode to be played; equal trials have equal results.

    Attributes:
        task: id of the task.
        axis: the axis along which episodes vary.
        split: split of the asset pools.
        seed: random seed of all random streams.
        robot: name of the robot profile.
        policy: name as given to `--policy`.
        perturbation: what makes the episode harder.
        cameras: name of a camera set, a list of cameras, or 'none'.
        width, height: size of the pictures, pixels.
        prompt: how the policy is asked, one of `language.pictures.FORMS`; '': the task's first way.
        engine: of the physics, one of `ENGINES`.
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
    prompt: str = ''
    engine: str = PYBULLET

    @property
    def key(self) -> Key:
        """Identifies the result among those of one policy under the same conditions."""
        return self.task, self.axis, self.split, self.seed

    @property
    def name(self) -> str:
        """The key as a file name."""
        return re.sub(r'[^A-Za-z0-9_]', '-', '_'.join(map(str, self.key)))

    @property
    def revision(self) -> int:
        """The revision of its task."""
        return catalogue.task(self.task).revision

    def token(self, *more: object) -> str:
        """Return an identifier for its bag; it changes with the trial, the task's revision and any of the given values."""
        return blake2b(repr((self, self.revision, more)).encode(), digest_size=8).hexdigest()

    def build(self) -> Episode:
        """Return the episode with its perturbation applied.

        Raises:
            VlmBenchError: the episode cannot be built.
        """
        return catalogue.perturbed(catalogue.build(self.task, self.split, self.seed, self.axis, self.prompt), self.perturbation)

"""The BC-Z-like policy as a `Policy`: it looks, moves for some control periods, and looks again."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

from vlm_bench_baselines import checkpoint
from vlm_bench_baselines.bc_z.card import BcZCard
from vlm_bench_baselines.bc_z.inputs import asked_in, shades
from vlm_bench_baselines.bc_z.network import Network
from vlm_bench_baselines.bc_z.samples import SPACE, prompts, scaled
from vlm_bench_baselines.cameras import check_same
from vlm_bench_baselines.layers import Pictures
from vlm_bench_baselines.words import Vocabulary, said
from vlm_bench_sim.core.command import Both, Command, Grip, Joints, Seal
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.geometry import Floats
from vlm_bench_tasks.actions import action_space
from vlm_bench_tasks.policy import EpisodeContext, Observation, Policy

ROWS = 4
"""Control periods that are played of those that were told, before it looks again, if it tells as many."""

_GRID = 6  # decimal places: sums of another processor differ by 1e-12


class BcZPolicy(Policy):
    """Imitates the expert's motion from pictures, words and joint positions.

    Args:
        checkpoint: file of the weights.
        rows: a number: control periods that are played before it looks again; '': `ROWS`.

    Raises:
        ConfigError: the file holds no such weights, or an argument is invalid.
    """

    def __init__(self, checkpoint: str, *, rows: str = '') -> None:
        torch.set_num_threads(1)  # evaluate plays in one process for each core
        self._load(Path(checkpoint))
        most = self.card.network.rows
        rows = rows or str(min(ROWS, most))
        if not rows.isdecimal() or not 1 <= int(rows) <= most:
            raise ConfigError(f'rows is a number from 1 to {most}; found {rows!r:.40}.')
        self._rows = int(rows)

    def _load(self, path: Path) -> None:
        weights, self.card = checkpoint.load(path, BcZCard)
        self._vocabulary = Vocabulary(self.card.words)
        with torch.device('meta'):
            self._network = Network(self.card.network, self.card.scope)
        checkpoint.fill(self._network, weights, path)
        self._network.double().eval()

    def reset(self, context: EpisodeContext) -> None:
        """Begin an episode.

        Raises:
            ConfigError: the robot or the cameras are others than those of the training.
        """
        card, profile = self.card, context.profile
        if profile.joints != card.joints:
            raise ConfigError(
                f'This policy moves the joints {", ".join(card.joints)}; the robot {profile.name} has {", ".join(profile.joints)}.'
            )
        check_same(context, card.cameras, card.width, card.height)
        self._context, self._prompt = context, None
        if prompt := asked_in([(context.instruction, prompts([picture.color for picture in context.pictures]))]):
            self._prompt = Pictures(prompt.pixels.double(), prompt.at)
        self._gripper: Grip | Seal | None = None
        self._told: Iterator[Floats] = iter(())

    def act(self, observation: Observation) -> Command:
        """Return the motion of the next control period."""
        row = next(self._told, None)
        if row is None:
            self._told = iter(self._motion(observation)[: self._rows])
            row = next(self._told)
        space, profile = action_space(SPACE), self._context.profile
        numbers = space.checked(row, profile)
        last, self._gripper = self._gripper, space.gripper(float(numbers[-1]), profile)
        return Both(Joints(tuple(numbers[:-1].tolist())), self._gripper if self._gripper != last else None)

    @torch.no_grad()
    def _motion(self, observation: Observation) -> Floats:
        """Return the next rows of the action space."""
        card = self.card
        state = observation.arm(card.joints)
        pictures = scaled({name: picture.color for name, picture in observation.pictures.items()}, card.network.side)
        known = torch.from_numpy((state - card.middle) / card.spread)[None]
        tokens = said([self._context.instruction], self._vocabulary).tokens
        motion, grips = self._network(shades(pictures)[None].double(), known, tokens, self._prompt)
        asked = np.round(state + motion[0].numpy() * card.reach, _GRID)
        chosen = np.take(card.grips, np.round(grips[0].numpy(), _GRID).argmax(1))
        return np.column_stack([asked, chosen])

"""What the policy learns: its batches and its loss."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from vlm_bench_baselines.bc_z.card import MOST_GRIPS, BcZCard
from vlm_bench_baselines.bc_z.inputs import asked_in, shades
from vlm_bench_baselines.bc_z.network import Network
from vlm_bench_baselines.bc_z.samples import BcZData, Numbers, Pixels, Shown
from vlm_bench_baselines.bc_z.settings import BcZNetwork, BcZTraining
from vlm_bench_baselines.training import Lesson, Scores
from vlm_bench_baselines.words import Vocabulary, said
from vlm_bench_sim.core.errors import ConfigError

GRIP = 0.005
"""Commands to the gripper that differ by less are one, m."""

_EVERY = 10  # frames between two that are validated
_AT_ONCE = 64  # frames of a batch for validation
_GRIPS = 0.1  # weight of the gripper beside the motion


class BcZLesson(Lesson):
    """Learns to move as the expert did in pictures like those it sees.

    Args:
        data: episodes to learn from and to choose weights by.
        network: size of the network.
        settings: how to train.

    Raises:
        ConfigError: the gripper has too many commands.
    """

    shares: ClassVar = {'grip': "the gripper's command"}

    def __init__(self, data: BcZData, *, network: BcZNetwork, settings: BcZTraining) -> None:
        train = data.train
        self._data, self._sizes = data, network.model_copy(update={'pictures': any(len(one.prompt) for one in train)})
        self.settings: BcZTraining = settings
        states = np.concatenate([one.state for one in train])
        changes = np.concatenate([_ahead(one, frame, network.rows)[0] for one in train for frame in range(0, len(one.grip), _EVERY)])
        self._middle, self._spread, self._reach = states.mean(0), states.std(0) + 1e-3, changes.std(0) + 1e-3
        self._grips = np.unique(np.concatenate([_on_grid(one.grip) for one in train]))
        if len(self._grips) > MOST_GRIPS:
            raise ConfigError(f'The gripper has {len(self._grips)} commands in the training data; {MOST_GRIPS} can be learned.')
        self._vocabulary = Vocabulary.of(one.sentence for one in train)
        self._frames = [(i, frame) for i, one in enumerate(train) for frame in range(len(one.grip))]
        torch.manual_seed(settings.seed)
        self.network: Network = Network(self._sizes, self.card().scope)

    def card(self) -> BcZCard:
        """Return the card, with no steps and no scores yet."""
        data, setting = self._data, self._data.made
        return BcZCard(
            data='expert of vlm_bench', score={}, network=self._sizes, training=self.settings, words=self._vocabulary.words,
            cameras=setting.cameras, width=setting.width, height=setting.height, joints=setting.joints,
            middle=_told(self._middle), spread=_told(self._spread), reach=_told(self._reach), grips=_told(self._grips),
            tasks=data.tasks, seeds=data.seeds, **data.origin, episodes=data.counts,
        )  # fmt: skip

    def loss(self, chance: np.random.Generator) -> Tensor:
        """Return the loss of frames whose pictures are moved and lit at random."""
        chosen = chance.integers(len(self._frames), size=self.settings.batch)
        motion, grips = self._of(self.network, [(self._data.train[i], frame) for i, frame in (self._frames[k] for k in chosen)], chance)
        return motion.mean() + _GRIPS * grips[0]

    @torch.no_grad()
    def scores(self, network: nn.Module) -> Scores:
        """Return the loss, the mean error of the motion that is played next, rad, and the share of right commands to the gripper."""
        frames = [(one, frame) for one in self._data.validation for frame in range(0, len(one.grip), _EVERY)]
        rows: list[tuple[float, float, float, int]] = []
        for i in range(0, len(frames), _AT_ONCE):
            some = frames[i : i + _AT_ONCE]
            motion, (wrong, away, right) = self._of(network, some, None)
            rows.append((float(motion.mean() + _GRIPS * wrong), float(away), float(right), len(some)))
        found = np.array(rows)
        mean = (found[:, :3] * found[:, 3:]).sum(0) / found[:, 3].sum()
        return {'loss': float(mean[0]), 'joints': float(mean[1]), 'grip': float(mean[2])}

    def _of(
        self, network: nn.Module, frames: Sequence[tuple[Shown, int]], chance: np.random.Generator | None
    ) -> tuple[Tensor, tuple[Tensor, Tensor, Tensor]]:
        """Return the Huber losses of the motion; and the loss of the gripper, the motion's error and the share of right grips."""
        pictures = np.stack([one.pictures[frame] for one, frame in frames])
        states = np.stack([one.state[frame] for one, frame in frames])
        ahead = [_ahead(one, frame, self._sizes.rows) for one, frame in frames]
        changes, asked = (np.stack(of) for of in zip(*ahead, strict=True))
        if chance is not None:
            pictures = _varied(pictures, self.settings, chance)
            noise = chance.normal(0.0, self.settings.jitter, states.shape).astype(np.float32)
            states, changes = states + noise, changes - noise[:, None]
        tokens = said([one.sentence for one, _ in frames], self._vocabulary).tokens
        known = torch.from_numpy((states - self._middle) / self._spread)
        told, logits = network(shades(pictures), known, tokens, asked_in([(one.sentence, one.prompt) for one, _ in frames]))
        right = torch.from_numpy(changes / self._reach)
        wanted = torch.from_numpy(np.abs(_on_grid(asked)[..., None] - self._grips).argmin(-1))
        off = (told - right).abs() * torch.from_numpy(self._reach)
        grip = functional.cross_entropy(logits.flatten(0, 1), wanted.flatten())
        return functional.huber_loss(told, right, reduction='none'), (grip, off.mean(), (logits.argmax(-1) == wanted).double().mean())


def _ahead(one: Shown, frame: int, rows: int) -> tuple[Numbers, Numbers]:
    """Return the next rows: (rows, joints) changes from the measured positions, and (rows,) commands; after the end the last one stays."""
    at = np.minimum(np.arange(frame, frame + rows), len(one.grip) - 1)
    return one.asked[at] - one.state[frame], one.grip[at]


def _on_grid(grips: Numbers) -> Numbers:
    return np.round(np.round(grips / GRIP) * GRIP, 6).astype(np.float32)


def _told(numbers: Numbers) -> tuple[float, ...]:
    return tuple(round(float(number), 6) for number in numbers)


def _varied(pictures: Pixels, settings: BcZTraining, chance: np.random.Generator) -> Pixels:
    """Return pictures, (batch, cameras, side, side, 3), each moved by some pixels and lit at random; edges are repeated."""
    side = pictures.shape[2]
    most = round(settings.shift * side)
    around = np.pad(pictures, ((0, 0), (0, 0), (most, most), (most, most), (0, 0)), mode='edge')
    found = np.empty_like(pictures)
    for i, camera in np.ndindex(*pictures.shape[:2]):
        down, right = chance.integers(0, 2 * most + 1, size=2)
        light = 1.0 + chance.uniform(-settings.light, settings.light)
        found[i, camera] = np.clip(around[i, camera, down : down + side, right : right + side] * light, 0, 255)
    return found

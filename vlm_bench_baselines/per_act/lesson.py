"""What the policy learns: its batches and its loss."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from vlm_bench_baselines.key_frame.batches import yaw_targets
from vlm_bench_baselines.key_frame.scoring import NEAR
from vlm_bench_baselines.per_act.card import PerActCard
from vlm_bench_baselines.per_act.frames import KeyFrame, PerActData, inside, varied
from vlm_bench_baselines.per_act.inputs import given, hottest
from vlm_bench_baselines.per_act.network import Answer, Network
from vlm_bench_baselines.per_act.settings import PerActNetwork, PerActTraining
from vlm_bench_baselines.training import Lesson, Scores
from vlm_bench_baselines.words import Vocabulary, said
from vlm_bench_sim.core.errors import ConfigError

_OFFSET, _YAW, _APPROACH, _HAND = 1.0, 0.3, 1.0, 0.3  # weights beside the heat


@dataclass(frozen=True, eq=False)
class Batch:
    """Input and right answers.

    Attributes:
        cubes, hand, tokens: as `Network.forward` takes them.
        cells: (batch, 3) voxel of the target.
        offset: (batch, 3) of the target from its centre, voxels.
        yaw: (batch,) rad.
        approach: (batch, 3) unit vectors.
        closes: (batch,) 0 or 1.
    """

    cubes: Tensor
    hand: Tensor
    tokens: Tensor
    cells: Tensor
    offset: Tensor
    yaw: Tensor
    approach: Tensor
    closes: Tensor


class PerActLesson(Lesson):
    """Learns where the tool goes next, and what the hand does there, from voxels and a sentence.

    Args:
        data: what to learn from.
        network: size of the network.
        settings: how to train.
        device: where to train, such as cuda.

    Raises:
        ConfigError: a target lies outside the grid.
    """

    shares: ClassVar = {'near': 'target', 'hand': 'hand'}

    def __init__(self, data: PerActData, *, network: PerActNetwork, settings: PerActTraining, device: str = 'cpu') -> None:
        self._data, self._grid, self._sizes, self._device = data, data.made.grid, network, device
        for one in (*data.train, *data.validation):
            if not inside(self._grid, one.target.position):
                raise ConfigError(f'{one.task} with seed {one.seed} moves the tool out of the grid. Leave it out, or take a larger grid.')
        torch.manual_seed(settings.seed)
        self._vocabulary = Vocabulary.of(one.sentence for one in data.train)
        self.settings: PerActTraining = settings
        self.network: Network = Network(network, self._vocabulary.size, cells=self._grid.cells).to(device)

    def card(self) -> PerActCard:
        """Return the card, with no steps and no scores yet."""
        data, setting, grid = self._data, self._data.made, self._grid
        return PerActCard(
            data='expert of vlm_bench', score={}, network=self._sizes, training=self.settings, words=self._vocabulary.words,
            low=grid.low, side=grid.side, cells=grid.cells, cameras=setting.cameras, width=setting.width, height=setting.height,
            tasks=data.tasks, seeds=data.seeds, **data.origin, frames=data.counts,
        )  # fmt: skip

    def loss(self, chance: np.random.Generator) -> Tensor:
        """Return the loss of key frames that are moved and turned at random."""
        train, settings = self._data.train, self.settings
        chosen = chance.choice(len(train), settings.batch, replace=len(train) < settings.batch)
        batch = self._batch([varied(train[i], self._grid, settings=settings, chance=chance) for i in chosen])
        return _loss(self.network, self.network(batch.cubes, batch.hand, batch.tokens), batch)

    @torch.no_grad()
    def scores(self, network: nn.Module) -> Scores:
        """Return the loss, and the shares of targets that are right to 2 cm and of hands that are right there."""
        held_out, size = self._data.validation, self.settings.batch
        rows: list[Tensor] = []
        for i in range(0, len(held_out), size):
            batch = self._batch(held_out[i : i + size])
            answer = network(batch.cubes, batch.hand, batch.tokens)
            away = (hottest(answer.heat) - batch.cells).double().norm(dim=1) * self._grid.edge
            closes = network.details(answer, batch.cells).closes > 0
            each = _loss(network, answer, batch).double().expand(len(away))
            rows.append(torch.stack([each, (away <= NEAR).double(), (closes == (batch.closes > 0)).double()]).cpu())
        loss, near, hand = torch.cat(rows, 1).mean(1).tolist()
        return {'loss': loss, 'near': near, 'hand': hand}

    @staticmethod
    def rank(scores: Scores) -> tuple[float, ...]:
        """Return the share of right targets, and the loss among equals."""
        return scores['near'], -scores['loss']

    def _batch(self, found: Sequence[KeyFrame]) -> Batch:
        grid, targets = self._grid, [one.target for one in found]
        cells = [grid.voxel(target.position) for target in targets]
        centres = [(np.array(cell) + 0.5) * grid.edge + grid.low for cell in cells]
        off = [np.subtract(target.position, centre) / grid.edge for target, centre in zip(targets, centres, strict=True)]
        parts = (
            *given([one.seen for one in found], [(one.closed, one.opening) for one in found], grid),
            said([one.sentence for one in found], self._vocabulary).tokens, torch.tensor(cells),
            torch.from_numpy(np.stack(off).astype(np.float32)), torch.tensor([target.yaw for target in targets], dtype=torch.float32),
            torch.tensor([target.approach for target in targets], dtype=torch.float32), torch.tensor([float(one.closes) for one in found]),
        )  # fmt: skip
        return Batch(*(part.to(self._device) for part in parts))


def _loss(network: nn.Module, answer: Answer, batch: Batch) -> Tensor:
    n = answer.heat.shape[1]
    details = network.details(answer, batch.cells)
    x, y, z = batch.cells.T
    where = functional.cross_entropy(answer.heat.flatten(1), (x * n + y) * n + z)
    turned = functional.cross_entropy(details.yaw, yaw_targets(batch.yaw, details.yaw.shape[1]))
    off = functional.huber_loss(details.offset, batch.offset, delta=0.2)
    leaning = functional.huber_loss(details.approach, batch.approach, delta=0.5)
    hand = functional.binary_cross_entropy_with_logits(details.closes, batch.closes)
    return where + _YAW * turned + _OFFSET * off + _APPROACH * leaning + _HAND * hand

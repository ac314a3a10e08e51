"""The loss of a batch, and how far answers are off."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from vlm_bench_baselines.key_frame.batches import Batch, Wanted, heat_targets, yaw_of, yaw_targets
from vlm_bench_baselines.key_frame.network import Answer, Network

NEAR = 0.02
"""An answer that is at most so far off counts as right, m."""

_YAW, _Z, _APPROACH = 0.3, 5.0, 1.0  # weights beside the heat maps; z is in dm


def loss(network: Network, batch: Batch) -> Tensor:
    """Return the loss: cross entropy of heat maps and of angles, Huber loss of heights and of approach directions."""
    answer = network(batch.maps, batch.said)
    return torch.stack([_of_part(network, answer, part, wanted) for part, wanted in enumerate(batch.wanted)]).sum()


def _of_part(network: Network, answer: Answer, part: int, wanted: Wanted) -> Tensor:
    heat = answer.heat[:, part]
    rows, columns = heat.shape[1:]
    details = network.details(answer, part, wanted.cells, wanted.heights)
    where = functional.cross_entropy(heat.flatten(1), heat_targets(wanted.cells, rows, columns))
    turned = functional.cross_entropy(details.yaw, yaw_targets(wanted.yaw, details.yaw.shape[1]))
    high = functional.huber_loss(details.z, wanted.z, delta=0.1)
    leaning = functional.huber_loss(details.approach, wanted.approach, delta=0.5)
    return where + _YAW * turned + _Z * high + _APPROACH * leaning


@dataclass(frozen=True)
class Quality:
    """How good answers are on demonstrations.

    Attributes:
        both: share of those whose pick and place are both right in the plane.
        pick, place: shares of right picks and places.
        yaw: mean error of the angle of picks, rad.
        z: mean error of the height of picks, m.
        loss: mean loss.
    """

    both: float
    pick: float
    place: float
    yaw: float
    z: float
    loss: float


@torch.no_grad()
def quality(network: Network, batches: Sequence[Batch], pixel: float) -> Quality:
    """Return how good the answers to batches are; `pixel` is the side of a pixel, m."""
    rows: list[Tensor] = []
    losses: list[float] = []
    for batch in batches:
        answer = network(batch.maps, batch.said)
        away = [_away(answer.heat[:, part], wanted.cells) * pixel for part, wanted in enumerate(batch.wanted)]
        details = network.details(answer, 0, batch.wanted[0].cells, batch.wanted[0].heights)
        turned = torch.remainder(yaw_of(details.yaw) - batch.wanted[0].yaw + torch.pi / 2, torch.pi) - torch.pi / 2
        pick, place = away[0] <= NEAR, away[1] <= NEAR
        rows.append(torch.stack([pick & place, pick, place, turned.abs(), (details.z - batch.wanted[0].z).abs() / 10]).double())
        losses += [float(loss(network, batch))] * len(batch.maps)
    both, pick, place, yaw, z = torch.cat(rows, 1).mean(1).tolist()
    return Quality(both, pick, place, yaw, z, sum(losses) / len(losses))


def _away(heat: Tensor, cells: Tensor) -> Tensor:
    """Return how far the hottest pixel of each map is from a cell, pixels."""
    columns = heat.shape[2]
    hottest = heat.flatten(1).argmax(1)
    found = torch.stack([hottest // columns, hottest % columns], 1)
    return (found - cells).double().norm(dim=1)

"""Voxels as the network takes them, and where its heat is greatest."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from vlm_bench_baselines.per_act.frames import WIDE, cube
from vlm_bench_sim.core.voxels import Grid, Voxels


def given(seen: Sequence[Voxels], hands: Sequence[tuple[bool, float]], grid: Grid) -> tuple[Tensor, Tensor]:
    """Return cubes and hands as `Network.forward` takes them; a hand is whether it is closed, and its opening, m."""
    cubes = torch.from_numpy(np.stack([cube(one, grid) for one in seen]))
    return cubes, torch.tensor([[float(closed), opening / WIDE] for closed, opening in hands])


def hottest(heat: Tensor) -> Tensor:
    """Return (batch, 3), the indices of the hottest voxel of each cube."""
    flat = heat.flatten(1).argmax(1)
    n = heat.shape[1]
    return torch.stack([flat // n**2, flat // n % n, flat % n], 1)

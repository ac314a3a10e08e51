"""Pictures as the network takes them."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from vlm_bench_baselines.bc_z.samples import Pixels
from vlm_bench_baselines.layers import Pictures
from vlm_bench_baselines.words import pictured


def shades(pictures: Pixels) -> Tensor:
    """Return pictures, (…, side, side, 3) uint8, as (…, 3, side, side) from -1 to 1."""
    return torch.from_numpy(np.moveaxis(pictures, -1, -3).astype(np.float32) / 127.5 - 1.0)


def asked_in(instructions: Sequence[tuple[str, Pixels]]) -> Pictures | None:
    """Return the pictures of some instructions; None if there are none. What a sentence does not name is not seen."""
    found = [
        (prompt[number - 1], (row, at))
        for row, (sentence, prompt) in enumerate(instructions) for number, at in pictured(sentence) if 1 <= number <= len(prompt)
    ]  # fmt: skip
    if not found:
        return None
    pixels, places = zip(*found, strict=True)
    return Pictures(shades(np.stack(pixels)), torch.tensor(places))

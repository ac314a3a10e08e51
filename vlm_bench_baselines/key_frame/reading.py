"""What trained weights say about a map and a sentence, the same on every processor."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from vlm_bench_baselines import checkpoint
from vlm_bench_baselines.clip_words import ClipWords
from vlm_bench_baselines.demonstrations import Target
from vlm_bench_baselines.key_frame.batches import blanked, yaw_of
from vlm_bench_baselines.key_frame.card import KeyFrameCard
from vlm_bench_baselines.key_frame.maps import DECIMETRE, centre, channels, highest_around
from vlm_bench_baselines.key_frame.network import Network
from vlm_bench_baselines.words import Said, Vocabulary, said
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.fusion import TopDown

_GRID = 6  # decimal places of logits: sums of another processor differ by 1e-12
_BLUR = 2  # pixels to each side of the hottest one over which its place is averaged


@dataclass(frozen=True, eq=False)
class Reading:
    """Where to take a thing and where to let it go.

    Attributes:
        pick, place: targets of the tool.
        heat: (2, rows, columns) probabilities of both.
    """

    pick: Target
    place: Target
    heat: NDArray[np.float64]


class Reader:
    """Reads maps with trained weights, in 64 bits: the few bits in which processors differ then decide nothing.

    Args:
        path: of the weights.
        clip: folder of the CLIP with which they were trained, if they were.

    Attributes:
        blank: what the weights did not get to see in their training.

    Raises:
        ConfigError: the file holds no weights of a key-frame policy, or they need another CLIP.
    """

    def __init__(self, path: Path, clip: Path | None = None) -> None:
        weights, self.card = checkpoint.load(path, KeyFrameCard)
        self.blank = self.card.training.blank
        self._encoder = _encoder(self.card, clip)
        self._vocabulary = Vocabulary(self.card.words)
        with torch.device('meta'):
            self._network = Network(self.card.network, self._vocabulary.size)
        checkpoint.fill(self._network, weights, path)
        self._network.double().eval()

    def _said(self, sentence: str) -> Said:
        found = said([sentence], self._vocabulary, self._encoder)
        return replace(found, features=None if found.features is None else found.features.double())

    @torch.no_grad()
    def read(self, seen: TopDown, sentence: str, *, blank: str = '') -> Reading:
        """Return what to do.

        Args:
            seen: the map.
            sentence: the instruction.
            blank: one of `settings.BLANKS`.
        """
        maps = torch.from_numpy(channels(seen.color, seen.height, seen.views > 0))[None].double()
        answer = self._network(*blanked(maps, self._said(sentence), blank))
        targets = []
        for part in range(2):
            logits = np.round(answer.heat[0, part].numpy(), _GRID)
            row, column = (int(i) for i in np.unravel_index(int(logits.argmax()), logits.shape))
            high = highest_around(seen.height, row, column) / DECIMETRE
            details = self._network.details(answer, part, torch.tensor([[row, column]]), torch.tensor([high], dtype=torch.float64))
            x, y = centre(self.card.plot, *_refined(logits, row, column))
            z = round(float(details.z) * DECIMETRE + self.card.low[2], _GRID)
            approach = np.round(details.approach[0].numpy(), _GRID)
            yaw = float(yaw_of(torch.round(details.yaw, decimals=_GRID))[0])
            targets.append(Target((x, y, z), (float(approach[0]), float(approach[1]), float(approach[2])), yaw))
        pick, place = targets
        return Reading(pick, place, answer.heat[0].flatten(1).softmax(1).view(2, *seen.height.shape).numpy())


def _encoder(card: KeyFrameCard, folder: Path | None) -> ClipWords | None:
    if folder is None and not card.clip:
        return None
    if folder is None or not card.clip:
        why = 'need clip=FOLDER: they were trained with one' if card.clip else 'take no clip: their words were learned'
        raise ConfigError(f'These weights {why}.')
    encoder = ClipWords(folder)
    if encoder.digest != card.clip:
        raise ConfigError(f'These weights need the CLIP {card.clip[:16]}; {folder} holds {encoder.digest[:16]}. Name the other folder.')
    return encoder


def _refined(logits: NDArray[np.float64], row: int, column: int) -> tuple[float, float]:
    """Return the mean place of the heat around the hottest pixel, in fractions of pixels, to 1e-6."""
    top, left = max(row - _BLUR, 0), max(column - _BLUR, 0)
    near = logits[top : row + _BLUR + 1, left : column + _BLUR + 1]
    share = np.exp(near - near.max())
    share /= share.sum()
    down, right = np.meshgrid(np.arange(near.shape[0]), np.arange(near.shape[1]), indexing='ij')
    return round(top + float((share * down).sum()), _GRID), round(left + float((share * right).sum()), _GRID)

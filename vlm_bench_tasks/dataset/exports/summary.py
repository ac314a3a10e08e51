"""Statistics for a LeRobot dataset: minimum, maximum, mean, standard deviation and quantiles, per episode and in total."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

QUANTILES = {'q01': 0.01, 'q10': 0.10, 'q50': 0.50, 'q90': 0.90, 'q99': 0.99}
_SEEN = 100  # largest number of pictures per episode to include
_LEVELS = 256  # levels of a color channel
_DEPTH_MM = 65_536
_ROUNDING = 1e-12

Array = npt.NDArray[Any]
Summary = dict[str, Array]


def summary(rows: Array) -> Summary:
    """Return the statistics of (N,) or (N, numbers) over N; each entry has as many numbers as a row."""
    values = np.asarray(rows, np.float64).reshape(len(rows), -1)
    found = {'min': values.min(0), 'max': values.max(0), 'mean': values.mean(0), 'std': values.std(0), 'count': np.array([len(values)])}
    return found | dict(zip(QUANTILES, np.quantile(values, list(QUANTILES.values()), axis=0), strict=True))


def pictures_to_count(frames: int) -> list[int]:
    """Return the frames whose pictures are included: all of a short episode, evenly spaced ones of a long one."""
    return sorted({round(i) for i in np.linspace(0, frames - 1, min(frames, _SEEN))})


def summary_of_pictures(pictures: Sequence[npt.NDArray[np.uint8]]) -> Summary:
    """Return the statistics of each color channel, 0…1, (3, 1, 1), over all pixels; computed from histograms, faster than by sorting."""
    often = np.zeros((3, _LEVELS), np.int64)
    for picture in pictures:
        often += [np.bincount(picture[..., color].reshape(-1), minlength=_LEVELS) for color in range(3)]
    found = _of_counts(often, np.arange(_LEVELS) / (_LEVELS - 1))
    return {name: value.reshape(3, 1, 1) for name, value in found.items()} | {'count': np.array([len(pictures)])}


def summary_of_depths(depths: Sequence[npt.NDArray[np.float32]]) -> Summary:
    """Return the statistics of depths, (1, 1) m, to the mm, over all pixels that see something; 0 if none does."""
    often = np.zeros((1, _DEPTH_MM), np.int64)
    for depth in depths:
        levels = np.minimum(np.rint(depth * 1000.0), _DEPTH_MM - 1).astype(np.int64)
        often[0] += np.bincount(levels.reshape(-1), minlength=_DEPTH_MM)
    often[0, 0] = not often[0, 1:].any()
    found = _of_counts(often, np.arange(_DEPTH_MM) / 1000.0)
    return {name: value.reshape(1, 1) for name, value in found.items()} | {'count': np.array([len(depths)])}


def _of_counts(often: npt.NDArray[np.int64], level: Array) -> Summary:
    """Return the statistics of each row of histograms; `often` holds the count of each level."""
    share = often / often.sum(axis=1, keepdims=True)
    mean, up_to = share @ level, share.cumsum(axis=1)
    return {
        'min': level[(often > 0).argmax(axis=1)],
        'max': level[len(level) - 1 - (often[:, ::-1] > 0).argmax(axis=1)],
        'mean': mean,
        'std': np.sqrt(np.maximum(0.0, share @ level**2 - mean**2)),
        **{name: level[(up_to >= part - _ROUNDING).argmax(axis=1)] for name, part in QUANTILES.items()},
    }


def together(parts: Sequence[Summary]) -> Summary:
    """Return the statistics of all episodes. As in LeRobot, quantiles are means of the episodes' quantiles, weighted by their frames."""
    counts = np.asarray([part['count'][0] for part in parts], np.float64)
    means, deviations = (np.stack([part[name] for part in parts]) for name in ('mean', 'std'))
    mean = _weighed(means, counts)
    spread = np.sqrt(_weighed(deviations**2 + (means - mean) ** 2, counts))
    ends = {'min': np.min([part['min'] for part in parts], axis=0), 'max': np.max([part['max'] for part in parts], axis=0)}
    quantiles = {name: _weighed(np.stack([part[name] for part in parts]), counts) for name in QUANTILES}
    return ends | {'mean': mean, 'std': spread, 'count': np.array([int(counts.sum())])} | quantiles


def plain(parts: Mapping[str, Summary]) -> dict[str, dict[str, Any]]:
    """Return the statistics as lists, for JSON and parquet."""
    return {feature: {name: value.tolist() for name, value in found.items()} for feature, found in parts.items()}


def _weighed(values: Array, counts: Array) -> Array:
    return np.asarray(np.tensordot(counts, values, axes=1) / counts.sum())

"""Profiles of turned shapes, as measured on their surface."""

import numpy as np

from vlm_bench_sim.core.shapes import solid

HEIGHTS = 64


def profile(kind: str) -> np.ndarray:
    """The greatest radius, (64,), at as many heights from foot to top, of which the greatest is 1: without scale or handle."""
    shape = solid(kind)
    edges = shape.vertices[np.concatenate([shape.faces[:, pair] for pair in ((0, 1), (1, 2), (2, 0))])]
    meridian = edges[(np.abs(edges[..., 1] - _axis(kind)) < 1e-6).all(axis=1) & (edges[..., 0] >= 0.0).all(axis=1)]
    (x, z), heights = meridian[..., (0, 2)].transpose(2, 0, 1), (np.arange(HEIGHTS) + 0.5) / HEIGHTS - 0.5
    low, rise = z[:, :1], np.ptp(z, axis=1)[:, None] + 1e-12
    share = np.where(z[:, :1] < z[:, 1:], heights - low, low - heights) / rise
    radii = np.where((share >= 0.0) & (share <= 1.0), x[:, :1] + share * (x[:, 1:] - x[:, :1]), 0.0)
    return 2.0 * radii.max(axis=0)


def _axis(kind: str) -> float:
    cavity = solid(kind).cavity
    return 0.0 if cavity is None else cavity.centre[1]


def apart(one: str, other: str) -> float:
    """The root mean square difference of two profiles: how different two shapes are whose sizes do not count."""
    return float(np.sqrt(np.mean((profile(one) - profile(other)) ** 2)))

"""Linear algebra that comes out the same on every processor.

BLAS and LAPACK add in an order that depends on the processor, and so do numpy's own sines where there is AVX-512. Whatever decides a
state or a command asks this module, `math`, or Eigen through pinocchio, which are compiled once for all x86-64 processors.
"""

from math import acos, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

GRID = 6
"""Decimal places of what is handed to the robot (rad, rad/s, m): about the step of an encoder.

Two processors' plans differ by 1e-15 at most; rounded to 1e-6 they differ in one number of some 1e9.
"""

_INDICES = {(1, 1): 'i,i->', (2, 1): 'ij,j->i', (1, 2): 'i,ij->j', (2, 2): 'ij,jk->ik'}


def on_grid(value: float) -> float:
    """Return a number rounded to `GRID` places, without a negative zero; what is no float is left for its reader to refuse."""
    return round(float(value), GRID) + 0.0 if isinstance(value, (float, np.floating)) else value


def all_on_grid(values: tuple[float, ...]) -> tuple[float, ...]:
    """Return numbers rounded likewise, as a tuple; what is no sequence of them is left for its reader to refuse."""
    return tuple(map(on_grid, values)) if isinstance(values, (tuple, list, np.ndarray)) else values


def rounded(numbers: ArrayLike) -> Floats:
    """Return lengths rounded to a nanometre, or shares to nine places, so that the last bit of a processor's sines does not matter."""
    found: Floats = np.round(np.asarray(numbers, dtype=float), 9) + 0.0  # and no negative zero
    return found


def matmul(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return the product of matrices and vectors as `@` has it, one or two dimensions each."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    found: Floats = np.einsum(_INDICES[a.ndim, b.ndim], a, b)
    return found


def dot(a: ArrayLike, b: ArrayLike) -> float:
    """Return the scalar product of two vectors."""
    total = 0.0
    for x, y in zip(np.asarray(a, dtype=float).tolist(), np.asarray(b, dtype=float).tolist(), strict=True):
        total += x * y
    return float(total)


def norm(values: ArrayLike) -> float:
    """Return the Euclidean length of a vector, or of all the numbers of an array."""
    total = 0.0
    for value in np.asarray(values, dtype=float).ravel().tolist():
        total += value * value
    return sqrt(total)


def arccos(cosine: float) -> float:
    """Return the angle, rad in 0…π, of a cosine that rounding may have brought a little beyond 1."""
    return acos(min(max(float(cosine), -1.0), 1.0))  # in this order NaN stays NaN

"""Linear algebra with the same results on every x86-64 processor.

BLAS and LAPACK sum in an order that depends on the processor, and numpy's sines differ in the last bit where there is AVX-512. Code that
decides a state or a command uses this module, `math`, or Eigen (through pinocchio's eigenpy).
"""

from math import acos, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

GRID = 6
"""Decimal places of numbers sent to the robot (rad, rad/s, m): about the resolution of an encoder.

Plans on two processors differ by 1e-15 at most. Rounded to 1e-6, about one number in 1e9 differs.
"""

_INDICES = {(2, 1): 'ij,j->i', (1, 2): 'i,ij->j', (2, 2): 'ij,jk->ik'}


def on_grid(value: float) -> float:
    """Return a number rounded to `GRID` places, never -0.0. Other types are returned unchanged; their reader refuses them."""
    return round(float(value), GRID) + 0.0 if isinstance(value, (float, np.floating)) else value


def all_on_grid(values: tuple[float, ...]) -> tuple[float, ...]:
    """Return a sequence of numbers rounded by `on_grid`, as a tuple. Other types are returned unchanged; their reader refuses them."""
    return tuple(map(on_grid, values)) if isinstance(values, (tuple, list, np.ndarray)) else values


def rounded(numbers: ArrayLike) -> Floats:
    """Return numbers rounded to nine places (lengths to a nanometre), so that the last bit of a sine does not matter."""
    found: Floats = np.round(np.asarray(numbers, dtype=float), 9) + 0.0  # + 0.0 removes negative zeros
    return found


def matmul(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return the product of two matrices, or of a matrix and a vector, as `@` does; `dot` multiplies two vectors."""
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
    """Return the angle of a cosine, rad in 0…π. The cosine is clipped to -1…1 first; NaN stays NaN."""
    return acos(min(max(float(cosine), -1.0), 1.0))  # in this order NaN stays NaN

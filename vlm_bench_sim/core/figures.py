"""Plane figures as convex pieces that share their corners. The suites' blocks and wiped areas are prisms over them."""

from collections.abc import Callable, Sequence

import numpy as np

from vlm_bench_sim.core.algebra import matmul
from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.core.solids import Piece, ring


def rectangle(low: tuple[float, float], high: tuple[float, float]) -> Piece:
    """Return the corners of an axis-aligned rectangle."""
    return np.array([low, (high[0], low[1]), high, (low[0], high[1])], dtype=float)


def square() -> list[Piece]:
    """Return a square."""
    return [ring(4, start=np.pi / 4)]


def disc() -> list[Piece]:
    """Return a circle with 32 corners."""
    return [ring(32)]


def triangle() -> list[Piece]:
    """Return an equilateral triangle with one corner towards +y."""
    return [ring(3, start=np.pi / 2)]


def star() -> list[Piece]:
    """Return a star with five points."""
    outer, inner = ring(5, 1.0, np.pi / 2), ring(5, 0.5, np.pi / 2 + np.pi / 5)
    return [inner, *(np.array([inner[i - 1], outer[i], inner[i]]) for i in range(5))]


def moon() -> list[Piece]:
    """Return a crescent with blunt horns, in eight pieces. Contact time between two is quadratic in the number of pieces."""
    outer, inner = horns()
    return [np.array([*outer[2 * i : 2 * i + 3], inner[i + 1], inner[i]]) for i in range(len(inner) - 1)]


def horns() -> tuple[Piece, Piece]:
    """Return the outer arc of a crescent, (17, 2), and the inner arc, (9, 2): a smaller circle shifted towards the opening."""
    turn = np.linspace(np.radians(50), np.radians(310), 17)
    outer = np.column_stack([np.cos(turn), np.sin(turn)])
    inner = np.column_stack([0.30 + 0.62 * np.cos(turn), 0.62 * np.sin(turn)])
    return outer, inner[::2]


def letter_t() -> list[Piece]:
    """Return a letter T with its stem towards -y."""
    return [
        rectangle((-1.5, 0.5), (-0.5, 1.5)),
        rectangle((-0.5, 0.5), (0.5, 1.5)),
        rectangle((0.5, 0.5), (1.5, 1.5)),
        rectangle((-0.5, -1.5), (0.5, 0.5)),
    ]


def cross() -> list[Piece]:
    """Return a cross with four equal arms."""
    middle = rectangle((-0.5, -0.5), (0.5, 0.5))
    turned = [middle + shift for shift in ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))]
    return [middle, *turned]


def flower() -> list[Piece]:
    """Return a flower with six round petals."""
    core = ring(6, 0.55, np.pi / 6)
    return [core, *(_petal(core[i - 1], core[i]) for i in range(6))]


def cushion() -> list[Piece]:
    """Return a square with rounded corners."""
    corner = np.column_stack([np.cos(t := np.linspace(0, np.pi / 2, 5)), np.sin(t)]) * 0.25 + 0.75
    quarters = [matmul(corner, _turned(i * np.pi / 2).T) for i in range(4)]
    return [np.concatenate(quarters)]


def pentagon() -> list[Piece]:
    """Return a pentagon with one corner towards +y."""
    return [ring(5, start=np.pi / 2)]


def clover() -> list[Piece]:
    """Return four round lobes around a square."""
    core, end = ring(4, 1.0, np.pi / 4), np.radians(120)
    turn = np.linspace(-end, end, 13)
    lobe = np.column_stack([np.cos(turn) - np.cos(end), np.sin(turn)]) / (np.sin(end) * np.sqrt(2)) + (np.sqrt(0.5), 0.0)
    return [core, *(matmul(lobe, _turned(i * np.pi / 2).T) for i in range(4))]


def ribbon(points: Sequence[tuple[float, float]], widths: Sequence[float], *, closed: bool = False) -> list[Piece]:
    """Return a strip along a line through points, in one piece from each point to the next, with its width at each point."""
    line = np.array(points, dtype=float)
    ahead = np.roll(line, -1, axis=0) - line if closed else np.diff(line, axis=0)
    ahead /= np.hypot(*ahead.T)[:, None]
    before, after = (np.roll(ahead, 1, axis=0), ahead) if closed else (ahead[[0, *range(len(ahead))]], ahead[[*range(len(ahead)), -1]])
    left = np.column_stack([-(before + after)[:, 1], (before + after)[:, 0]])
    left *= (np.asarray(widths) / np.einsum('ij,ij->i', left, np.column_stack([-after[:, 1], after[:, 0]])))[:, None] / 2
    near, far = line - left, line + left
    ends = range(len(line)) if closed else range(len(line) - 1)
    return [np.array([near[i], near[(i + 1) % len(line)], far[(i + 1) % len(line)], far[i]]) for i in ends]


def _petal(a: Floats, b: Floats) -> Piece:
    """Return three quarters of a circle on the chord from `a` to `b`, bulging to its right."""
    middle, along = (a + b) / 2, (b - a) / 2
    out = np.array([along[1], -along[0]])
    turn = np.linspace(-np.pi / 2, np.pi / 2, 9)
    bulge = middle + np.outer(np.sin(turn), along) + 1.15 * np.outer(np.cos(turn), out)
    return np.concatenate([[a], bulge[1:-1], [b]])


def _turned(angle: float) -> Floats:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


FIGURES: dict[str, Callable[[], list[Piece]]] = {
    'cube': square,
    'cylinder': disc,
    'triangular_prism': triangle,
    'star': star,
    'moon': moon,
    'letter_t': letter_t,
    'cross': cross,
    'flower': flower,
    'pentagon': pentagon,
    'sponge': cushion,
    'rectangle_area': square,
    'round_area': disc,
    'star_area': star,
    'triangle_area': triangle,
    'cross_area': cross,
    'flower_area': flower,
}
"""Names of the prisms over these figures; areas are thin and lie on a table to be wiped."""

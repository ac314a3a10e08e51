"""Where the corners of a flat, straight-sided thing were drawn, to a tenth of a pixel; and where published messages say they are."""

import numpy as np

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.props import Color, Prop

SPOTS = tuple((x, y) for x in (-0.5, 0.5) for y in (-0.5, 0.5))
"""Of the plates in a picture, as shares of its half width and half height."""

THICKNESS = 2e-6


def plates(info, pose: Pose, distance: float) -> tuple[Prop, ...]:
    """Return four plates before a camera, one in each quarter of its picture, turned and tilted, a good quarter of the picture high.

    `info` is a CameraInfo, `pose` that of the optical frame in the world.
    """
    f, (cx, cy) = info.k[0], (info.k[2], info.k[5])
    side = 0.28 * info.height / f * distance
    made = []
    for i, (x, y) in enumerate(SPOTS):
        middle = (x * info.width / 2 / f * distance, y * info.height / 2 / f * distance, distance)
        turned = Pose.from_rpy(middle, (0.15, -0.1, 0.35 + 0.04 * i))
        made.append(Prop(f'plate{i}', 'cube', (side, side, THICKNESS), Color('red', (1.0, 0.0, 0.0)), 0.1, pose=pose @ turned))
    assert cx > 0 and cy > 0
    return tuple(made)


def told(info, pose: Pose, plate: Prop) -> np.ndarray:
    """Return where CameraInfo and tf say that the corners of a plate are, (4, 2) pixels, in turn."""
    half = plate.size[0] / 2
    corners = plate.pose.apply([(-half, -half, 0), (half, -half, 0), (half, half, 0), (-half, half, 0)])
    seen = pose.inverse().apply(corners)
    pixels = (seen / seen[:, 2:]) @ np.array(info.k).reshape(3, 3).T
    return pixels[:, :2]


def drawn(mask: np.ndarray, near: np.ndarray) -> np.ndarray:
    """Return where the corners of what is True in a mask lie, (4, 2) pixels: where lines through its edges meet.

    `near` (4, 2) are the corners roughly, in turn; they only say which edge is which.
    """
    middle = near.mean(axis=0)
    lines = [_line(mask, a, b, middle) for a, b in zip(near, np.roll(near, -1, axis=0), strict=True)]
    return np.array([_meeting(lines[i - 1], lines[i]) for i in range(4)])


def chain(frame: str, transforms: dict[tuple[str, str], Pose], root: str = 'world') -> Pose:
    """Return the pose of a frame in the root, through (parent, child) transforms."""
    parents = {child: (parent, pose) for (parent, child), pose in transforms.items()}
    pose = Pose()
    while frame != root:
        frame, step = parents[frame]
        pose = step @ pose
    return pose


def _line(mask: np.ndarray, a: np.ndarray, b: np.ndarray, middle: np.ndarray) -> tuple[float, float, float]:
    """Return (p, q, r) with p x + q y = r of the edge from a to b."""
    across = int(abs(b[1] - a[1]) < abs(b[0] - a[0]))  # 0: an edge that runs down, met row by row; 1: column by column
    picture, along = (mask, 1) if across == 0 else (mask.T, 0)
    first, last = sorted((a[along], b[along]))
    rows = np.arange(int(np.ceil(first + 2)), int(last - 2))
    rows = rows[picture[rows].any(axis=1)]
    assert len(rows) >= 8, 'the edge is too short to be measured'
    far = (a + b)[across] / 2 > middle[across]
    edges = [np.flatnonzero(picture[row])[-1 if far else 0] + (0.5 if far else -0.5) for row in rows]
    slope, start = np.polyfit(rows, edges, 1)
    return (1.0, -slope, start) if across == 0 else (-slope, 1.0, start)


def _meeting(one: tuple[float, float, float], other: tuple[float, float, float]) -> np.ndarray:
    return np.linalg.solve(np.array([one[:2], other[:2]]), np.array([one[2], other[2]]))

"""Export the key frames of bags: a cube of voxels at each, and the tool pose and the state of the hand at the next.

These are the demonstrations of PerAct (Shridhar et al. 2022, section 3.1), which moves from key frame to key frame. There a key frame is
where the arm rests or the hand changes; here it is where a rest ends, so that the hand's change belongs to the pose before it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, asdict, dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np

from vlm_bench_sim.bags import reader
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import PERIOD_S
from vlm_bench_sim.core.voxels import Grid, voxels
from vlm_bench_tasks.actions.spaces import pose_numbers
from vlm_bench_tasks.dataset.exports.redrawn import Stands, posed, save, states, written
from vlm_bench_tasks.dataset.rendering import Angle
from vlm_bench_tasks.run import Bench

RESTING = 0.02
"""Mean speed of each joint in a control period below which an arm rests, rad/s."""

CLOSED = 0.01
"""Opening below which a hand that holds nothing counts as closed, m."""


def key_frames(profile: RobotProfile, found: Sequence[Snapshot]) -> tuple[Snapshot, ...]:
    """Return the first state, the last state of each rest of the arm after it has moved, and the last state.

    Args:
        profile: of the robot.
        found: state of each control period.
    """
    joints = [np.asarray(now.arm(profile.joints)) for now in found]
    still = [float(np.abs(b - a).max()) < RESTING * PERIOD_S for a, b in pairwise(joints)]
    kept, moved = [found[0]], False
    for i, rests in enumerate(still):
        moved = moved or not rests
        if moved and rests and (i + 1 == len(still) or not still[i + 1]):
            kept.append(found[i + 1])
            moved = False
    return tuple(kept) if kept[-1] is found[-1] else (*kept, found[-1])


def closed(now: Snapshot) -> bool:
    """Return whether a hand holds something, or its fingers are together."""
    return bool(now.held) or now.opening < CLOSED


@dataclass(frozen=True)
class Cube:
    """How to draw voxels.

    Raises:
        ConfigError: there is no such grid, or no camera.

    Attributes:
        grid: one of `core.voxels.GRIDS`: the part of the world that voxels cover.
        cameras: a camera set, or cameras of it.
        width, height: size of each picture, pixels.
    """

    grid: str = 'peract'
    _: KW_ONLY
    cameras: str = 'vlmbench'
    width: int = 256
    height: int = 256

    def __post_init__(self) -> None:
        Grid.named(self.grid)
        Angle(self.cameras, width=self.width, height=self.height)


def export(paths: Sequence[Path], folder: Path, cube: Cube, *, root: Path) -> Iterator[int]:
    """Write the key frames of each bag to a file with the bag's relative path below `root`, and yield how many have a next one.

    With K of them and N voxels in all, a file holds `voxel.frame`, (N,) uint16, the key frame of each voxel; `voxel.at`, (N, 3) uint16,
    its indices along x, y and z; `voxel.color`, (N, 3) uint8 RGB; `tool`, (K, 7) float32, the tool pose in the world as x, y, z in m and
    quaternion xyzw with x from 0; `opening`, (K,) float32 m; `closed`, (K,) uint8, whether the hand holds something or is closed; and
    `next.tool` and `next.closed`, the same at the next key frame; and of each camera that drew them `intrinsics.<camera>`, (3, 3) pixels,
    and `camera_pose.<camera>`, (K, 7), as `tool`. The metadata name the grid. If `root` is itself a bag, the file has the bag's name.

    Raises:
        BagError: a bag cannot be read, or lacks required data; or the arm moved in none.
    """
    angle = Angle(cube.cameras, width=cube.width, height=cube.height)
    total = 0
    for count in written(paths, folder, partial(_write, cube), angle=angle, root=root):
        total += count
        yield count
    if not total:
        raise BagError(f'In none of the {len(paths)} bags did the arm move. Export other bags.')


def _write(cube: Cube, bag: reader.Bag, bench: Bench, file: Path) -> int:
    frames = key_frames(bench.profile, states(bag))
    seen, after = frames[:-1], frames[1:]
    if not seen:
        return 0
    grid = Grid.named(cube.grid)
    stands = Stands()
    found = [voxels(views, grid) for views in stands.noted(posed(bag, bench, {now.seq: now for now in seen}))]
    arrays = {
        'voxel.frame': np.repeat(np.arange(len(found), dtype=np.uint16), [len(one.at) for one in found]),
        'voxel.at': np.concatenate([one.at for one in found]).astype(np.uint16),
        'voxel.color': np.concatenate([one.color for one in found]),
        'opening': np.asarray([now.opening for now in seen], np.float32),
    }
    for name, of in (('', seen), ('next.', after)):
        arrays[f'{name}tool'] = np.asarray([pose_numbers(now.tool) for now in of], np.float32)
        arrays[f'{name}closed'] = np.asarray([closed(now) for now in of], np.uint8)
    save(file, {'bag': dict(bag.custom), 'cube': asdict(cube), 'grid': asdict(grid)}, arrays | stands.arrays())
    return len(seen)

"""Export what was carried in bags: a map from above before each carry, and the tool poses at which the thing was taken and let go.

These are the demonstrations of CLIPort (Shridhar et al. 2021, section 3) and of 6D-CLIPort (VLMbench, section 5.1). Maps are drawn again
from the recorded states with the arm at home, where a policy that works step by step looks at the scene.
"""

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, asdict, dataclass, replace
from functools import partial
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlm_bench_sim.bags import reader
from vlm_bench_sim.core.errors import BagError, ConfigError
from vlm_bench_sim.core.fusion import Plot, top_down
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.snapshot import JointState, Snapshot
from vlm_bench_tasks.actions.spaces import pose_numbers
from vlm_bench_tasks.dataset.exports.redrawn import Stands, posed, save, states, written
from vlm_bench_tasks.dataset.rendering import Angle
from vlm_bench_tasks.run import Bench

_NEAR = 0.02  # m: within it a thing lies still, and a hand brings nothing anywhere
_SOON = 8  # control periods in which fingers that let a thing go open wider
_WIDER = 0.002  # m


@dataclass(frozen=True)
class Carry:
    """A thing that the hand took somewhere and let go elsewhere.

    Attributes:
        before: state of the world when the tool was highest since the episode began or the last thing was let go.
        pick: pose of the tool in the world when the hand took the thing.
        place: pose of the tool in the world when it let go.
    """

    before: Snapshot
    pick: Pose
    place: Pose


def carries(states: Sequence[Snapshot]) -> tuple[Carry, ...]:
    """Return what was carried, in order.

    A thing that is still held at the end is left out; so is one that is held from the beginning, that had moved before it was taken, on
    which no fingers closed, that slipped out of them, or that was brought nowhere: grasps can be lost and found again for a moment.

    Args:
        states: state of each control period.
    """
    found: list[Carry] = []
    before = taken = None
    for i, (last, now) in enumerate(pairwise(states)):
        if not last.held and (before is None or last.tool.position[2] > before.tool.position[2]):
            before = last
        if now.held and not last.held:
            taken = now
        if last.held and not now.held:
            if taken and before and _carried(before, taken, states[i : i + _SOON]):
                found.append(Carry(before, taken.tool, last.tool))
            before = taken = None
    return tuple(found)


def _carried(before: Snapshot, taken: Snapshot, end: Sequence[Snapshot]) -> bool:
    """Return whether a hand closed on a thing at rest, brought it somewhere and opened; `end`: states from the last that holds it."""
    brought = np.linalg.norm(np.subtract(end[0].tool.position, taken.tool.position)) > _NEAR
    fingers = not taken.opening or (
        before.opening > taken.opening + _WIDER and max(now.opening for now in end) > end[0].opening + _WIDER
    )  # cups have no opening
    return bool(brought and fingers and not _had_moved(before, taken))


def _had_moved(before: Snapshot, taken: Snapshot) -> bool:
    """Return whether the thing that is taken lies elsewhere than before; a link of furniture counts as at its place."""
    bodies = before.bodies, taken.bodies
    if any(taken.held not in of for of in bodies):
        return False
    start, end = (of[taken.held].pose.position for of in bodies)
    return float(np.linalg.norm(np.subtract(start, end))) > _NEAR


def at_home(profile: RobotProfile, now: Snapshot) -> Snapshot:
    """Return a state with the arm at home."""
    return replace(now, joints=now.joints | {name: JointState(q) for name, q in zip(profile.joints, profile.home, strict=True)})


MOST_PIXELS = 1 << 22
"""Of a map."""


@dataclass(frozen=True)
class Survey:
    """How to draw maps.

    Raises:
        ConfigError: there is no such plot, or no camera.

    Attributes:
        plot: one of `core.fusion.PLOTS`: the part of the world that a map covers.
        cameras: a camera set, or cameras of it.
        width, height: size of each picture, pixels.
        pixel: side of a pixel of the maps, m; 0: the plot's own.
    """

    plot: str = 'cliport_6d'
    _: KW_ONLY
    cameras: str = 'vlmbench'
    width: int = 256
    height: int = 256
    pixel: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.pixel < inf:
            raise ConfigError(f'A pixel has a side of 0 m or more; found {self.pixel}. Leave it out for that of the plot.')
        Angle(self.cameras, width=self.width, height=self.height)
        if self.area.shape[0] * self.area.shape[1] > MOST_PIXELS:
            raise ConfigError(f'Maps of {self.area.shape[0]} x {self.area.shape[1]} pixels are too large. Choose a larger pixel.')

    @property
    def area(self) -> Plot:
        """The plot."""
        plot = Plot.named(self.plot)
        return replace(plot, pixel=self.pixel) if self.pixel else plot


def export(paths: Sequence[Path], folder: Path, survey: Survey, *, root: Path) -> Iterator[int]:
    """Write what was carried in each bag to a file with the bag's relative path below `root`, and yield how much it was.

    With K carries and a plot of R rows and C columns, a file holds `map.color`, (K, R, C, 3) uint8 RGB; `map.height`, (K, R, C) float32
    m above the floor of the plot; `map.views`, (K, R, C) uint8, the number of views with a point; `pick` and `place`, (K, 7) float32,
    tool poses in the world as x, y, z in m and quaternion xyzw with x from 0; `opening`, (K,) float32, the width between the fingers
    before, m; and of each camera that drew them `intrinsics.<camera>`, (3, 3) pixels, and `camera_pose.<camera>`, (K, 7), as `pick`.
    The metadata name the plot. If `root` is itself a bag, the file has the bag's name. A bag in which nothing was carried has no file.

    Raises:
        BagError: a bag cannot be read, or lacks required data; or nothing was carried in any.
    """
    angle = Angle(survey.cameras, width=survey.width, height=survey.height)
    carried = 0
    for count in written(paths, folder, partial(_write, survey), angle=angle, root=root):
        carried += count
        yield count
    if not carried:
        raise BagError(
            f'In none of the {len(paths)} bags was a thing taken and let go. Export bags of tasks in which something is carried.'
        )


def _write(survey: Survey, bag: reader.Bag, bench: Bench, file: Path) -> int:
    found = carries(states(bag))
    if not found:
        return 0
    plot = survey.area
    shown = {carry.before.seq: at_home(bench.profile, carry.before) for carry in found}
    stands = Stands()
    maps = [top_down(views, plot) for views in stands.noted(posed(bag, bench, shown))]
    pick, place = (
        np.asarray([pose_numbers(pose) for pose in of], np.float32) for of in zip(*((one.pick, one.place) for one in found), strict=True)
    )
    about = {'bag': dict(bag.custom), 'survey': asdict(survey), 'plot': asdict(plot)}
    arrays: dict[str, NDArray[Any]] = {
        'map.color': np.stack([one.color for one in maps]),
        'map.height': np.stack([one.height for one in maps]),
        'map.views': np.stack([one.views for one in maps]),
        'pick': pick,
        'place': place,
        'opening': np.asarray([carry.before.opening for carry in found], np.float32),
    }
    save(file, about, arrays | stands.arrays())
    return len(found)

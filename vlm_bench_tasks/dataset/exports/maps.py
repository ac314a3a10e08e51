"""Export what was carried in bags: a map from above before each carry, and the tool poses at which the thing was taken and let go.

These are the demonstrations of CLIPort (Shridhar et al. 2021, section 3) and of 6D-CLIPort (VLMbench, section 5.1). Maps are drawn again
from the recorded states with the arm at home, where a policy that works step by step looks at the scene.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from vlm_bench_sim.bags import reader
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.core.fusion import Plot, PosedPicture, TopDown, top_down
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.noise import strayed
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.snapshot import JointState, Snapshot
from vlm_bench_sim.ros.fields import read_snapshot
from vlm_bench_sim.ros.names import WORLD_STATE
from vlm_bench_tasks.actions.spaces import pose_numbers
from vlm_bench_tasks.dataset.exports.plain import METADATA
from vlm_bench_tasks.dataset.rendering import Angle, drawn
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.run import Bench

_WRITE: Callable[..., None] = np.savez_compressed


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

    A thing that is still held at the end is left out; so is one that is held from the beginning.

    Args:
        states: state of each control period.
    """
    found: list[Carry] = []
    before = taken = None
    for last, now in pairwise(states):
        if not last.held and (before is None or last.tool.position[2] > before.tool.position[2]):
            before = last
        if now.held and not last.held:
            taken = now
        if last.held and not now.held:
            if taken and before:
                found.append(Carry(before, taken.tool, last.tool))
            before = taken = None
    return tuple(found)


def at_home(profile: RobotProfile, now: Snapshot) -> Snapshot:
    """Return a state with the arm at home."""
    return replace(now, joints=now.joints | {name: JointState(q) for name, q in zip(profile.joints, profile.home, strict=True)})


@dataclass(frozen=True)
class Survey:
    """How to draw maps.

    Raises:
        ConfigError: there is no such plot, or no camera.

    Attributes:
        plot: one of `core.fusion.PLOTS`: the part of the world that a map covers.
        cameras: a camera set, or cameras of it.
        width, height: size of each picture, pixels.
    """

    plot: str = 'cliport_6d'
    _: KW_ONLY
    cameras: str = 'vlmbench'
    width: int = 256
    height: int = 256

    def __post_init__(self) -> None:
        Plot.named(self.plot)
        Angle(self.cameras, width=self.width, height=self.height)


def export(paths: Sequence[Path], folder: Path, survey: Survey, *, root: Path) -> Iterator[int]:
    """Write what was carried in each bag to a file with the bag's relative path below `root`, and yield how much it was.

    With K carries and a plot of R rows and C columns, a file holds `map.color`, (K, R, C, 3) uint8 RGB; `map.height`, (K, R, C) float32
    m above the floor of the plot; `map.views`, (K, R, C) uint8, the number of views with a point; `pick` and `place`, (K, 7) float32,
    tool poses in the world as x, y, z in m and quaternion xyzw with x from 0; `opening`, (K,) float32, the width between the fingers
    before, m. If `root` is itself a bag, the file has the bag's name. A bag in which nothing was carried has no file.

    Raises:
        BagError: a bag cannot be read, or lacks required data; or nothing was carried in any.
    """
    benches: dict[str, Bench] = {}
    carried = 0
    try:
        for path in paths:
            bag = reader.open_bag(path)
            robot = reader.robot(bag)
            if robot not in benches:
                benches[robot] = Bench(robot, survey.cameras, width=survey.width, height=survey.height)
            file = folder / path.relative_to(root if path != root else root.parent)
            carried += (count := _write(bag, benches[robot], survey, file.with_name(f'{path.name}.npz')))
            yield count
    finally:
        for bench in benches.values():
            bench.close()
    if not carried:
        raise BagError(
            f'In none of the {len(paths)} bags was a thing taken and let go. Export bags of tasks in which something is carried.'
        )


def _write(bag: reader.Bag, bench: Bench, survey: Survey, file: Path) -> int:
    if WORLD_STATE.name not in bag.topics:
        raise BagError(f'{bag.path} holds nothing on {WORLD_STATE.name}, from which maps are drawn. Leave the bag out.')
    found = carries([read_snapshot(message) for _, _, message in bag.messages(WORLD_STATE.name)])
    if not found:
        return 0
    maps = _maps(bag, bench, Plot.named(survey.plot), [carry.before for carry in found])
    pick, place = (
        np.asarray([pose_numbers(pose) for pose in of], np.float32) for of in zip(*((one.pick, one.place) for one in found), strict=True)
    )
    about = {'bag': dict(bag.custom), 'survey': asdict(survey), 'plot': asdict(Plot.named(survey.plot))}
    file.parent.mkdir(parents=True, exist_ok=True)
    _WRITE(
        file,
        **{
            METADATA: np.array(json.dumps(about)),
            'map.color': np.stack([one.color for one in maps]),
            'map.height': np.stack([one.height for one in maps]),
            'map.views': np.stack([one.views for one in maps]),
            'pick': pick,
            'place': place,
            'opening': np.asarray([carry.before.opening for carry in found], np.float32),
        },
    )
    return len(found)


def _maps(bag: reader.Bag, bench: Bench, plot: Plot, moments: Sequence[Snapshot]) -> list[TopDown]:
    """Return the map of each of these states of a bag."""
    due = {now.seq for now in moments}
    perturbation = Episode.from_json(reader.episode_truth(bag).episode).seeded_perturbation
    cameras = {camera.name: strayed(camera, perturbation) for camera in bench.cameras}
    links = bench.links(at_home(bench.profile, moments[0]))  # of a camera on the hand
    poses = {name: camera.world_pose(links) for name, camera in cameras.items()}
    maps = [
        top_down([PosedPicture(picture, cameras[name], poses[name]) for name, picture in frame.pictures.items()], plot)
        for frame in drawn(bag, bench, lambda now: at_home(bench.profile, now) if now.seq in due else None)
    ]
    if len(maps) != len(moments):
        raise BagError(f'{bag.path} holds a control period twice. Leave the bag out.')
    return maps

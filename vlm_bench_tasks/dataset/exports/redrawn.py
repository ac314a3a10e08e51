"""Bags whose scenes are drawn again for an export, as posed pictures."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlm_bench_sim.bags import reader
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.core.fusion import PosedPicture
from vlm_bench_sim.core.noise import strayed
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.ros.fields import read_snapshot
from vlm_bench_sim.ros.names import WORLD_STATE
from vlm_bench_tasks.actions.spaces import pose_numbers
from vlm_bench_tasks.dataset.exports.cameras import INTRINSICS, POSE
from vlm_bench_tasks.dataset.exports.plain import METADATA
from vlm_bench_tasks.dataset.rendering import Angle, drawn
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.run import Bench

_WRITE: Callable[..., None] = np.savez_compressed

Write = Callable[[reader.Bag, Bench, Path], int]
"""Writes what a bag holds to a file, drawn with a bench that has the bag's robot, and returns how much it was; 0: no file."""


def written(paths: Sequence[Path], folder: Path, write: Write, *, angle: Angle, root: Path) -> Iterator[int]:
    """Write each bag to a file with the bag's relative path below `root`, and yield how much it was.

    If `root` is itself a bag, the file has the bag's name.

    Args:
        paths: of the bags.
        folder: for the files.
        write: writes one bag.
        angle: cameras and size of the pictures.
        root: the folder from which the bags come.

    Raises:
        BagError: a bag cannot be read, or lacks required data.
    """
    benches: dict[str, Bench] = {}
    try:
        for path in paths:
            bag = reader.open_bag(path)
            robot = reader.robot(bag)
            if robot not in benches:
                benches[robot] = Bench(robot, angle.cameras, width=angle.width, height=angle.height)
            file = folder / path.relative_to(root if path != root else root.parent)
            yield write(bag, benches[robot], file.with_name(f'{path.name}.npz'))
    finally:
        for bench in benches.values():
            bench.close()


def save(file: Path, about: Mapping[str, object], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays to a compressed file, with what they are about as JSON."""
    file.parent.mkdir(parents=True, exist_ok=True)
    _WRITE(file, **{METADATA: np.array(json.dumps(about)), **arrays})


def states(bag: reader.Bag) -> list[Snapshot]:
    """Return the state of each control period.

    Raises:
        BagError: the bag does not hold them.
    """
    if WORLD_STATE.name not in bag.topics:
        raise BagError(f'{bag.path} holds nothing on {WORLD_STATE.name}, from which its scene is drawn. Leave the bag out.')
    return [read_snapshot(message) for _, _, message in bag.messages(WORLD_STATE.name)]


def posed(bag: reader.Bag, bench: Bench, shown: Mapping[int, Snapshot]) -> Iterator[list[PosedPicture]]:
    """Yield the pictures of some control periods, by cameras that stand where they stood in the episode.

    Args:
        bag: the bag.
        bench: draws them.
        shown: the states to draw, by control period: those of the bag, or the same with the arm elsewhere.

    Raises:
        BagError: a control period is there twice.
    """
    perturbation = Episode.from_json(reader.episode_truth(bag).episode).seeded_perturbation
    cameras = {camera.name: strayed(camera, perturbation) for camera in bench.cameras}
    count = 0
    for frame in drawn(bag, bench, lambda now: shown.get(now.seq)):
        links = bench.links(shown[frame.seq])  # of a camera on the hand
        count += 1
        yield [PosedPicture(picture, cameras[name], cameras[name].world_pose(links)) for name, picture in frame.pictures.items()]
    if count != len(shown):
        raise BagError(f'{bag.path} holds a control period twice. Leave the bag out.')


class Stands:
    """Where the cameras stood that drew the pictures which pass."""

    def __init__(self) -> None:
        self._rows: dict[str, list[tuple[float, ...]]] = {}
        self._intrinsics: dict[str, NDArray[np.float32]] = {}

    def noted(self, shown: Iterable[list[PosedPicture]]) -> Iterator[list[PosedPicture]]:
        """Yield the same pictures, and note how each was taken."""
        for views in shown:
            for view in views:
                self._rows.setdefault(view.camera.name, []).append(tuple(pose_numbers(view.pose)))
                self._intrinsics[view.camera.name] = view.camera.intrinsics.astype(np.float32)
            yield views

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return of each camera the intrinsics, (3, 3) pixels, and its poses in the world, (n, 7): x, y, z in m and a quaternion xyzw."""
        poses = {POSE + name: np.asarray(rows, np.float32) for name, rows in self._rows.items()}
        return poses | {INTRINSICS + name: matrix for name, matrix in self._intrinsics.items()}

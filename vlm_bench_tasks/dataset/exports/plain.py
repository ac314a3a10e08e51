"""Write episodes as plain numpy: one .npz file each, which `numpy.load` reads without pickle."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from vlm_bench_sim.core.prompts import image_key
from vlm_bench_tasks.dataset.exports.cameras import DEPTH, INTRINSICS
from vlm_bench_tasks.dataset.exports.frames import Columns, Frames, Wish, frames
from vlm_bench_tasks.dataset.exports.pictures import decoded
from vlm_bench_tasks.dataset.labels import plain as labelled

METADATA = 'metadata'
"""Name of the array that holds, as one JSON string, the bag's metadata, the names of each column's numbers and the rate."""

_WRITE: Callable[..., None] = np.savez_compressed  # every keyword becomes an array, since numpy 1 has no `allow_pickle`


def export(paths: list[Path], folder: Path, wish: Wish, *, root: Path) -> Iterator[Frames]:
    """Write each bag's frames to a file with the bag's relative path below `root`, and yield them.

    Pictures are uint8, (frames, height, width, 3), and depths float32, (frames, height, width) m. Intrinsics are (3, 3) per camera.
    Pictures of the instruction are `prompt/image_1` and so on, uint8, (height, width, 3). Those of a key step are
    `key_step/<period>/<camera>`, uint8, (2, height, width, 3): with the robot shown and hidden.
    If `root` is itself a bag, the file has the bag's name.

    Raises:
        BagError: a bag cannot be read, or lacks required data.
    """
    for path in paths:
        episode = frames(path, wish)
        if not len(episode):  # the episode ended in its first period
            continue
        seen: Columns = {f'observation.images.{name}': np.stack(decoded(path, name, jpegs)) for name, jpegs in episode.pictures.items()}
        seen |= {DEPTH + name: np.stack(of) for name, of in episode.depths.items()}
        seen |= {INTRINSICS + name: matrix.astype(np.float32) for name, matrix in episode.intrinsics.items()}
        seen |= {image_key(number): image.color for number, image in enumerate(episode.prompt, start=1)}
        whole = {'bag': dict(episode.about), 'names': dict(episode.names), 'fps': wish.fps, 'action': wish.action}
        seen |= {
            f'key_step/{seq}/{one.camera}': np.stack(decoded(path, one.camera, (one.shown, one.hidden)))
            for seq, of in episode.labels.pictures.items() for one in of
        }  # fmt: skip
        told = {'prompt_roles': [image.role for image in episode.prompt], 'labels': labelled(episode.labels, episode.begins)}
        about = json.dumps(whole | told)
        timed: Columns = {METADATA: np.array(about), 'timestamp': np.arange(len(episode)) / wish.fps}
        file = folder / path.relative_to(root if path != root else root.parent)
        file.parent.mkdir(parents=True, exist_ok=True)
        _WRITE(file.with_name(f'{path.name}.npz'), **timed, **episode.columns, **seen)
        yield episode

"""Write bags as a LeRobot dataset v3.0: parquet, mp4 and metadata, as read by huggingface/lerobot 0.4."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.render.jpeg import size
from vlm_bench_tasks.dataset.exports.cameras import DEPTH, INTRINSICS, INTRINSICS_NAMES, intrinsics_numbers
from vlm_bench_tasks.dataset.exports.film import CODEC, PIXELS, Film
from vlm_bench_tasks.dataset.exports.frames import EXPERT, Columns, Frames, Wish, frames
from vlm_bench_tasks.dataset.exports.label_files import LabelFiles
from vlm_bench_tasks.dataset.exports.pictures import decoded
from vlm_bench_tasks.dataset.exports.summary import (
    Summary,
    pictures_to_count,
    plain,
    summary,
    summary_of_depths,
    summary_of_pictures,
    together,
)
from vlm_bench_tasks.dataset.exports.tables import Tables, table, write_words

VERSION = 'v3.0'
_IN_CHUNK = 1000  # files per folder
_DATA_MB, _VIDEO_MB = 100, 200  # per file
_FILE = 'chunk-{chunk_index:03d}/file-{file_index:03d}'
_DATA, _EPISODES = f'data/{_FILE}.parquet', f'meta/episodes/{_FILE}.parquet'
_VIDEO = 'videos/{video_key}/' + f'{_FILE}.mp4'
_PROMPT = 'meta/prompts/episode_{episode_index:06d}/image_{number}.png'
_IMAGES = 'observation.images.'
_ROWS = 64  # number of episodes written at once


def export(paths: list[Path], folder: Path, wish: Wish) -> Iterator[Frames]:
    """Write the bags' frames as a dataset into an empty folder, and yield them; the folder is complete after the last one.

    Raises:
        BagError: a bag cannot be read, lacks required data, or differs from the first in robot, cameras or picture size.
    """
    dataset: Dataset | None = None
    try:
        for path in paths:
            episode = frames(path, wish)
            if len(episode):
                dataset = dataset or Dataset(folder, wish, first=episode)
                dataset.add(episode)
                yield episode
        if dataset is None:
            raise BagError(f'None of the {len(paths)} bags holds a period after the first, so there is no frame to export.')
        dataset.describe()
    finally:
        if dataset is not None:
            dataset.close()


class Dataset:
    """A dataset to which episodes are appended.

    Args:
        folder: output folder.
        wish: options for reading the bags.
        first: an episode that defines robot, cameras and columns of all.
    """

    def __init__(self, folder: Path, wish: Wish, *, first: Frames) -> None:
        self._folder, self._wish, self._first = folder, wish, first
        self._shapes = _shapes(first)
        self._data = Tables(self._file(_DATA), limit_mb=_DATA_MB)
        self._episodes = Tables(self._file(_EPISODES), limit_mb=_DATA_MB)
        self._films = {name: Film(self._file(_VIDEO, name), fps=wish.fps, limit_mb=_VIDEO_MB) for name in self._shapes}
        self._rows: list[dict[str, Any]] = []
        self._tasks: dict[str, int] = {}
        self._summaries: list[dict[str, Summary]] = []
        self._length, self._labels = 0, LabelFiles(folder)

    def add(self, episode: Frames) -> None:
        """Append an episode.

        Raises:
            BagError: it differs from the first in robot, cameras or picture size, or has the expert's advice only if the first has none.
        """
        self._check(episode)
        number, sentence = len(self._summaries), episode.about.get('instruction', '')
        columns = self._numbered(episode, number, self._tasks.setdefault(sentence, len(self._tasks)))
        self._labels.add(episode, number)
        row = {
            'episode_index': number, 'tasks': [sentence], 'length': len(episode), **_place('data', self._data.next),
            'dataset_from_index': self._length, 'dataset_to_index': self._length + len(episode),
        }  # fmt: skip
        summaries = {name: summary(values) for name, values in columns.items()}
        for name, depths in episode.depths.items():
            columns[DEPTH + name] = np.stack(depths)
            summaries[DEPTH + name] = summary_of_depths([depths[i] for i in pictures_to_count(len(depths))])
        self._data.add(table(columns))
        for name, jpegs in episode.pictures.items():
            filmed, summaries[_IMAGES + name] = self._filmed(episode.bag, name, jpegs)
            row |= filmed
        self._length += len(episode)
        self._summaries.append(summaries)
        row |= {f'stats/{name}/{word}': value for name, of in plain(summaries).items() for word, value in of.items()}
        row |= {f'vlm_bench/{word}': episode.about.get(word, '') for word in ('task', 'split', 'axis', 'seed', 'verdict', 'token')}
        row |= self._told(episode, number)
        self._rows.append(row)
        if len(self._rows) >= _ROWS:
            self._flush()

    def describe(self) -> None:
        """Write the metadata of the dataset."""
        self._flush()
        meta = self._folder / 'meta'
        write_words(meta / 'tasks.parquet', 'task_index', list(self._tasks))
        self._labels.describe()
        whole = {name: together([one[name] for one in self._summaries]) for name in self._summaries[0]}
        (meta / 'stats.json').write_text(json.dumps(plain(whole), indent=4))
        (meta / 'info.json').write_text(json.dumps(self._info(), indent=4))

    def close(self) -> None:
        """Finish all files."""
        self._data.close()
        self._episodes.close()
        self._labels.close()
        for film in self._films.values():
            film.close()

    def _info(self) -> dict[str, Any]:
        episodes = len(self._summaries)
        return {
            'codebase_version': VERSION, 'robot_type': self._first.profile.name, 'total_episodes': episodes, 'total_frames': self._length,
            'total_tasks': len(self._tasks), 'chunks_size': _IN_CHUNK, 'data_files_size_in_mb': _DATA_MB,
            'video_files_size_in_mb': _VIDEO_MB, 'fps': self._wish.fps, 'splits': {'train': f'0:{episodes}'}, 'data_path': _DATA,
            'video_path': _VIDEO if self._films else None, 'features': self._features(),
        }  # fmt: skip

    def _features(self) -> dict[str, Any]:
        numbered = self._numbered(self._first, 0, 0)
        called = {**self._first.names, **{INTRINSICS + name: INTRINSICS_NAMES for name in self._first.intrinsics}}
        found = {name: _feature(values, called.get(name)) for name, values in numbered.items()}
        found |= {DEPTH + name: _feature(np.stack(of[:1]), ('height', 'width')) for name, of in self._first.depths.items()}
        about = {'video.codec': CODEC, 'video.pix_fmt': PIXELS, 'video.is_depth_map': False, 'video.channels': 3, 'has_audio': False}
        for name, (height, width, _) in self._shapes.items():
            size = {'video.fps': self._wish.fps, 'video.height': height, 'video.width': width}
            shape = {'dtype': 'video', 'shape': [height, width, 3], 'names': ['height', 'width', 'channels']}
            found[_IMAGES + name] = shape | {'info': size | about}
        return found

    def _numbered(self, episode: Frames, number: int, task: int) -> Columns:
        count = np.arange(len(episode), dtype=np.int64)
        lenses = {INTRINSICS + name: intrinsics_numbers(matrix) for name, matrix in episode.intrinsics.items()}
        return {
            **episode.columns,
            **{name: np.tile(numbers, (len(episode), 1)) for name, numbers in lenses.items()},
            'timestamp': (count / self._wish.fps).astype(np.float32),
            'frame_index': count,
            'episode_index': np.full_like(count, number),
            'index': count + self._length,
            'task_index': np.full_like(count, task),
            **self._labels.columns(episode),
        }

    def _told(self, episode: Frames, number: int) -> dict[str, Any]:
        """Write the pictures of an instruction and return what the row of its episode says of them."""
        paths = [_PROMPT.format(episode_index=number, number=i) for i in range(1, len(episode.prompt) + 1)]
        for path, image in zip(paths, episode.prompt, strict=True):
            (self._folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self._folder / path).write_bytes(image.png)
        roles = ','.join(image.role for image in episode.prompt)
        return {'vlm_bench/prompt': episode.about.get('prompt', ''), 'vlm_bench/prompt_roles': roles}

    def _filmed(self, bag: Path, name: str, jpegs: tuple[bytes, ...]) -> tuple[dict[str, Any], Summary]:
        key, pictures = f'videos/{_IMAGES}{name}', decoded(bag, name, jpegs)
        number, begin, end = self._films[name].add(pictures)
        seen = summary_of_pictures([pictures[i] for i in pictures_to_count(len(pictures))])
        return {**_place(key, number), f'{key}/from_timestamp': begin, f'{key}/to_timestamp': end}, seen

    def _check(self, episode: Frames) -> None:
        ours, theirs = (self._first.profile.name, _sizes(self._first)), (episode.profile.name, _sizes(episode))
        if ours != theirs:
            raise BagError(
                f'{episode.bag} has {_words(*theirs)}, but {self._first.bag} has {_words(*ours)}. '
                'A dataset has one robot and one set of cameras. Export the bags separately, or choose cameras that all bags have.'
            )
        if differ := _columns(episode) ^ _columns(self._first):
            column = min(differ)
            with_, without = (episode, self._first) if column in _columns(episode) else (self._first, episode)
            what, apart = (
                ('advice of the expert', 'separately, or with --action joints') if column == EXPERT
                else (f'the data for {column} (camera_info and transforms)', 'separately')
            )  # fmt: skip
            raise BagError(f'{with_.bag} holds {what}, but {without.bag} does not. Export them {apart}.')

    def _flush(self) -> None:
        if self._rows:
            place = _place('meta/episodes', self._episodes.next)
            self._episodes.add(pa.Table.from_pylist([row | place for row in self._rows]))
            self._rows = []

    def _file(self, pattern: str, camera: str = '') -> Callable[[int], Path]:
        def path(number: int) -> Path:
            chunk, index = divmod(number, _IN_CHUNK)
            found = self._folder / pattern.format(video_key=_IMAGES + camera, chunk_index=chunk, file_index=index)
            found.parent.mkdir(parents=True, exist_ok=True)
            return found

        return path


def _place(what: str, number: int) -> dict[str, int]:
    return {f'{what}/chunk_index': number // _IN_CHUNK, f'{what}/file_index': number % _IN_CHUNK}


def _feature(values: npt.NDArray[Any], names: tuple[str, ...] | None) -> dict[str, Any]:
    return {'dtype': str(values.dtype), 'shape': list(values.shape[1:]) or [1], 'names': list(names) if names else None}


def _shapes(episode: Frames) -> dict[str, tuple[int, ...]]:
    return {name: (*size(jpegs[0])[::-1], 3) for name, jpegs in sorted(episode.pictures.items())}


def _columns(episode: Frames) -> set[str]:
    return {*episode.columns, *(INTRINSICS + name for name in episode.intrinsics)}


def _sizes(episode: Frames) -> dict[str, tuple[int, ...]]:
    return _shapes(episode) | {DEPTH + name: depths[0].shape for name, depths in sorted(episode.depths.items())}


def _words(robot: str, shapes: dict[str, tuple[int, ...]]) -> str:
    cameras = ', '.join(f'{name} {shape[1]}x{shape[0]}' for name, shape in shapes.items())
    return f'{robot} with the cameras {cameras}' if cameras else f'{robot} without cameras'

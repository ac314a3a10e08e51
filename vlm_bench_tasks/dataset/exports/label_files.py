"""Write the labels of a LeRobot dataset: columns of indices, their words, one line per episode, and the pictures of key steps."""

import json
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from vlm_bench_tasks.dataset.exports.frames import Columns, Frames
from vlm_bench_tasks.dataset.exports.tables import write_words
from vlm_bench_tasks.dataset.labels import plain

_LINES = 'meta/labels.jsonl'
_PICTURE = 'meta/key_steps/episode_{number:06d}/{seq:06d}_{camera}_{how}.jpg'
SUBTASK, STEP = 'subtask_index', 'step_index'


class LabelFiles:
    """The labels of the episodes that are appended.

    Args:
        folder: folder of the dataset.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._words: dict[str, dict[str, int]] = {SUBTASK: {}, STEP: {}}
        self._lines: TextIO | None = None

    def columns(self, episode: Frames) -> Columns:
        """Return the indices of the sub-task and of the step of each frame; the words '' stand for none."""
        steps = episode.labels.at(episode.begins)
        return {
            SUBTASK: self._indices(SUBTASK, ['' if step is None else step.subtask for step in steps]),
            STEP: self._indices(STEP, ['' if step is None else step.sentence for step in steps]),
        }

    def add(self, episode: Frames, number: int) -> None:
        """Write the labels of an episode, and the pictures of its key steps."""
        told: dict[str, Any] = {'episode_index': number, 'instruction': episode.about.get('instruction', '')}
        told |= plain(episode.labels, episode.begins)
        for step in told['key_steps']:
            step['pictures'] = self._pictures(episode, number, step['seq'])
            del step['cameras']
        if self._lines is None:
            (self._folder / _LINES).parent.mkdir(parents=True, exist_ok=True)
            self._lines = (self._folder / _LINES).open('w', encoding='utf-8')
        self._lines.write(json.dumps(told, ensure_ascii=False) + '\n')

    def describe(self) -> None:
        """Write the words of the sub-tasks and of the steps."""
        for index, words in self._words.items():
            write_words(self._folder / f'meta/{index.removesuffix("_index")}s.parquet', index, list(words))

    def close(self) -> None:
        """Finish all files."""
        if self._lines is not None:
            self._lines.close()

    def _indices(self, index: str, words: list[str]) -> Any:
        known = self._words[index]
        return np.asarray([known.setdefault(one, len(known)) for one in words], np.int64)

    def _pictures(self, episode: Frames, number: int, seq: int) -> list[dict[str, str]]:
        """Write the pictures of a key step, and return their paths."""
        written = []
        for seen in episode.labels.pictures.get(seq, ()):
            paths = {'camera': seen.camera}
            for how, jpeg in (('shown', seen.shown), ('hidden', seen.hidden)):
                paths[how] = _PICTURE.format(number=number, seq=seq, camera=seen.camera, how=how)
                (self._folder / paths[how]).parent.mkdir(parents=True, exist_ok=True)
                (self._folder / paths[how]).write_bytes(jpeg)
            written.append(paths)
        return written

"""What policies learn from: examples in the .npz files that `vlm-bench export` wrote, for training and for validation."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar
from zipfile import BadZipFile

import cv2
import numpy as np

from vlm_bench_sim.core.errors import ConfigError, VlmBenchError


@dataclass(frozen=True, eq=False)
class Example:
    """Something to learn from.

    Attributes:
        sentence: the instruction.
        task, axis: of the episode.
        seed: of the episode.
    """

    sentence: str
    task: str
    axis: str
    seed: int

    @property
    def key(self) -> tuple[str, str, int]:
        """Task, axis and seed."""
        return self.task, self.axis, self.seed


E = TypeVar('E', bound=Example)
M = TypeVar('M')


@dataclass(frozen=True)
class Data(Generic[E, M]):
    """Examples to learn from and to choose weights by.

    Attributes:
        train, validation: examples.
        made: how all of them were made.
    """

    train: Sequence[E]
    validation: Sequence[E]
    made: M

    @property
    def tasks(self) -> tuple[str, ...]:
        """The ids of the tasks to learn from, sorted."""
        return tuple(sorted({one.task for one in self.train}))

    @property
    def seeds(self) -> tuple[int, int]:
        """The lowest and the highest seed to learn from."""
        return min(one.seed for one in self.train), max(one.seed for one in self.train)

    @property
    def counts(self) -> tuple[int, int]:
        """The numbers of examples to learn from and to choose weights by."""
        return len(self.train), len(self.validation)


@dataclass(frozen=True)
class Source(Generic[E, M]):
    """Files of one kind.

    Attributes:
        what: they hold, in one word.
        command: that writes them.
        read: returns, for the JSON and the arrays of a file, how its examples were made, and the examples. `ValueError`, `KeyError`,
            `IndexError`, `TypeError` and errors of the bench or of OpenCV mean that the file is damaged.
    """

    what: str
    command: str
    read: Callable[[Mapping[str, Any], Any], tuple[M, Iterable[E]]]

    def examples(self, folder: Path) -> tuple[list[E], M]:
        """Return the examples in the files below a folder, sorted by path, and how they were made.

        Raises:
            ConfigError: there are none, a file is damaged, or the files were made in different ways.
        """
        found: list[E] = []
        ways: dict[M, Path] = {}
        for path in sorted(folder.rglob('*.npz')):
            made, examples = self._open(path)
            ways.setdefault(made, path)
            found += examples
        if len(ways) > 1:
            first, second = list(ways.values())[:2]
            raise ConfigError(
                f'The {self.what} of {first} and {second} were made in different ways. Export all of them with the same options.'
            )
        if not found:
            raise ConfigError(f'There are no {self.what} in {folder}. Make some with {self.command}.')
        return found, next(iter(ways))

    def data(self, folders: Sequence[Path], validation: Path) -> Data[E, M]:
        """Return the examples of some folders to learn from, and those of another one to choose weights by.

        Raises:
            ConfigError: as for `examples`; or both hold the same episode.
        """
        parts = [self.examples(folder) for folder in folders]
        held_out, made = self.examples(validation)
        for folder, (_, other) in zip(folders, parts, strict=True):
            if other != made:
                raise ConfigError(
                    f'The {self.what} of {folder} and {validation} were made in different ways. Export both with the same options.'
                )
        train = [one for part, _ in parts for one in part]
        shared = {one.key for one in train} & {one.key for one in held_out}
        if shared:
            task, axis, seed = min(shared)
            raise ConfigError(f'{task} along {axis} with seed {seed} is in the training and in the validation data. Keep them apart.')
        return Data(train, held_out, made)

    def _open(self, path: Path) -> tuple[M, list[E]]:
        try:
            with path.open('rb') as raw, np.load(raw, allow_pickle=False) as file:  # numpy leaves a damaged one open
                made, examples = self.read(json.loads(str(file['metadata'])), file)
                return made, list(examples)
        except (OSError, EOFError, ValueError, KeyError, IndexError, TypeError, BadZipFile, cv2.error, VlmBenchError) as error:
            again = f'Export its bag again with {self.command}.'
            raise ConfigError(f'{path} holds no {self.what} that can be read: {error!r:.200}. {again}') from error


def known(bag: Mapping[str, str]) -> tuple[str, str, str, int]:
    """Return the first fields of an `Example`, from what a bag says about itself."""
    return bag['instruction'], bag['task'], bag.get('axis', ''), int(bag['seed'])


def finite(name: str, numbers: Any) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return numbers in 32 bits.

    Raises:
        ValueError: one of them is infinite, or none at all.
    """
    found = np.asarray(numbers, np.float32)
    if not np.isfinite(found).all():
        raise ValueError(f'{name} holds numbers that are not finite')
    return found

"""What policies learn from: examples in the .npz files that `vlm-bench export` wrote, for training and for validation."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, Generic, TypeVar
from zipfile import ZipFile

import numpy as np

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.variation.seeds import PURPOSES, purpose

MOST_BYTES = 1 << 30
"""Of a file, packed or not."""

MOST = 100.0
"""Of a position, m, or an angle, rad."""


@dataclass(frozen=True, eq=False)
class Example:
    """Something to learn from.

    Attributes:
        sentence: the instruction.
        task, axis, split: of the episode.
        seed: of the episode.
    """

    sentence: str
    task: str
    axis: str
    split: str
    seed: int

    @property
    def scene(self) -> tuple[str, str, int]:
        """Task, split and seed: along another axis the same scene may come again."""
        return self.task, self.split, self.seed


E = TypeVar('E', bound=Example)
M = TypeVar('M')


@dataclass(frozen=True)
class Data(Generic[E, M]):
    """Examples to learn from and to choose weights by.

    Attributes:
        train, validation: examples.
        made: how all of them were made.
        digests: SHA-256 of the files of both.
    """

    train: Sequence[E]
    validation: Sequence[E]
    made: M
    digests: tuple[str, str] = ('', '')

    @property
    def tasks(self) -> tuple[str, ...]:
        """The ids of the tasks to learn from, sorted."""
        return tuple(sorted({one.task for one in self.train}))

    @property
    def seeds(self) -> tuple[int, int]:
        """The lowest and the highest seed to learn from."""
        return _ends(self.train)

    @property
    def origin(self) -> dict[str, Any]:
        """The fields of a `TrainedCard` that say what was learned from."""
        splits = tuple(sorted({one.split for one in self.train}))
        return {'splits': splits, 'validation': _ends(self.validation), 'digests': self.digests}

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
        read: returns, for the JSON and the arrays of a file, how its examples were made, and the examples. Any error means that the file
            is damaged.
    """

    what: str
    command: str
    read: Callable[[Mapping[str, Any], Any], tuple[M, Iterable[E]]]

    def examples(self, folder: Path, allowed: Collection[str] = PURPOSES) -> tuple[list[E], M, str]:
        """Return the examples in the files below a folder, sorted by path, how they were made, and the SHA-256 of the files.

        Args:
            folder: with the files.
            allowed: purposes of the seeds that there may be (`vlm_bench_tasks.variation.seeds`).

        Raises:
            ConfigError: there are none, a file is damaged or a copy, a folder is a link, the files were made in different ways, or a seed
                has another purpose.
        """
        found: list[E] = []
        ways: dict[M, Path] = {}
        files: dict[bytes, Path] = {}
        whole = sha256()
        if linked := [path for path in sorted(folder.rglob('*')) if path.is_symlink() and path.is_dir()]:
            raise ConfigError(f'{linked[0]} is a link to a folder, which is not followed. Name that folder itself.')
        for path in sorted(folder.rglob('*.npz')):
            made, examples, digest = self._open(path)
            if digest in files:
                raise ConfigError(f'{path} is a copy of {files[digest]}. Leave one of them out.')
            ways.setdefault(made, path)
            files[digest] = path
            whole.update(digest)
            found += examples
        if len(ways) > 1:
            first, second = list(ways.values())[:2]
            raise ConfigError(
                f'The {self.what} of {first} and {second} were made in different ways. Export all of them with the same options.'
            )
        if not found:
            raise ConfigError(f'There are no {self.what} in {folder}. Make some with {self.command}.')
        for one in found:
            if (word := purpose(range(one.seed, one.seed + 1))) not in allowed:
                raise ConfigError(
                    f'{folder} holds {one.task} with seed {one.seed}, whose purpose is {word}; {" or ".join(allowed)} was expected. '
                    'Leave these episodes out.'
                )
        return found, next(iter(ways)), whole.hexdigest()

    def data(self, folders: Sequence[Path], validation: Path) -> Data[E, M]:
        """Return the examples of some folders to learn from, and those of another one to choose weights by.

        Raises:
            ConfigError: as for `examples`; a folder is named twice; or both hold the same episode. Seeds for tests are for neither, and
                those for validation are not to learn from.
        """
        places = [folder.resolve() for folder in folders]
        if len(set(places)) < len(places):
            raise ConfigError(f'A folder with {self.what} is named twice: {", ".join(map(str, folders))}. Name each once.')
        if within := [place for place in places if any(place != other and place.is_relative_to(other) for other in places)]:
            raise ConfigError(f'{within[0]} lies in another folder that is named. Name the outer one alone.')
        parts = [self.examples(folder, ('train',)) for folder in folders]
        held_out, made, chosen_by = self.examples(validation, ('train', 'validate'))
        for folder, (_, other, _) in zip(folders, parts, strict=True):
            if other != made:
                raise ConfigError(
                    f'The {self.what} of {folder} and {validation} were made in different ways. Export both with the same options.'
                )
        train = [one for part, _, _ in parts for one in part]
        shared = {one.scene for one in train} & {one.scene for one in held_out}
        if shared:
            task, split, seed = min(shared)
            raise ConfigError(f'{task}, split {split!r}, seed {seed} is in the training and in the validation data. Keep them apart.')
        learned_from = sha256(''.join(digest for _, _, digest in parts).encode()).hexdigest()
        return Data(train, held_out, made, (learned_from, chosen_by))

    def _open(self, path: Path) -> tuple[M, list[E], bytes]:
        try:
            if not path.is_file():
                raise ValueError('it is not a regular file')
            if path.stat().st_size > MOST_BYTES:
                raise ValueError(f'it is larger than {MOST_BYTES >> 20} MiB')
            data = path.read_bytes()
            with ZipFile(BytesIO(data)) as packed:
                if sum(part.file_size for part in packed.infolist()) > MOST_BYTES:
                    raise ValueError(f'it unpacks to more than {MOST_BYTES >> 20} MiB')
            with np.load(BytesIO(data), allow_pickle=False) as file:
                made, examples = self.read(json.loads(str(file['metadata'])), file)
                hash(made)
                return made, list(examples), sha256(data).digest()
        except Exception as error:  # a foreign file may be damaged in any way
            again = f'Export its bag again with {self.command}.'
            raise ConfigError(f'{path} holds no {self.what} that can be read: {error!r:.200}. {again}') from error


def _ends(examples: Iterable[Example]) -> tuple[int, int]:
    seeds = [one.seed for one in examples]
    return min(seeds), max(seeds)


def known(bag: Mapping[str, Any]) -> tuple[str, str, str, str, int]:
    """Return the first fields of an `Example`, from what a bag says about itself.

    Raises:
        ValueError: it is no episode that succeeded.
    """
    told = bag['instruction'], bag['task'], bag.get('axis', ''), bag.get('split', '')
    if not all(isinstance(text, str) for text in told):
        raise ValueError(f'instruction, task, axis and split are texts; found {told!r:.100}')
    if bag.get('verdict', 'success') != 'success':
        raise ValueError(f'its episode came to {bag["verdict"]!r:.40}, and only a success is an example')
    seed = bag['seed']
    if type(seed) is not int and not (isinstance(seed, str) and seed.isdecimal()):
        raise ValueError(f'a seed is a whole number; found {seed!r:.40}')
    return (*told, int(seed))


def number(name: str, value: Any, most: float) -> float:
    """Return a number if it lies between 0 and a limit.

    Raises:
        ValueError: it does not, or is no number.
    """
    if not (isinstance(value, int | float) and 0 <= value <= most):
        raise ValueError(f'{name} is a number from 0 to {most:g}; found {value!r:.40}')
    return value


def finite(name: str, numbers: Any) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return numbers in 32 bits.

    Raises:
        ValueError: one of them is no number, or beyond all measure in m or rad.
    """
    found = np.asarray(numbers)
    if found.dtype.kind not in 'fiu' or not (np.abs(found) <= MOST).all():
        raise ValueError(f'{name} holds what is no number from -{MOST:g} to {MOST:g}')
    return found.astype(np.float32)


def pixels(name: str, numbers: Any) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return RGB pixels unchanged, (…, 3) uint8.

    Raises:
        ValueError: they are not three bytes a pixel.
    """
    found = np.asarray(numbers)
    if found.dtype != np.uint8 or found.shape[-1:] != (3,):
        raise ValueError(f'{name} holds {found.dtype} of {found.shape}; three bytes a pixel were expected')
    return found

"""What the bench sends, read with care, and what all example servers need to turn it into the input of a model.

It needs numpy alone and nothing of the bench, so it can be copied into the environment of a model.
"""

import hashlib
import math
import re
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

COLUMNS = 7
"""Numbers of a row of `delta_pose_tenths`: dx dy dz (0.1 m), rotation vector (0.1 rad), gripper (−1 releases, +1 sucks or closes)."""
IMAGES, TASK, PICTURE, ROLES = 'observation.images.', 'task', 'prompt/image_', 'prompt/roles'
CLIP_MEAN = np.array((0.48145466, 0.4578275, 0.40821073), np.float32)
CLIP_STD = np.array((0.26862954, 0.26130258, 0.27577711), np.float32)
"""Mean and deviation of each color by which CLIP's picture encoder normalises, as shares of 255."""
CLIP_SIDE = 224
LONGEST = 4096
"""Pixels along a side of a picture: the memory to scale it grows with each side."""
_MARKER = re.compile(r'<image (\d+)>')


class FormatError(ValueError):
    """A message or an input does not have the form that it must have. The text says what was asked and what was found."""


@dataclass(frozen=True)
class Seen:
    """One observation of the bench.

    Attributes:
        views: (height, width, 3) uint8 RGB of each camera that the model sees, in the order of their names.
        words: the instruction; `<image 1>` stands for the first picture.
        pictures: of the instruction, (height, width, 3) uint8 RGB each.
    """

    views: tuple[Array, ...]
    words: str
    pictures: tuple[Array, ...] = ()

    def asks_like(self, other: 'Seen') -> bool:
        """Return whether the instruction is the same, to the last pixel."""
        same = self.words == other.words and len(self.pictures) == len(other.pictures)
        return same and all(np.array_equal(mine, its) for mine, its in zip(self.pictures, other.pictures, strict=True))

    def parts(self) -> list[str | Array]:
        """Return the instruction as words and pictures in their order. Pictures that no word names follow at the end."""
        found: list[str | Array] = []
        named = set()
        for number, text in enumerate(_MARKER.split(self.words)):
            if number % 2 == 0:
                found += [text.strip()] if text.strip() else []
                continue
            index = int(text)
            if not 1 <= index <= len(self.pictures):
                raise FormatError(f'{TASK} names <image {index}>; found {len(self.pictures)} pictures. Send {PICTURE}{index}.')
            named.add(index)
            found.append(self.pictures[index - 1])
        return found + [picture for index, picture in enumerate(self.pictures, start=1) if index not in named]


def read(told: Any, cameras: Sequence[str]) -> Seen:
    """Return an observation that was sent with `--observation export`.

    Args:
        told: the message, a map.
        cameras: names of the cameras that the model sees.

    Raises:
        FormatError: something is missing, or has another form.
    """
    if not isinstance(told, Mapping):
        raise FormatError(f'An observation is a map; found {type(told).__name__}. Send what --observation export describes.')
    check_names('The observation', told, required=(*(IMAGES + name for name in cameras), TASK), only=False)
    words = told[TASK]
    if not isinstance(words, str) or not words.strip():
        raise FormatError(f'{TASK} is the instruction in words; found {words!r:.60}. Send a text that is not empty.')
    count = sum(isinstance(name, str) and name.startswith(PICTURE) for name in told)
    names = [f'{PICTURE}{number}' for number in range(1, count + 1)]
    check_names('The observation', told, required=names, only=False)
    roles = told.get(ROLES, names)
    if not isinstance(roles, Sequence) or len(roles) != count:
        raise FormatError(f'{ROLES} holds a role for each of {count} pictures; found {roles!r:.60}. Send as many roles as pictures.')
    views = tuple(_picture(told, IMAGES + name) for name in cameras)
    seen = Seen(views, words, tuple(_picture(told, name) for name in names))
    seen.parts()
    return seen


def _picture(told: Mapping[Any, Any], name: str) -> Array:
    found = check(name, told[name], shape=(None, None, 3), dtype='uint8')
    if max(found.shape) > LONGEST:
        raise FormatError(
            f'{name} has at most {LONGEST} pixels along a side; found {found.shape[1]} x {found.shape[0]}. Send a smaller one.'
        )
    return found


def check_names(what: str, given: Mapping[Any, Any], *, required: Collection[str], only: bool = True) -> None:
    """Check that a map holds all required names, and with `only` no others.

    Raises:
        FormatError: a name is missing, or is not known.
    """
    missing = [name for name in required if name not in given]
    if missing:
        raise FormatError(f'{what} lacks {", ".join(missing)}; found {", ".join(map(str, given)) or "nothing"}. Send all of them.')
    more = [str(name) for name in given if name not in required]
    if only and more:
        raise FormatError(f'{what} takes {", ".join(required)}; found {", ".join(more)} as well. Leave that out.')


def check(name: str, value: Any, *, shape: Sequence[int | None], dtype: str, limits: tuple[float, float] | None = None) -> Array:
    """Return an array if it is what a model takes.

    Args:
        name: of the array, for the message.
        value: the array.
        shape: its shape; None for any length from 1.
        dtype: name of its type.
        limits: least and greatest value; None for any that is finite.

    Raises:
        FormatError: it is something else.
    """
    wanted = f'{name} is an array of {dtype} of shape ({", ".join("n" if side is None else str(side) for side in shape)})'
    if not isinstance(value, np.ndarray):
        raise FormatError(f'{wanted}; found {type(value).__name__}. Send an array.')
    fits = value.ndim == len(shape) and all(b == a or (a is None and b > 0) for a, b in zip(shape, value.shape, strict=True))
    if not fits or value.dtype.name != dtype:
        raise FormatError(f'{wanted}; found {value.dtype.name} of shape {value.shape}. Send that shape and type.')
    low, high = limits or (-np.inf, np.inf)
    if not np.isfinite(value).all() or value.min() < low or value.max() > high:
        raise FormatError(
            f'{name} lies within {low:g} and {high:g}; found {value.min():g} to {value.max():g}. Normalise it as the model does.'
        )
    return value


def rows(values: Any) -> Array:
    """Return rows of `delta_pose_tenths`, (n, 7) float32, clipped to ±1.

    Raises:
        FormatError: the model answered something else.
    """
    found = np.atleast_2d(np.asarray(values, np.float32))
    clipped: Array = np.clip(check('The action of the model', found, shape=(None, COLUMNS), dtype='float32'), -1.0, 1.0)
    return clipped


def resized(picture: Array, height: int, width: int) -> Array:
    """Return a picture of another size, (height, width, channels) uint8. Each pixel is the mean of the area that it covers."""
    if picture.shape[:2] == (height, width):
        return picture
    down, across = _shares(picture.shape[0], height), _shares(picture.shape[1], width)
    mean = np.einsum('ij,jkc,lk->ilc', down, picture.astype(np.float32), across, optimize=True)
    small: Array = np.clip(np.rint(mean), 0, 255).astype(np.uint8)
    return small


def _shares(old: int, new: int) -> Array:
    """Return the share of each old pixel in each new one, (new, old) float32."""
    edges, first = np.linspace(0.0, old, new + 1), np.arange(old)
    overlap = np.minimum(edges[1:, None], first + 1) - np.maximum(edges[:-1, None], first)
    shares: Array = (np.clip(overlap, 0.0, None) * new / old).astype(np.float32)
    return shares


def sheet(pictures: Sequence[Array], height: int, width: int) -> Array:
    """Return pictures side by side on one, row by row, (height, width, 3) uint8. One picture fills it; empty cells are black."""
    side = math.ceil(math.sqrt(len(pictures)))
    cell = (height // side, width // side)
    found = np.zeros((height, width, 3), np.uint8)
    for number, picture in enumerate(pictures):
        top, left = (number // side) * cell[0], (number % side) * cell[1]
        found[top : top + cell[0], left : left + cell[1]] = resized(picture, *cell)
    return found


def clip_pixels(picture: Array) -> Array:
    """Return a picture as CLIP's encoder takes it: the middle square, (3, 224, 224) float32, normalised by color."""
    side = min(picture.shape[:2])
    top, left = (picture.shape[0] - side) // 2, (picture.shape[1] - side) // 2
    square = resized(picture[top : top + side, left : left + side], CLIP_SIDE, CLIP_SIDE)
    return np.ascontiguousarray(((square.astype(np.float32) / 255.0 - CLIP_MEAN) / CLIP_STD).transpose(2, 0, 1))


def token_ids(text: str, vocabulary: int) -> list[int]:
    """Return a number below `vocabulary` for each word: a tokenizer for models that were never trained."""
    return [zlib.crc32(word.encode()) % vocabulary for word in text.split()]


def drawn(shape: tuple[int, ...], *inputs: Array) -> Array:
    """Return normal numbers that the inputs alone decide, float32: the weights and answer of a random model in one."""
    digest = hashlib.blake2b(digest_size=16)
    for given in inputs:
        digest.update(repr((given.shape, given.dtype.str)).encode())
        digest.update(np.ascontiguousarray(given).tobytes())
    return np.random.default_rng(int.from_bytes(digest.digest(), 'big')).normal(size=shape).astype(np.float32)

"""Episodes to imitate, as `vlm-bench export numpy --action joints --fps 20` writes them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count, takewhile
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vlm_bench_baselines.data import Data, Example, Source, finite, known, pixels
from vlm_bench_sim.core.prompts import image_key
from vlm_bench_sim.core.timing import PERIOD_S

SPACE = 'joints'
"""The action space of the rows (`vlm_bench_tasks.actions`)."""

FPS = round(1 / PERIOD_S)
"""Rows a second: one for each control period."""

PROMPT_SIDE = 48
"""Pixels along a side of the pictures of an instruction."""

_PICTURES = 'observation.images.'

Pixels = NDArray[np.uint8]
Numbers = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Shown(Example):
    """An episode that was shown.

    Attributes:
        pictures: (frames, cameras, side, side, 3) uint8 RGB.
        state: (frames, joints) measured positions, rad.
        asked: (frames, joints) commanded positions at the end of each control period, rad.
        grip: (frames,) the gripper's last command, m or 0 and 1.
        prompt: (pictures, PROMPT_SIDE, PROMPT_SIDE, 3) uint8 RGB, those of the instruction.
    """

    pictures: Pixels
    state: Numbers
    asked: Numbers
    grip: Numbers
    prompt: Pixels


@dataclass(frozen=True)
class Setting:
    """What all episodes of a training have in common.

    Attributes:
        cameras: their names, in order.
        width, height: of their pictures, pixels.
        joints: names of the arm's joints.
    """

    cameras: tuple[str, ...]
    width: int
    height: int
    joints: tuple[str, ...]


BcZData = Data[Shown, Setting]
"""Episodes, and what they have in common."""


def scaled(pictures: Mapping[str, Pixels], side: int) -> Pixels:
    """Return one picture of each camera, in the order of the names, as (cameras, side, side, 3) uint8."""
    return np.stack([cv2.resize(pictures[name], (side, side), interpolation=cv2.INTER_AREA) for name in sorted(pictures)]).astype(np.uint8)


def prompts(pictures: Sequence[Pixels]) -> Pixels:
    """Return the pictures of an instruction, scaled, as (pictures, PROMPT_SIDE, PROMPT_SIDE, 3) uint8."""
    size = (PROMPT_SIDE, PROMPT_SIDE)
    return np.array([cv2.resize(one, size, interpolation=cv2.INTER_AREA) for one in pictures], np.uint8).reshape(-1, *size, 3)


def episodes(side: int) -> Source[Shown, Setting]:
    """Return files with episodes, whose pictures are scaled to squares of so many pixels."""
    return Source('episodes', f'vlm-bench export numpy --action {SPACE} --fps {FPS}', partial(_read, side))


def _read(side: int, about: Mapping[str, Any], file: Any) -> tuple[Setting, list[Shown]]:
    if (about['action'], about['fps']) != (SPACE, FPS):
        raise ValueError(f'actions are {about["action"]} at {about["fps"]} frames a second')
    cameras = sorted(name.removeprefix(_PICTURES) for name in file.files if name.startswith(_PICTURES))
    if not cameras:
        raise ValueError('there are no pictures')
    pictures = {name: pixels(name, file[_PICTURES + name]) for name in cameras}
    prompt = prompts([pixels(key, file[key]) for key in takewhile(file.files.__contains__, map(image_key, count(1)))])
    rows, state = (finite(name, file[name]) for name in ('action', 'observation.state'))
    joints = tuple(about['names']['action'][:-1])
    height, width = pictures[cameras[0]].shape[1:3]
    frames = np.stack([scaled(one, side) for one in _moments(pictures)])
    if not len(frames) == len(rows) == len(state) or rows.shape[1] != len(joints) + 1 or state.shape[1] < len(joints):
        raise ValueError(f'{len(frames)} pictures do not belong to rows of {rows.shape} and states of {state.shape}')
    one = Shown(*known(about['bag']), frames, state[:, : len(joints)], rows[:, :-1], rows[:, -1], prompt)
    return Setting(tuple(cameras), width, height, joints), [one]


def _moments(pictures: Mapping[str, Pixels]) -> Iterator[dict[str, Pixels]]:
    for frame in range(min(len(of) for of in pictures.values())):
        yield {name: of[frame] for name, of in pictures.items()}

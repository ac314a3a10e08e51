"""Episodes to imitate, as `vlm-bench export numpy --action joints --fps 20` writes them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, takewhile
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import cv2
import numpy as np
from numpy.typing import NDArray

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.prompts import image_key
from vlm_bench_sim.core.timing import PERIOD_S

SPACE = 'joints'
"""The action space of the rows (`vlm_bench_tasks.actions`)."""

PROMPT_SIDE = 48
"""Pixels along a side of the pictures of an instruction."""

_PICTURES = 'observation.images.'

Pixels = NDArray[np.uint8]
Numbers = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Shown:
    """An episode that was shown.

    Attributes:
        sentence: the instruction.
        task, axis: of the episode.
        seed: of the episode.
        pictures: (frames, cameras, side, side, 3) uint8 RGB.
        state: (frames, joints) measured positions, rad.
        asked: (frames, joints) commanded positions at the end of each control period, rad.
        grip: (frames,) the gripper's last command, m or 0 and 1.
        prompt: (pictures, PROMPT_SIDE, PROMPT_SIDE, 3) uint8 RGB, those of the instruction.
    """

    sentence: str
    task: str
    axis: str
    seed: int
    pictures: Pixels
    state: Numbers
    asked: Numbers
    grip: Numbers
    prompt: Pixels

    @property
    def key(self) -> tuple[str, str, int]:
        """Task, axis and seed."""
        return self.task, self.axis, self.seed


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


@dataclass(frozen=True)
class Data:
    """Episodes to learn from and to choose weights by.

    Attributes:
        train, validation: episodes.
        setting: what they have in common.
    """

    train: Sequence[Shown]
    validation: Sequence[Shown]
    setting: Setting


def scaled(pictures: Mapping[str, Pixels], side: int) -> Pixels:
    """Return one picture of each camera, in the order of the names, as (cameras, side, side, 3) uint8."""
    return np.stack([cv2.resize(pictures[name], (side, side), interpolation=cv2.INTER_AREA) for name in sorted(pictures)]).astype(np.uint8)


def prompts(pictures: Sequence[Pixels]) -> Pixels:
    """Return the pictures of an instruction, scaled, as (pictures, PROMPT_SIDE, PROMPT_SIDE, 3) uint8."""
    size = (PROMPT_SIDE, PROMPT_SIDE)
    return np.array([cv2.resize(one, size, interpolation=cv2.INTER_AREA) for one in pictures], np.uint8).reshape(-1, *size, 3)


def shown(folder: Path, side: int) -> tuple[list[Shown], Setting]:
    """Return the episodes in the files below a folder, sorted by path, and what they have in common.

    Raises:
        ConfigError: there are none, a file is damaged or was exported otherwise, or the robots or cameras differ.
    """
    found: list[Shown] = []
    settings: dict[Setting, Path] = {}
    for path in sorted(folder.rglob('*.npz')):
        one, setting = _read(path, side)
        settings.setdefault(setting, path)
        found.append(one)
    if len(settings) > 1:
        first, second = list(settings.values())[:2]
        raise ConfigError(f'{first} and {second} have different robots or cameras. Export those of one robot with the same cameras.')
    if not found:
        raise ConfigError(f'There are no episodes in {folder}. Make some with vlm-bench export numpy --action {SPACE} --fps 20.')
    return found, next(iter(settings))


def _read(path: Path, side: int) -> tuple[Shown, Setting]:
    try:
        with path.open('rb') as raw, np.load(raw, allow_pickle=False) as file:  # numpy leaves a damaged one open
            about: dict[str, Any] = json.loads(str(file['metadata']))
            if (about['action'], about['fps']) != (SPACE, round(1 / PERIOD_S)):
                raise ValueError(f'actions are {about["action"]} at {about["fps"]} frames a second')
            cameras = sorted(name.removeprefix(_PICTURES) for name in file.files if name.startswith(_PICTURES))
            if not cameras:
                raise ValueError('there are no pictures')
            pictures = {name: np.asarray(file[_PICTURES + name], np.uint8) for name in cameras}
            prompt = prompts([np.asarray(file[key], np.uint8) for key in takewhile(file.files.__contains__, map(image_key, count(1)))])
            rows, state = np.asarray(file['action'], np.float32), np.asarray(file['observation.state'], np.float32)
        joints = tuple(about['names']['action'][:-1])
        height, width = pictures[cameras[0]].shape[1:3]
        frames = np.stack([scaled(one, side) for one in _moments(pictures)])
        if not len(frames) == len(rows) == len(state) or rows.shape[1] != len(joints) + 1:
            raise ValueError(f'{len(frames)} pictures do not belong to rows of {rows.shape} and states of {state.shape}')
        bag = about['bag']
        one = Shown(
            bag['instruction'], bag['task'], bag.get('axis', ''), int(bag['seed']),
            frames, state[:, : len(joints)], rows[:, :-1], rows[:, -1], prompt,
        )  # fmt: skip
        return one, Setting(tuple(cameras), width, height, joints)
    except (OSError, EOFError, ValueError, KeyError, IndexError, TypeError, BadZipFile, cv2.error) as error:
        again = f'Export its bag again with vlm-bench export numpy --action {SPACE} --fps 20.'
        raise ConfigError(f'{path} holds no episode that can be read: {error!r:.200}. {again}') from error


def _moments(pictures: Mapping[str, Pixels]) -> Iterator[dict[str, Pixels]]:
    for frame in range(min(len(of) for of in pictures.values())):
        yield {name: of[frame] for name, of in pictures.items()}

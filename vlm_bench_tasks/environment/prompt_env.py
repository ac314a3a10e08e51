"""The observations that `prompt='pictures'` adds: the pictures of the instruction."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from vlm_bench_sim.core.camera import Picture
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.prompts import MOST_PICTURES, PICTURE_SIZE, PromptImage
from vlm_bench_tasks.environment.bench_env import Laid, Observation
from vlm_bench_tasks.environment.camera_env import CameraEnv
from vlm_bench_tasks.language.pictures import WORDS
from vlm_bench_tasks.run import Bench

_SHAPE = (MOST_PICTURES, *PICTURE_SIZE, 3)


class PromptEnv(CameraEnv):
    """A task that can be asked with pictures. Created by `gymnasium.make('vlm_bench/clevrskills-place-v0', prompt='pictures')`.

    Args:
        task: id of the task.
        prompt: how the policy is asked: 'words', 'pictures' or 'pictures,first_frame'; '': the first that the task has. With pictures,
            observations hold `prompt_images`, (10, 256, 256, 3) uint8 RGB, of which the first `prompt_count` are those of the instruction,
            in the order of their numbers; the others are black.
        reset_options: options of each reset that does not name others, such as {'purpose': 'test'}: for programs that reset without any.
        options: arguments of `CameraEnv`.

    Raises:
        VlmBenchError: the task cannot be asked so, or as in `CameraEnv`.
    """

    def __init__(self, task: str, *, prompt: str = '', reset_options: Mapping[str, Any] | None = None, **options: Any) -> None:
        self._prompt, self._reset_options = prompt, dict(reset_options or {})
        self._shown: tuple[tuple[PromptImage, ...], np.ndarray[Any, np.dtype[np.uint8]]] = ((), np.zeros(_SHAPE, np.uint8))
        super().__init__(task, **options)

    def _observation_space(self) -> spaces.Dict:
        seen = super()._observation_space()
        if self._prompt == WORDS:
            return seen
        more = {'prompt_images': spaces.Box(0, 255, _SHAPE, np.uint8), 'prompt_count': spaces.Discrete(MOST_PICTURES + 1)}
        return spaces.Dict({**seen.spaces, **more})

    def _seen(self, bench: Bench, laid: Laid, pictures: Mapping[str, Picture]) -> Observation:
        seen = super()._seen(bench, laid, pictures)
        if self._prompt == WORDS:
            return seen
        images = bench.prompt_images(laid.episode)
        if images is not self._shown[0]:
            self._shown = (images, _filled(images))
        return seen | {'prompt_images': self._shown[1].copy(), 'prompt_count': np.int64(len(images))}


def _filled(images: tuple[PromptImage, ...]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return the pictures as one array, padded with black ones."""
    filled = np.zeros(_SHAPE, np.uint8)
    for number, (row, image) in enumerate(zip(filled, images, strict=False), start=1):
        if image.color.shape != row.shape:
            height, width, _ = image.color.shape
            raise ConfigError(
                f'Picture {number} of the instruction has {width} x {height} pixels; prompt_images hold 256 x 256. Leave out its size.'
            )
        row[:] = image.color
    return filled

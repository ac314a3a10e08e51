"""Serves JAT (huggingface/jat): a transformer that reads a prompt, then pictures and actions in turn, and predicts the next action.

The released model embeds one kind of observation, so it gets the picture of the base camera and no joint positions, as in ClevrSkills'
paper. The instruction is read once by the part of the model that reads a picture and a text, and each answer continues from there. That
part takes one picture: those of the instruction are side by side on it.
"""

import argparse
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from examples.servers import serving
from examples.servers.formats import COLUMNS, Array, FormatError, Seen, check, check_names, clip_pixels, drawn, resized, sheet, token_ids
from examples.servers.serving import Episode, Maker

SIDE, PROMPT_SIDE = 84, 224
"""Height and width of the pictures that it observes, and of the picture in a prompt, pixels."""
CHANNELS = 4
"""Channels of the released encoder, which was made for four grey frames. A color picture has its own grey as the fourth."""
POSITIONS, VOCABULARY, PATCHES = 512, 50257, 196
"""Positions and words of the smallest published configuration, and tokens of a picture in the prompt."""
_INSTALL = 'Install huggingface/jat from a clone (pip install -e .), with PyTorch, torchvision and transformers.'


@dataclass(frozen=True)
class Jat:
    """JAT as the library has it.

    Attributes:
        processor: `JatProcessor`, or one that takes the same names.
        forward: `JatModel.forward`, or one that takes the same names.
        positions: greatest length of a sequence, tokens.
        channels: of the pictures, 3 or 4.
    """

    processor: Callable[..., Mapping[str, Any]]
    forward: Callable[..., Any]
    positions: int = POSITIONS
    channels: int = CHANNELS


class JatEpisode(Episode):
    """One episode of JAT. Observations and actions alternate, as far back as the model has positions."""

    def __init__(self, jat: Jat, base: str) -> None:
        super().__init__(base)
        self._jat = jat

    def begin(self, seen: Seen) -> None:
        """Read the prompt, and keep what the model computed of it."""
        shown = {'images': sheet(seen.pictures, PROMPT_SIDE, PROMPT_SIDE)} if seen.pictures else {}
        processed = self._jat.processor(text=seen.words, **shown, return_tensors='pt')
        self._past = _layers(self._jat.forward(**processed, use_cache=True, return_loss=False).past_key_values)
        length = self._past[0][0].shape[-2]
        window = (self._jat.positions - length) // 2
        if window < 1:
            asked = f'The prompt has {length} tokens, and the model has {self._jat.positions} positions'
            raise FormatError(f'{asked}; an observation and an action need 2. Ask in fewer words, or with --prompt words.')
        self._frames, self._actions = deque[Array](maxlen=window), deque[list[float]](maxlen=window)

    def step(self, seen: Seen) -> list[float]:
        """Return the action that follows the last picture; a row of zeros stands in its place."""
        self._frames.append(observed(seen.views[0], self._jat.channels))
        self._actions.append([0.0] * COLUMNS)
        processed = self._jat.processor(
            image_observations=[list(self._frames)],
            continuous_actions=[list(self._actions)],
            rewards=[[0.0] * len(self._frames)],
            return_tensors='pt',
        )
        predicted = self._jat.forward(**processed, past_key_values=self._past, return_loss=False).pred_actions
        self._actions[-1] = [float(number) for number in predicted[0, -1]]
        return self._actions[-1]


def observed(picture: Array, channels: int) -> Array:
    """Return a picture as JAT observes it: (84, 84, channels) uint8, RGB and, as the fourth, grey."""
    small = resized(picture, SIDE, SIDE)
    grey = np.rint(small @ np.array([0.299, 0.587, 0.114])).astype(np.uint8)
    return np.dstack([small, grey])[..., :channels]


def _layers(past: Any) -> tuple[tuple[Any, ...], ...]:
    """Return keys and values of each layer as tuples: newer versions of transformers would go on writing into their own object."""
    return tuple(tuple(layer[:2]) for layer in past)


def processed_at_random(**given: Any) -> dict[str, Array]:
    """Process as `JatProcessor` does, to arrays. Words become numbers without a tokenizer's file."""
    found: dict[str, Array] = {}
    given.pop('return_tensors')
    if 'text' in given:
        found['input_ids'] = np.array([token_ids(given['text'], VOCABULARY)])
    if 'images' in given:
        found['pixel_values'] = clip_pixels(given['images'])[None]
    if 'image_observations' in given:
        frames = np.array(given['image_observations'])
        check('image_observations', frames, shape=(1, None, SIDE, SIDE, CHANNELS), dtype='uint8')
        found['image_observations'] = (frames.transpose(0, 1, 4, 2, 3).astype(np.float32) / 255.0 - 0.5) / 0.5
    return found | {name: np.array(given[name], np.float32) for name in ('continuous_actions', 'rewards') if name in given}


def forward_at_random(past_key_values: Any = None, *, use_cache: bool = False, return_loss: bool = True, **given: Any) -> Any:
    """Answer as `JatModel.forward` does: random actions in ±1, or keys and values of a prompt, decided by the input alone.

    Raises:
        FormatError: the model would not take the input.
    """
    if return_loss:
        raise FormatError('A forward pass for an answer needs return_loss=False: there is no true action to compare with.')
    past = np.zeros((1, 1, 0, 1), np.float32) if past_key_values is None else past_key_values[0][0]
    if 'input_ids' in given or 'pixel_values' in given:
        return SimpleNamespace(past_key_values=_prompt_at_random(given) if use_cache else None)
    check_names('JAT', given, required=('image_observations', 'continuous_actions', 'rewards'))
    frames = check(
        'image_observations', given['image_observations'], shape=(1, None, CHANNELS, SIDE, SIDE), dtype='float32', limits=(-1, 1)
    )
    count = frames.shape[1]
    actions = check('continuous_actions', given['continuous_actions'], shape=(1, count, COLUMNS), dtype='float32')
    check('rewards', given['rewards'], shape=(1, count), dtype='float32')
    if past.shape[-2] + 2 * count > POSITIONS:
        raise FormatError(f'JAT has {POSITIONS} positions; found {past.shape[-2] + 2 * count} tokens. Leave out the oldest observations.')
    return SimpleNamespace(pred_actions=np.tanh(drawn((1, count, COLUMNS), past, frames, actions)), past_key_values=None)


def _prompt_at_random(given: Mapping[str, Array]) -> tuple[tuple[Array, Array], ...]:
    check_names('A prompt of JAT', given, required=('input_ids', *(['pixel_values'] if 'pixel_values' in given else [])))
    read = [check('input_ids', given['input_ids'], shape=(1, None), dtype='int64', limits=(0, VOCABULARY - 1))]
    count = read[0].shape[1]
    if 'pixel_values' in given:
        read.append(check('pixel_values', given['pixel_values'], shape=(1, 3, PROMPT_SIDE, PROMPT_SIDE), dtype='float32', limits=(-3, 3)))
        count += PATCHES
    keys = drawn((1, 1, count, 1), *read)
    return ((keys, keys),)


def loaded(checkpoint: str) -> Jat:
    """Return the model of a checkpoint.

    Raises:
        MissingLibraryError: its library is not installed.
    """
    models, processors = (serving.library(f'jat.{name}', _INSTALL) for name in ('modeling_jat', 'processing_jat'))
    torch = serving.library('torch', _INSTALL)
    device = 'cuda' if torch.cuda.is_available() else 'cpu'
    model = models.JatModel.from_pretrained(checkpoint).to(device).eval()
    process = processors.JatProcessor.from_pretrained(checkpoint)

    def forward(**given: Any) -> Any:
        with torch.no_grad():
            return model(**given)

    channels = model.image_encoder.module.conv1.in_channels
    return Jat(lambda **given: process(**given).to(device), forward, model.config.max_position_embeddings, channels)


def maker(asked: argparse.Namespace) -> Maker:
    """Return what makes episodes with the model that the options name."""
    jat = Jat(processed_at_random, forward_at_random) if asked.random else loaded(asked.checkpoint)
    return lambda: JatEpisode(jat, asked.base)


if __name__ == '__main__':
    serving.run(serving.options(__doc__), maker)

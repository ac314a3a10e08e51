"""Serves Octo (octo-models/octo): a diffusion policy that sees the last moments of two cameras, and is asked in words or by a goal picture.

Octo has no place for a picture inside of a sentence. The pictures of an instruction, side by side on one, are its goal picture;
the picture of a key step alone is exactly that. With `--prompt words` it is asked in words alone.
"""

import argparse
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from examples.servers import serving
from examples.servers.formats import COLUMNS, Array, FormatError, Seen, check, check_names, drawn, resized, sheet, token_ids
from examples.servers.serving import Episode, Maker

PRIMARY, WRIST, MASK = 'image_primary', 'image_wrist', 'timestep_pad_mask'
WINDOW, HORIZON, TOKENS, VOCABULARY = 2, 4, 16, 32128
"""Moments seen, rows answered, tokens of a sentence, and words of its tokenizer (T5), in the released configuration."""
SIDES = {PRIMARY: 256, WRIST: 128}
"""Height and width of its pictures, pixels."""
GREATEST = 5.0
"""Greatest absolute value of an action before it is scaled by the statistics."""
_INSTALL = 'Install octo-models/octo from a clone (pip install -e . and its requirements.txt), with JAX.'


@dataclass(frozen=True)
class Octo:
    """Octo as the library has it.

    Attributes:
        model: `OctoModel`, or one with the same methods and the same `example_batch`.
        statistics: of the actions of its data, `mean`, `std` and `mask`, by which answers are scaled.
        key: returns the random key of a number.
    """

    model: Any
    statistics: Mapping[str, Any]
    key: Callable[[int], Any]


class OctoEpisode(Episode):
    """One episode of Octo."""

    def __init__(self, octo: Octo, *cameras: str) -> None:
        super().__init__(*cameras)
        self._octo, self._example = octo, octo.model.example_batch

    def begin(self, seen: Seen) -> None:
        """Make the task of words and, if there are pictures, of a goal picture."""
        goals = None
        if seen.pictures and PRIMARY in self._example['task']:
            goals = {PRIMARY: sheet(seen.pictures, *self._example['task'][PRIMARY].shape[1:3])[None]}
        self._task = self._octo.model.create_tasks(goals=goals, texts=[seen.words])
        self._moments: deque[dict[str, Array]] = deque(maxlen=self._example['observation'][MASK].shape[1])
        self._asked = 0

    def step(self, seen: Seen) -> Array:
        """Return as many rows as the model plans ahead."""
        example = self._example['observation']
        views = {name: view for name, view in zip(SIDES, seen.views, strict=True) if name in example}
        now = {name: resized(view, *example[name].shape[2:4]) for name, view in views.items()}
        self._moments.append(now)
        missing = (self._moments.maxlen or 1) - len(self._moments)
        shown = [*[self._moments[0]] * missing, *self._moments]
        window = {name: np.stack([moment[name] for moment in shown])[None] for name in now}
        window[MASK] = np.array([[False] * missing + [True] * len(self._moments)])
        self._asked += 1
        answer = self._octo.model.sample_actions(
            window, self._task, unnormalization_statistics=self._octo.statistics, rng=self._octo.key(self._asked)
        )
        rows: Array = np.asarray(answer, np.float32)[0]
        return rows


class RandomOcto:
    """A model without weights that takes and answers what Octo does. The input alone decides its answers."""

    def __init__(self) -> None:
        pictures = {name: np.zeros((1, WINDOW, side, side, 3), np.uint8) for name, side in SIDES.items()}
        goals = {name: picture[:, 0] for name, picture in pictures.items()}
        words = {name: np.zeros((1, TOKENS), np.int64) for name in ('input_ids', 'attention_mask')}
        self.example_batch: dict[str, Any] = {
            'observation': {**pictures, MASK: np.ones((1, WINDOW), bool)},
            'task': {**goals, 'language_instruction': words},
        }

    def create_tasks(self, *, goals: Mapping[str, Array] | None = None, texts: list[str] | None = None) -> dict[str, Any]:
        """Return a task of goal pictures, (1, side, side, 3) uint8 each, of one text, or of both."""
        if goals is None and texts is None:
            raise FormatError('A task of Octo needs goals or texts; found neither. Give one of them.')
        given = {} if goals is None else dict(goals)
        check_names('A goal of Octo', dict.fromkeys(SIDES) | given, required=SIDES)
        for name, picture in given.items():
            check(name, picture, shape=(1, SIDES[name], SIDES[name], 3), dtype='uint8')
        blank = {name: self.example_batch['task'][name] for name in SIDES if goals is None}
        ids = token_ids((texts or [''])[0], VOCABULARY)[:TOKENS]
        padding = [0] * (TOKENS - len(ids))
        words = {'input_ids': np.array([ids + padding]), 'attention_mask': np.array([[1] * len(ids) + padding])}
        there = {name: np.array([name in given]) for name in (*given, *blank)}
        return {
            **given,
            **blank,
            'language_instruction': words,
            'pad_mask_dict': {**there, 'language_instruction': np.array([bool(texts)])},
        }

    def sample_actions(self, observations: Mapping[str, Array], tasks: Mapping[str, Any], **more: Any) -> Array:
        """Return (1, 4, 7) float32 actions, scaled by `unnormalization_statistics` if they are given.

        Raises:
            FormatError: the model would not take the input.
        """
        check_names('An observation of Octo', observations, required=(*SIDES, MASK))
        check_names('Octo', more, required=('unnormalization_statistics', 'rng'))
        mask = check(MASK, observations[MASK], shape=(1, None), dtype='bool')
        if mask.shape[1] > WINDOW or not mask[0, -1]:
            raise FormatError(f'Octo sees up to {WINDOW} moments, the last of which is no padding; found {mask.tolist()}.')
        views = [check(name, observations[name], shape=(1, mask.shape[1], side, side, 3), dtype='uint8') for name, side in SIDES.items()]
        check_names('A task of Octo', tasks, required=('language_instruction', 'pad_mask_dict'), only=False)
        words = tasks['language_instruction']
        ids = check('input_ids', words['input_ids'], shape=(1, TOKENS), dtype='int64', limits=(0, VOCABULARY - 1))
        goals = [tasks[name] for name in SIDES if name in tasks]
        unscaled = np.clip(drawn((1, HORIZON, COLUMNS), mask, *views, ids, *goals), -GREATEST, GREATEST)
        scale = more['unnormalization_statistics']
        scaled: Array = np.where(scale['mask'], unscaled * scale['std'] + scale['mean'], unscaled).astype(np.float32)
        return scaled


def random_octo() -> Octo:
    """Return a random model whose rows move about 2 cm and 0.02 rad; its gripper's number is not scaled, as in Octo's data."""
    mask = np.array([True] * (COLUMNS - 1) + [False])
    return Octo(RandomOcto(), {'mean': np.zeros(COLUMNS), 'std': np.full(COLUMNS, 0.2), 'mask': mask}, lambda number: number)


def loaded(checkpoint: str, dataset: str) -> Octo:
    """Return the model of a checkpoint, and the statistics of one of its data sets; '' for a model that was fine-tuned on one.

    Raises:
        MissingLibraryError: its library is not installed.
    """
    models, random = (serving.library(name, _INSTALL) for name in ('octo.model.octo_model', 'jax.random'))
    model = models.OctoModel.load_pretrained(checkpoint)
    found = model.dataset_statistics
    check_names('The statistics of the checkpoint', found, required=[dataset or 'action'], only=False)
    return Octo(model, found[dataset]['action'] if dataset else found['action'], random.PRNGKey)


def maker(asked: argparse.Namespace) -> Maker:
    """Return what makes episodes with the model that the options name."""
    octo = random_octo() if asked.random else loaded(asked.checkpoint, asked.dataset)
    return lambda: OctoEpisode(octo, asked.base, asked.hand)


if __name__ == '__main__':
    parser = serving.options(__doc__)
    parser.add_argument('--dataset', default='', help='the data set whose statistics scale the actions, if the model knows several')
    serving.run(parser, maker)

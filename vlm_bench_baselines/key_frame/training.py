"""Training of the key-frame policy: batches, averaged weights, validation, and going on where it was stopped."""

import copy
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import cos, pi
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
from pydantic import Field, model_validator

from vlm_bench_baselines import checkpoint
from vlm_bench_baselines.demonstrations import Demonstration, Survey
from vlm_bench_baselines.key_frame.batches import Batch, batch
from vlm_bench_baselines.key_frame.maps import inside, varied
from vlm_bench_baselines.key_frame.network import Network
from vlm_bench_baselines.key_frame.scoring import Quality, loss, quality
from vlm_bench_baselines.key_frame.settings import NetworkSettings, TrainingSettings
from vlm_bench_baselines.words import Vocabulary
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.fusion import Plot

KIND = 'key_frame'
BEST, LAST, CURVE = 'best.safetensors', 'last.safetensors', 'curve.jsonl'
MOST_PIXELS = 1 << 22
"""Of a map; a card from elsewhere cannot ask for more."""

_WARM = 0.03  # share of the steps over which the learning rate rises
_CLIP = 1.0  # greatest norm of a gradient
_MIXED = 1_000_003  # so that batches of neighbouring steps have unrelated streams


class KeyFrameCard(checkpoint.Card):
    """What a key-frame policy is.

    Attributes:
        network, training: settings.
        words: the vocabulary.
        low, high, pixel, below: the plot of its maps (`core.fusion.Plot`).
        cameras: that made the maps.
        width, height: of their pictures, pixels.
        tasks: ids of the tasks that it was trained on.
        seeds: lowest and highest seed of the training data.
        carries: number of demonstrations for training and for validation.
        step: number of batches that these weights have seen.
    """

    network: NetworkSettings
    training: TrainingSettings
    words: tuple[str, ...]
    low: tuple[float, float, float]
    high: tuple[float, float, float]
    pixel: float
    below: float
    cameras: str
    width: int
    height: int
    tasks: tuple[str, ...]
    seeds: tuple[int, int]
    carries: tuple[int, int]
    step: Annotated[int, Field(ge=0)] = 0

    @model_validator(mode='after')
    def _can_be_drawn(self) -> 'KeyFrameCard':
        rows, columns = self.plot.shape
        if rows * columns > MOST_PIXELS:
            raise ValueError(f'a map of {rows} x {columns} pixels is larger than {MOST_PIXELS}')
        return self

    @property
    def plot(self) -> Plot:
        """What a map covers."""
        return Plot(self.low, self.high, self.pixel, self.below)


@dataclass(frozen=True)
class Data:
    """Demonstrations to learn from and to choose weights by.

    Attributes:
        train, validation: demonstrations.
        survey: how their maps were made.
    """

    train: Sequence[Demonstration]
    validation: Sequence[Demonstration]
    survey: Survey


class Training:
    """Trains a network, one step at a time.

    Args:
        data: what to learn from.
        network: size of the network.
        settings: how to train.

    Raises:
        ConfigError: a demonstration for training lies outside its map.
    """

    def __init__(self, data: Data, *, network: NetworkSettings, settings: TrainingSettings) -> None:
        self._data, self._settings, self._plot = data, settings, data.survey.plot
        for one in (*data.train, *data.validation):
            if not (inside(self._plot, one.pick) and inside(self._plot, one.place)):
                raise ConfigError(f'{one.task} with seed {one.seed} takes or leaves a thing outside its map. Export maps of a larger plot.')
        torch.manual_seed(settings.seed)
        self._vocabulary = Vocabulary.of(one.sentence for one in data.train)
        self._network = Network(network, self._vocabulary.size)
        self._average = copy.deepcopy(self._network).eval()
        self._optimizer = torch.optim.AdamW(self._network.parameters(), lr=settings.rate, weight_decay=settings.decay)
        self._sizes = network
        self._validation = [self._batch(data.validation[i : i + 64]) for i in range(0, len(data.validation), 64)]
        self.step = 0

    def card(self, found: Quality) -> KeyFrameCard:
        """Return the card of the present weights."""
        train, survey, plot = self._data.train, self._data.survey, self._plot
        return KeyFrameCard(
            kind=KIND, data='expert of vlm_bench', score=asdict(found),
            network=self._sizes, training=self._settings, words=self._vocabulary.words,
            low=plot.low, high=plot.high, pixel=plot.pixel, below=plot.below,
            cameras=survey.cameras, width=survey.width, height=survey.height,
            tasks=tuple(sorted({one.task for one in train})), seeds=(min(one.seed for one in train), max(one.seed for one in train)),
            carries=(len(train), len(self._data.validation)), step=self.step,
        )  # fmt: skip

    def advance(self) -> float:
        """Take one step, and return the loss of its batch."""
        settings = self._settings
        chance = np.random.default_rng(settings.seed * _MIXED + self.step)
        chosen = chance.choice(len(self._data.train), settings.batch, replace=len(self._data.train) < settings.batch)
        shown = [varied(self._data.train[i], self._plot, settings=settings, chance=chance) for i in chosen]
        for group in self._optimizer.param_groups:
            group['lr'] = settings.rate * self._rate()
        self._network.train()
        found = loss(self._network, self._batch(shown))
        self._optimizer.zero_grad()
        found.backward()
        torch.nn.utils.clip_grad_norm_(self._network.parameters(), _CLIP)
        self._optimizer.step()
        self.step += 1
        self._follow()
        return float(found.detach())

    def validate(self) -> Quality:
        """Return how good the averaged weights are on the demonstrations for validation."""
        return quality(self._average, self._validation, self._plot.pixel)

    def save(self, path: Path, found: Quality) -> None:
        """Write the averaged weights in half precision, with their card."""
        checkpoint.save(path, self._average.state_dict(), self.card(found), half=True)

    def _rate(self) -> float:
        """Return the learning rate of this step as a share of the highest."""
        done, warm = self.step / self._settings.steps, _WARM
        return (self.step + 1) / (warm * self._settings.steps + 1) if done < warm else 0.5 + 0.5 * cos(pi * (done - warm) / (1 - warm))

    @torch.no_grad()
    def _follow(self) -> None:
        """Move the averaged weights towards the present ones; at first faster, so that they forget where they began."""
        kept = min(self._settings.average, (1 + self.step) / (10 + self.step))
        for mean, now in zip(self._average.parameters(), self._network.parameters(), strict=True):
            mean.lerp_(now, 1.0 - kept)

    def _batch(self, found: Sequence[Demonstration]) -> Batch:
        return batch(found, self._plot, self._vocabulary, blank=self._settings.blank)

    def state(self) -> dict[str, torch.Tensor]:
        """Return everything that `restore` needs to go on, by name."""
        found = {f'network.{name}': one for name, one in self._network.state_dict().items()}
        found |= {f'average.{name}': one for name, one in self._average.state_dict().items()}
        for number, of in self._optimizer.state_dict()['state'].items():
            found |= {f'optimizer.{number}.{name}': one for name, one in of.items()}
        return {name: one.clone() for name, one in found.items()}

    def restore(self, weights: dict[str, torch.Tensor], step: int) -> None:
        """Go on from a state."""
        parts: dict[str, dict[str, torch.Tensor]] = {'network': {}, 'average': {}, 'optimizer': {}}
        for name, one in weights.items():
            part, _, rest = name.partition('.')
            parts[part][rest] = one
        self._network.load_state_dict(parts['network'])
        self._average.load_state_dict(parts['average'])
        whole = self._optimizer.state_dict()
        for name, one in parts['optimizer'].items():
            number, _, of = name.partition('.')
            whole['state'].setdefault(int(number), {})[of] = one
        self._optimizer.load_state_dict(whole)
        self.step = step


def train(data: Data, folder: Path, *, network: NetworkSettings, settings: TrainingSettings, told: Callable[[int, float], None]) -> Quality:
    """Train to the end, from where an earlier call in this folder stopped, and return the quality of the best weights.

    Args:
        data: what to learn from.
        folder: for the best and the last weights, and for the curve: a line of JSON for each validation.
        network: size of the network.
        settings: how to train.
        told: receives the number and the loss of each step.

    Raises:
        ConfigError: the folder holds another training, or cannot be written.
    """
    training = Training(data, network=network, settings=settings)
    best, lines = _resume(training, folder)
    losses: list[float] = []
    while best is None or training.step < settings.steps:
        losses.append(training.advance())
        told(training.step, losses[-1])
        if training.step % settings.every and training.step < settings.steps:
            continue
        found = training.validate()
        lines.append({'step': training.step, 'training_loss': round(sum(losses) / len(losses), 5), **asdict(found)})
        if best is None or _rank(found) > _rank(best):
            best = found
            training.save(folder / BEST, found)
        _write(folder / CURVE, lines)  # before the state: what is killed in between leaves a line too many, which is dropped
        checkpoint.save(folder / LAST, training.state(), training.card(best))
        losses.clear()
    return best


def _rank(found: Quality) -> tuple[float, float]:
    return found.both, -found.loss


def _resume(training: Training, folder: Path) -> tuple[Quality | None, list[dict[str, float]]]:
    """Restore the state of a stopped training, and return its best quality and its curve."""
    if not (folder / LAST).exists():
        return None, []
    weights, card = checkpoint.load(folder / LAST, KeyFrameCard)
    try:
        best = Quality(**card.score)
    except TypeError as error:
        raise _damaged(folder, error) from error
    if card.model_copy(update={'step': 0, 'score': {}}) != training.card(best).model_copy(update={'step': 0, 'score': {}}):
        raise ConfigError(f'{folder} holds another training: other data or other settings. Name another folder, or remove this one.')
    try:
        training.restore(weights, card.step)
        lines = [json.loads(line) for line in (folder / CURVE).read_text().splitlines()]
        return best, [line for line in lines if line['step'] <= card.step]
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise _damaged(folder, error) from error


def _damaged(folder: Path, error: Exception) -> ConfigError:
    return ConfigError(f'The training in {folder} cannot go on: {error!r:.200}. Name another folder, or remove this one.')


def _write(path: Path, lines: Sequence[dict[str, float]]) -> None:
    part = path.with_name(f'.{path.name}.part')
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(''.join(json.dumps(line) + '\n' for line in lines))
        part.replace(path)
    except OSError as error:
        raise ConfigError(f'{path} cannot be written: {error}. Name another place.') from error

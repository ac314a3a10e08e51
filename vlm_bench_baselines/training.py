"""Training of any baseline: steps, averaged weights, validation, and going on where it was stopped to the same bits."""

import copy
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from math import cos, isfinite, pi
from pathlib import Path
from typing import ClassVar

import numpy as np
import torch
from pydantic import ValidationError
from torch import Tensor, nn

from vlm_bench_baselines import checkpoint
from vlm_bench_baselines.cards import TrainedCard, TrainingSettings
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.evaluation.files import alone, write_whole

BEST, LAST, CURVE = 'best.safetensors', 'last.safetensors', 'curve.jsonl'
LOSS = 'loss'
"""Name of the mean loss among the scores on validation data."""

Scores = dict[str, float]

_WARM = 0.03  # share of the steps over which the learning rate rises
_MOMENTS = {'step', 'exp_avg', 'exp_avg_sq'}  # what AdamW keeps of each parameter
_CLIP = 1.0  # greatest norm of a gradient
_COPIES = 4  # of each number in a state: network, average and two moments of the optimizer
_MIXED = 1_000_003  # so that batches of neighbouring steps have unrelated streams


class Lesson(ABC):
    """What a kind of policy brings to its training: a network, batches and a measure.

    Attributes:
        shares: scores between 0 and 1 that a curve shows, by name, with what they are called there.
        network: with its initial weights.
        settings: how to train.
    """

    shares: ClassVar[Mapping[str, str]] = {}
    network: nn.Module
    settings: TrainingSettings

    @abstractmethod
    def loss(self, chance: np.random.Generator) -> Tensor:
        """Return the loss of the network on a batch that is drawn at random."""

    @abstractmethod
    def scores(self, network: nn.Module) -> Scores:
        """Return how good a network with averaged weights is on the validation data, by name; `LOSS` is one of the names."""

    @abstractmethod
    def card(self) -> TrainedCard:
        """Return the card, with no steps and no scores yet."""

    @staticmethod
    def rank(scores: Scores) -> tuple[float, ...]:
        """Return by what the best weights are chosen: the greater the better."""
        return (-scores[LOSS],)


class Training:
    """Trains the network of a lesson, one step at a time.

    Args:
        lesson: what to learn.
    """

    def __init__(self, lesson: Lesson) -> None:
        self._lesson, self._network = lesson, lesson.network
        self._average = copy.deepcopy(lesson.network).eval()
        settings = lesson.settings
        self._optimizer = torch.optim.AdamW(self._network.parameters(), lr=settings.rate, weight_decay=settings.decay)
        self._place = next(lesson.network.parameters()).device.type
        self.step = 0
        numbers = sum(one.numel() for one in self._network.parameters())
        if (needed := _COPIES * 4 * numbers) > checkpoint.MOST_STATE:
            raise ConfigError(
                f'A network of {numbers} numbers would keep {needed >> 20} MiB of state; {checkpoint.MOST_STATE >> 20} are allowed. '
                'Take a smaller one.'
            )

    def card(self, scores: Scores) -> TrainedCard:
        """Return the card of the present weights.

        Raises:
            ConfigError: the data hold what no card can say.
        """
        try:
            found = self._lesson.card()
        except ValidationError as error:
            wrong = error.errors()[0]
            told = f'{".".join(map(str, wrong["loc"]))} {wrong["input"]!r:.80}: {wrong["msg"]}'
            raise ConfigError(f'These data cannot be learned from: {told}. Leave that out.') from error
        threads = torch.get_num_threads() if self._place == 'cpu' else 0
        return found.model_copy(update={'step': self.step, 'score': scores, 'device': self._place, 'threads': threads})

    def advance(self) -> float:
        """Take one step, and return the loss of its batch."""
        settings = self._lesson.settings
        mixed = settings.seed * _MIXED + self.step
        torch.manual_seed(mixed)  # of dropout
        for group in self._optimizer.param_groups:
            group['lr'] = settings.rate * self._rate()
        self._network.train()
        with torch.autocast(self._place, torch.bfloat16, enabled=settings.precision == 'bfloat16'):
            found = self._lesson.loss(np.random.default_rng(mixed))
        if not torch.isfinite(found):
            raise ConfigError(
                f'The loss of step {self.step + 1} is {float(found.detach())}. Do the data hold numbers beyond all measure? '
                'If not, lower the learning rate.'
            )
        self._optimizer.zero_grad()
        found.backward()
        nn.utils.clip_grad_norm_(self._network.parameters(), _CLIP)
        self._optimizer.step()
        self.step += 1
        self._follow()
        return float(found.detach())

    def validate(self) -> Scores:
        """Return how good the averaged weights are on the validation data."""
        found = self._lesson.scores(self._average)
        if not all(isfinite(score) for score in found.values()):
            raise ConfigError(f'The scores on validation data are no numbers: {found}. Do the data hold numbers beyond all measure?')
        return found

    def save(self, path: Path, scores: Scores) -> None:
        """Write the averaged weights in half precision, with their card."""
        checkpoint.save(path, self._average.state_dict(), self.card(scores), half=True)

    def _rate(self) -> float:
        """Return the learning rate of this step as a share of the highest."""
        done, warm = self.step / self._lesson.settings.steps, _WARM
        return (
            (self.step + 1) / (warm * self._lesson.settings.steps + 1) if done < warm else 0.5 + 0.5 * cos(pi * (done - warm) / (1 - warm))
        )

    @torch.no_grad()
    def _follow(self) -> None:
        """Move the averaged weights towards the present ones; at first faster, so that they forget where they began."""
        kept = min(self._lesson.settings.average, (1 + self.step) / (10 + self.step))
        for mean, now in zip(self._average.parameters(), self._network.parameters(), strict=True):
            mean.lerp_(now, 1.0 - kept)

    def state(self) -> dict[str, Tensor]:
        """Return everything that `restore` needs to go on, by name."""
        found = {f'network.{name}': one for name, one in self._network.state_dict().items()}
        found |= {f'{checkpoint.STATE}{name}': one for name, one in self._average.state_dict().items()}
        for number, of in self._optimizer.state_dict()['state'].items():
            found |= {f'optimizer.{number}.{name}': one for name, one in of.items()}
        return {name: one.clone() for name, one in found.items()}

    def restore(self, weights: Mapping[str, Tensor], step: int) -> None:
        """Go on from a state."""
        parts: dict[str, dict[str, Tensor]] = {'network': {}, 'average': {}, 'optimizer': {}}
        for name, one in weights.items():
            part, _, rest = name.partition('.')
            parts[part][rest] = one
        self._network.load_state_dict(parts['network'])
        self._average.load_state_dict(parts['average'])
        whole = self._optimizer.state_dict()
        for name, one in parts['optimizer'].items():
            number, _, of = name.partition('.')
            whole['state'].setdefault(int(number), {})[of] = one
        for index, numbers in enumerate(self._network.parameters()):
            kept = whole['state'].get(index, {})
            if kept.keys() != _MOMENTS or any(kept[name].shape != numbers.shape for name in _MOMENTS - {'step'}):
                raise ValueError(f'the state of the optimizer does not fit its parameter {index}')
        self._optimizer.load_state_dict(whole)
        self.step = step


def train(lesson: Lesson, folder: Path, *, told: Callable[[int, float], None]) -> Scores:
    """Train to the end, from where an earlier call in this folder stopped, and return the scores of the best weights.

    Args:
        lesson: what to learn.
        folder: for the best and the last weights, and for the curve: a line of JSON for each validation.
        told: receives the number and the loss of each step.

    Raises:
        ConfigError: the folder holds another training, is in use by one, or cannot be written; or the loss is no number any more.
    """
    with ExitStack() as held:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            held.enter_context(alone(folder / '.lock', wait=False))
        except BlockingIOError as error:
            raise ConfigError(f'Another process trains in {folder}. Wait for it, or name another folder.') from error
        except OSError as error:
            raise ConfigError(f'{folder} cannot be written: {error}. Name another folder.') from error
        return _train(lesson, folder, told)


def _train(lesson: Lesson, folder: Path, told: Callable[[int, float], None]) -> Scores:
    training = Training(lesson)
    training.card({})  # before hours of work
    best, lines = _resume(training, lesson, folder)
    losses: list[float] = []
    while best is None or training.step < lesson.settings.steps:
        losses.append(training.advance())
        told(training.step, losses[-1])
        if training.step % lesson.settings.every and training.step < lesson.settings.steps:
            continue
        found = training.validate()
        lines.append({'step': training.step, 'training_loss': round(sum(losses) / len(losses), 5), **found})
        if best is None or lesson.rank(found) > lesson.rank(best):
            best = found
            training.save(folder / BEST, found)
        _write(folder / CURVE, lines)  # before the state: what is killed in between leaves a line too many, which is dropped
        checkpoint.save(folder / LAST, training.state(), training.card(best))
        losses.clear()
    return best


def _resume(training: Training, lesson: Lesson, folder: Path) -> tuple[Scores | None, list[Scores]]:
    """Restore the state of a stopped training, and return its best scores and its curve."""
    if not (folder / LAST).exists():
        return None, []
    new = training.card({})
    weights, card = checkpoint.load(folder / LAST, type(new), most=checkpoint.MOST_STATE)
    if card.model_copy(update={'step': 0, 'score': {}}) != new:
        told = _other(card, new)
        raise ConfigError(f'{folder} holds another training: {told}. Name another folder, or remove this one.')
    if not (folder / BEST).is_file():
        raise ConfigError(f'The training in {folder} cannot go on: {BEST} is missing. Name another folder, or remove this one.')
    _, best = checkpoint.load(folder / BEST, type(new))
    try:
        if best.score != card.score or not {LOSS, *lesson.shares} <= card.score.keys() or not all(map(isfinite, card.score.values())):
            raise ValueError(f'the scores of {BEST} and {LAST} are no such scores, or differ')
        if not best.step <= card.step <= lesson.settings.steps:
            raise ValueError(f'it has taken {card.step} steps of {lesson.settings.steps}, the best weights {best.step}')
        training.restore(weights, card.step)
        lines = [json.loads(line) for line in (folder / CURVE).read_text().splitlines()]
        return card.score, [line for line in lines if line['step'] <= card.step]
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise ConfigError(f'The training in {folder} cannot go on: {error!r:.200}. Name another folder, or remove this one.') from error


def _other(card: TrainedCard, new: TrainedCard) -> str:
    """Return in which respects a training differs from another one."""
    there, here = card.model_dump(mode='json', exclude={'step', 'score'}), new.model_dump(mode='json', exclude={'step', 'score'})
    found: list[str] = []
    for name in (name for name in here if there[name] != here[name]):
        old, now = there[name], here[name]
        if isinstance(old, dict) and isinstance(now, dict):
            found += [f'{each} ({old.get(each)} there, {now.get(each)} here)' for each in now if old.get(each) != now.get(each)]
        else:
            found.append(name)
    return f'it differs in {", ".join(found)}'


def _write(path: Path, lines: Sequence[Scores]) -> None:
    try:
        write_whole(path, ''.join(json.dumps(line) + '\n' for line in lines))
    except OSError as error:
        raise ConfigError(f'{path} cannot be written: {error}. Name another place.') from error

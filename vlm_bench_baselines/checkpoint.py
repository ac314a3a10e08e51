"""Weights with a card that says what they are, in one safetensors file: no pickle."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, TypeVar

import torch
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as serialized
from torch import Tensor, nn

from vlm_bench_sim.core.errors import ConfigError

CARD = 'card'
MOST_BYTES = 1 << 29
"""Of weights to play with; a file from elsewhere cannot ask for more."""

MOST_STATE = 1 << 32
"""Of the state of a training."""

KINDS = {'F16', 'F32', 'I64'}
"""Kinds of numbers in a file."""

STATE = 'average.'
"""How the names of averaged weights begin in the state of a training, beside those of the network and of the optimizer."""

C = TypeVar('C', bound='Card')


class Card(BaseModel):
    """What weights are. Each kind of policy adds what it needs.

    Attributes:
        kind: of the policy, for example key_frame.
        licence: of the weights.
        data: what they were trained on, in words.
        score: on validation seeds, by name.
    """

    model_config = ConfigDict(frozen=True, extra='forbid')

    kind: str
    licence: str = 'Apache-2.0'
    data: str = ''
    score: Annotated[dict[str, float], Field(default_factory=dict)]


def save(path: Path, weights: Mapping[str, Tensor], card: Card, *, half: bool = False) -> None:
    """Write weights and their card, in one step.

    Args:
        path: of the file; one that is there is replaced.
        weights: by name.
        card: what they are.
        half: store floating point numbers in two bytes.

    Raises:
        ConfigError: the file cannot be written.
    """
    stored = {name: (one.half() if half and one.is_floating_point() else one).contiguous() for name, one in weights.items()}
    part = path.with_name(f'.{path.name}.part')
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open('wb') as file:  # safetensors' own files are for their owner alone
            file.write(serialized(stored, metadata={CARD: card.model_dump_json()}))
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except (OSError, SafetensorError) as error:
        with suppress(OSError):
            part.unlink()
        raise ConfigError(f'{path} cannot be written: {error}. Name another place.') from error


def load(path: Path, kind: type[C], *, most: int = MOST_BYTES) -> tuple[dict[str, Tensor], C]:
    """Return the weights of a file of at most so many bytes, as 32-bit numbers, and their card.

    Raises:
        ConfigError: the file is missing, damaged, too large, or holds no card of this kind.
    """
    try:
        if path.exists() and not path.is_file():
            raise ConfigError(f'{path} is no regular file. Name a file such as best.safetensors.')
        if path.stat().st_size > most:
            raise ConfigError(f'{path} is larger than {most >> 20} MiB. Name a file that vlm-bench train wrote.')
        with safe_open(path, 'pt') as file:
            told: dict[str, Any] = file.metadata() or {}
            kinds = {file.get_slice(name).get_dtype() for name in file.keys()}  # noqa: SIM118  (it is no mapping)
            if not kinds <= KINDS:
                raise ConfigError(
                    f'{path} holds numbers of the kinds {", ".join(sorted(kinds - KINDS))}. Name a file that vlm-bench train wrote.'
                )
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        found = json.loads(told[CARD])
        field = kind.model_fields['kind']
        if isinstance(found, dict) and not field.is_required() and found.get('kind') != field.default:
            raise ConfigError(f'{path} holds weights of another kind of policy: {found.get("kind")!r:.40}; {field.default} was expected.')
        card = kind.model_validate(found)
    except (OSError, SafetensorError) as error:
        raise ConfigError(f'{path} cannot be read: {error}. Name a file that vlm-bench train wrote.') from error
    except (KeyError, ValueError, ValidationError, OverflowError, RecursionError) as error:
        raise ConfigError(f'{path} holds no card of such a policy: {error!s:.300}. Name a file that vlm-bench train wrote.') from error
    return {name: one.to(torch.float32) if one.is_floating_point() else one for name, one in weights.items()}, card


def fill(network: nn.Module, weights: Mapping[str, Tensor], path: Path) -> None:
    """Give weights to the network that their card describes, which takes them as they are. It may be on the device `meta`, without memory.

    Raises:
        ConfigError: they do not fit it, or are no numbers.
    """
    if any(name.startswith(STATE) for name in weights):
        raise ConfigError(f'{path} holds the state of a training, not weights to play with. Name best.safetensors beside it.')
    if not all(bool(torch.isfinite(one).all()) for one in weights.values()):
        raise ConfigError(f'{path} holds weights that are no numbers. Train again.')
    try:
        network.load_state_dict(weights, assign=True)
    except RuntimeError as error:
        raise ConfigError(f'The weights of {path} do not fit their card: {error!s:.300}. Was the file changed?') from error

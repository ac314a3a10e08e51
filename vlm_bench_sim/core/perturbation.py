"""Perturbations: disturbances on top of a task, each with a size in its own unit. All are off by default."""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from math import isfinite
from typing import Any

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import PerturbationError, near, quoted


def _kind(unit: str, meaning: str, most: float) -> Any:
    return field(default=0.0, metadata={'unit': unit, 'meaning': meaning, 'most': most})


@serialisable
@dataclass(frozen=True)
class Perturbation:
    """The size of each kind of perturbation, 0 for off. Each field, and `kinds`, gives the meaning, the unit and the greatest size.

    Raises:
        PerturbationError: a size is negative, too large or not a number.
    """

    pixel_noise: float = _kind('of 255', 'standard deviation of each color value', 255.0)
    depth_noise: float = _kind('m', 'standard deviation of each measured depth', 1.0)
    action_noise: float = _kind('m', 'standard deviation of the end position of an arm command, along each axis', 0.10)
    drop_rate: float = _kind('1/s', 'probability per second that the gripper drops the held object', 1.0)
    light: float = _kind('', 'greatest change of the strength of the light and of each channel of its color, as a share of 1', 1.0)
    texture: float = _kind('', 'probability that the table, and each plain prop, gets a pattern in a shade of its own color', 1.0)
    camera_position: float = _kind('m', 'standard deviation of the position of a camera, along each axis', 0.50)
    camera_angle: float = _kind('rad', 'standard deviation of the rotation of a camera, about each axis', 0.50)
    distractors: float = _kind('props', 'number of additional props on the table', 10.0)
    friction: float = _kind('', 'greatest change of each coefficient of friction, as a share of it', 0.99)
    mass: float = _kind('', 'greatest change of the mass of each prop, as a share of it', 0.99)
    table_height: float = _kind('m', "greatest change of the height of the table's top, up or down; the robot's base stays", 0.10)

    def __post_init__(self) -> None:
        for kind in fields(self):
            size, most = getattr(self, kind.name), kind.metadata['most']
            if isinstance(size, bool) or not isinstance(size, (int, float)) or not isfinite(size) or not 0.0 <= size <= most:
                unit = kind.metadata['unit'] or 'a share of 1'
                raise PerturbationError(f'{kind.name} is a number in 0…{most:g} ({unit}); found {size!r}. Write {_example(kind.name)}.')
            object.__setattr__(self, kind.name, float(size))  # so that 3 and 3.0 are equal and have the same JSON
        if self.distractors != int(self.distractors):
            raise PerturbationError(f'distractors are counted in whole props; found {self.distractors:g}. Write {_example("distractors")}.')

    def __bool__(self) -> bool:
        """Return whether any perturbation is on."""
        return any(getattr(self, kind.name) for kind in fields(self))

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the perturbations that are on, each as `name=size unit`, in the order of the fields."""
        on = [(kind, getattr(self, kind.name)) for kind in fields(self)]
        return tuple(f'{kind.name}={size:.12g} {kind.metadata["unit"]}'.rstrip() for kind, size in on if size)

    @classmethod
    def from_json(cls, text: str) -> 'Perturbation':
        """Return the perturbation that `codec.dumps` wrote; an empty text gives no perturbation.

        Raises:
            PerturbationError: the text is invalid or holds another kind of value.
        """
        return codec.read(text, cls, PerturbationError) if text else cls()


NONE = Perturbation()


@dataclass(frozen=True)
class SeededPerturbation:
    """A perturbation with its random seed."""

    sizes: Perturbation = NONE
    seed: int = 0


@dataclass(frozen=True)
class Kind:
    """One kind of perturbation, for help texts and tables; `most` is the greatest size."""

    name: str
    unit: str
    meaning: str
    most: float


def kinds() -> tuple[Kind, ...]:
    """Return every kind, in the order of the fields."""
    return tuple(Kind(kind.name, kind.metadata['unit'], kind.metadata['meaning'], kind.metadata['most']) for kind in fields(Perturbation))


def read(words: Iterable[str], presets: dict[str, dict[str, float]]) -> Perturbation:
    """Return the perturbation for preset names and `name=size` words; later words override earlier ones.

    Raises:
        PerturbationError: a kind or preset is unknown, or a size is wrong.
    """
    sizes: dict[str, float] = {}
    known = [kind.name for kind in kinds()]
    for word in (part.strip() for text in words for part in text.split(',') if part.strip()):
        name, given, size = word.partition('=')
        if not given and name in presets:
            sizes |= presets[name]
        elif name not in known:
            raise PerturbationError(f'There is no perturbation called {quoted(name)}. {near(name, known if given else [*known, *presets])}')
        else:
            sizes[name] = _number(name, size)
    return Perturbation(**sizes)


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        unit = next(kind.unit for kind in kinds() if kind.name == name)
        raise PerturbationError(
            f'{name} needs a number ({unit or "a share of 1"}); found {quoted(text)}. Write {_example(name)}.'
        ) from error


def _example(name: str) -> str:
    """Return an example `name=size` for a kind, with a size in its range."""
    most = next(kind.most for kind in kinds() if kind.name == name)
    return f'{name}={2 if most >= 2.0 else 0.1 if most >= 0.5 else 0.02:g}'

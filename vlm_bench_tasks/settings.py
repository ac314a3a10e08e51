"""Settings that the catalogue reads from `config/`: the pools of each split, and the reach of the robots."""

from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator, model_validator

from vlm_bench_sim.assets import config, table
from vlm_bench_sim.core.errors import ConfigError, SceneError, quoted
from vlm_bench_sim.core.geometry import Vector
from vlm_bench_sim.core.looks import Color, Look, read_look
from vlm_bench_sim.core.objects.rooms import PLANS
from vlm_bench_sim.core.perturbation import Perturbation
from vlm_bench_sim.files import File, checked
from vlm_bench_tasks.variation.placement import Workspace
from vlm_bench_tasks.variation.pools import Pools, Splits

DEFAULT = 'default'
_STEPS = 10_000
WORK_HEIGHT = 0.20  # m: objects are lifted and carried over a tray below this


class _Ring(File):
    z: float
    r_min: float = Field(ge=0)
    r_max: float = Field(gt=0)


class _Reach(File):
    rings: tuple[_Ring, ...]


class _Span(File):
    """Every number from `low` to `high` in steps."""

    low: float
    high: float
    step: float = Field(gt=0)

    @model_validator(mode='after')
    def _ordered(self) -> '_Span':
        if not self.low < self.high or (self.high - self.low) / self.step > _STEPS:
            raise ValueError(
                f'low must be below high, at most {_STEPS} steps apart; found {self.low}, {self.high} and steps of {self.step}'
            )
        return self

    def numbers(self) -> tuple[float, ...]:
        return tuple(round(self.low + i * self.step, 6) for i in range(int((self.high - self.low) / self.step + 1e-9) + 1))


class _Split(File):
    color: dict[str, Vector] = Field(default_factory=dict)
    look: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    shape: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    goal: dict[str, tuple[float, ...] | _Span] = Field(default_factory=dict)
    room: tuple[str, ...] = ()
    seeds: tuple[int, int] | None = None
    factor: Literal['', 'color', 'look', 'shape', 'goal', 'room'] | None = None
    overlaps: bool = False

    @field_validator('room')
    @classmethod
    def _built(cls, rooms: tuple[str, ...]) -> tuple[str, ...]:
        if unknown := [name for name in rooms if name not in PLANS]:
            first, *_, last = PLANS
            raise ValueError(f'there is no numbered room called {quoted(unknown[0])}; there are {first} to {last}. Name those to draw from')
        return rooms

    @field_validator('seeds')
    @classmethod
    def _some(cls, seeds: tuple[int, int] | None) -> tuple[int, int] | None:
        if seeds is not None and not 0 <= seeds[0] < seeds[1]:
            raise ValueError(f'seeds are the first and the one after the last, from 0; found {seeds[0]} and {seeds[1]}')
        return seeds

    def goals(self) -> dict[str, tuple[float, ...]]:
        return {task: numbers.numbers() if isinstance(numbers, _Span) else tuple(sorted(numbers)) for task, numbers in self.goal.items()}


@cache
def splits(family: str, own: Path | None = None) -> Splits:
    """Return the splits of a family, or the default splits. Values that a split leaves out come from the first split.

    Args:
        family: its name.
        own: the file with the splits of the extension that brings it; None: there is none.

    Raises:
        ConfigError: that file, or config/splits.yaml, is invalid.
    """
    where, families = 'config/splits.yaml', {} if own is None else table(own, levels=2)
    if family in families:
        where = str(own)
    else:
        families = table(config('splits.yaml'), levels=2)
        family = family if family in families else DEFAULT
    if family not in families:
        raise ConfigError(f'{where} is wrong: it holds no splits called {DEFAULT!r}, for families that name none. Add them.')
    given = {name: checked(_Split, pools, f'{where}, {family}.{name},') for name, pools in families[family].items()}
    base = next(iter(given))
    first = given[base]
    spare = next(iter(splits(DEFAULT).pools.values())) if where == str(own) else Pools((), {})  # for what an extension does not name
    pools = {
        name: Pools(
            _colors(split) or _colors(first) or spare.color,
            {**spare.shape, **first.shape, **split.shape},
            goal=first.goals() | split.goals(),
            seen=first.goals(),
            room=split.room or first.room,
            look=_looks(first, first, f'{where}, {family}') | _looks(split, first, f'{where}, {family}'),
        )
        for name, split in given.items()
    }
    seeds = {name: range(*split.seeds) for name, split in given.items() if split.seeds}
    factor = {name: split.factor for name, split in given.items() if split.factor is not None}
    return Splits(base, pools, seeds, factor, frozenset(name for name, split in given.items() if split.overlaps))


def _looks(split: _Split, first: _Split, where: str) -> dict[str, tuple[Look, ...]]:
    """Return the looks of a split, in the colors of the first."""
    try:
        return {group: tuple(read_look(words, first.color) for words in every) for group, every in split.look.items()}
    except SceneError as error:
        raise ConfigError(f'{where}, is wrong: {error}') from error


def _colors(split: _Split) -> tuple[Color, ...]:
    return tuple(Color(name, rgb) for name, rgb in split.color.items())


@cache
def workspace() -> Workspace:
    """Return the part of the table where every robot profile can grasp, lift and release with a downward tool.

    Raises:
        ConfigError: config/reach.yaml is invalid.
    """
    used = [ring for name in table(config('reach.yaml')) for ring in _rings(name) if ring.z <= WORK_HEIGHT]
    if not used:
        raise ConfigError(f'config/reach.yaml is wrong: it holds no ring at or below {WORK_HEIGHT} m. Measure it again.')
    return Workspace(reach=(max(ring.r_min for ring in used), min(ring.r_max for ring in used)))


def reach(robot: str) -> list[dict[str, float]]:
    """Return the measured reach of one of our robots: rows {z, r_min, r_max}, m (`motion.reach`).

    Raises:
        ConfigError: config/reach.yaml is invalid, or lacks that robot.
    """
    return [ring.model_dump() for ring in _rings(robot)]


def _rings(robot: str) -> tuple[_Ring, ...]:
    measured = table(config('reach.yaml'))
    if robot not in measured:
        raise ConfigError(f'config/reach.yaml lacks the robot {quoted(robot)}. Measure it: python -m vlm_bench_sim.motion.reach')
    return checked(_Reach, {'rings': measured[robot]}, f'config/reach.yaml, {robot},').rings


@cache
def perturbations() -> dict[str, dict[str, float]]:
    """Return the named perturbations, each as the sizes of its kinds.

    Raises:
        ConfigError: config/perturbations.yaml is invalid.
    """
    found = table(config('perturbations.yaml'), levels=2)
    for name, sizes in found.items():
        try:
            Perturbation(**sizes)
        except (TypeError, ConfigError) as error:
            raise ConfigError(f'config/perturbations.yaml, {name}, is wrong: {error}') from error
    return found

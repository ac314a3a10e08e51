"""Missions: which episodes people are to demonstrate, and how far they have come, in a file that several of them may share (ARNOLD)."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from vlm_bench_sim.core.errors import CommandError, ConfigError, quoted
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.evaluation.files import alone, write_whole
from vlm_bench_tasks.variation.seeds import read_seeds

CLAIM_S = 1800.0
"""After so long an attempt that nobody has ended counts as given up, wall-clock s."""

MOST_MISSIONS = 10_000
MOST_BYTES = 1_000_000
"""Of a file of missions; of their attempts it may be ten times as much."""

Outcome = Literal['open', 'done', 'failed', 'discarded']


class _Row(BaseModel):
    model_config = ConfigDict(extra='forbid', frozen=True)


class _Lesson(_Row):
    task: str
    seeds: int | str
    split: str = ''
    axis: str = ''
    prompt: str = ''
    attempts: Annotated[int, Field(ge=1, le=1000)] | None = None


class _Plan(_Row):
    name: Annotated[str, Field(pattern=r'^[A-Za-z0-9_-]{1,40}$')]
    attempts: Annotated[int, Field(ge=1, le=1000)] = 3
    missions: Annotated[tuple[_Lesson, ...], Field(min_length=1, max_length=1000)]


@dataclass(frozen=True)
class Mission:
    """An episode to demonstrate.

    Attributes:
        name: of the plan, and the number of the mission in it.
        task, split, axis, prompt, seed: of the episode.
        attempts: how often it may fail.
    """

    name: str
    task: str
    split: str
    axis: str
    prompt: str
    seed: int
    attempts: int


class _Attempt(_Row):
    mission: str
    attempt: int
    operator: str
    began: datetime
    outcome: Outcome = 'open'
    token: str = ''


class _Log(_Row):
    format: Literal[1] = 1
    attempts: tuple[_Attempt, ...] = ()


def load(path: Path) -> tuple[str, tuple[Mission, ...]]:
    """Return the name of a plan and its missions.

    Raises:
        ConfigError: the file cannot be read, or is wrong.
        VlmBenchError: a task, split, axis or prompt does not exist, or seeds are not for demonstrations.
    """
    try:
        text = _text(path, MOST_BYTES)
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.SafeLoader)):
            raise ValueError('it holds aliases, with which a few lines can stand for more than any memory holds')
        plan = _Plan.model_validate(yaml.safe_load(text))
    except (yaml.YAMLError, ValidationError, ValueError, RecursionError) as error:
        raise ConfigError(f'{path} is no file of missions: {error!s:.300}. See docs/dashboard.md, "Missions".') from error
    found: list[Mission] = []
    for lesson in plan.missions:
        task = catalogue.task(lesson.task)
        split = lesson.split or catalogue.splits(lesson.task)[0]
        axis, seeds = lesson.axis or task.axes[0], read_seeds(str(lesson.seeds))
        if axis not in task.axes:
            raise ConfigError(f'{path}: {lesson.task} has no axis {quoted(axis)}. It has: {", ".join(task.axes)}.')
        catalogue.seeds_to_learn_from(lesson.task, split, seeds)
        prompt = catalogue.check_prompt(task, lesson.task, lesson.prompt)
        if len(found) + len(seeds) > MOST_MISSIONS:
            raise ConfigError(f'{path} holds more than {MOST_MISSIONS} missions. Use several files.')
        for seed in seeds:
            name = f'{plan.name} {len(found) + 1}'
            found.append(Mission(name, lesson.task, split, axis, prompt, seed, lesson.attempts or plan.attempts))
    return plan.name, tuple(found)


class Missions:
    """The missions of a file, and the log of attempts beside it. Several processes may share both.

    Args:
        path: the file.

    Raises:
        VlmBenchError: it is wrong, or its log is.
    """

    def __init__(self, path: Path) -> None:
        self.name, self.all = load(path)
        self._by_name = {mission.name: mission for mission in self.all}
        self._log = path.with_name(f'{path.stem}.attempts.json')
        self._read()

    def told(self) -> list[dict[str, Any]]:
        """Return each mission with its state as JSON types: waiting, open (and by whom), done or failed.

        Raises:
            ConfigError: the log cannot be read.
        """
        log = self._read()
        return [{**asdict(mission), **_state(mission, log)} for mission in self.all]

    def begin(self, operator: str, wanted: str = '') -> tuple[Mission, int]:
        """Begin an attempt at a mission, or at the next that waits; return the mission and the number of the attempt, from 1.

        Raises:
            CommandError: it does not exist, is over, or another person is at it; or none waits.
            ConfigError: the log cannot be read or written.
        """
        if wanted and wanted not in self._by_name:
            raise CommandError(f'There is no mission {quoted(wanted)}.')
        with self._changed() as attempts:
            states = {mission.name: _state(mission, attempts) for mission in self.all}
            name = wanted or next((name for name, state in states.items() if state['state'] == 'waiting'), '')
            if not name:
                raise CommandError('No mission waits: all are done, have failed, or somebody is at them.')
            if states[name]['state'] != 'waiting':
                by = f' by {states[name]["operator"]}' if states[name]['operator'] else ''
                raise CommandError(f'The mission {name} is {states[name]["state"]}{by}. Choose another one.')
            number = 1 + sum(one.mission == name for one in attempts)
            attempts.append(_Attempt(mission=name, attempt=number, operator=operator, began=_now()))
        return self._by_name[name], number

    def decide(self, name: str, number: int, outcome: Outcome, token: str = '') -> None:
        """Say how an attempt has ended, and the token of its episode; what was done can still be discarded.

        Raises:
            ConfigError: the log cannot be read or written.
        """
        with self._changed() as attempts:
            for at, one in enumerate(attempts):
                if (one.mission, one.attempt) == (name, number):
                    attempts[at] = one.model_copy(update={'outcome': outcome, 'token': token or one.token})

    @contextmanager
    def _changed(self) -> Iterator[list[_Attempt]]:
        try:
            with alone(self._log.with_name(f'.{self._log.name}.lock'), wait=True):
                attempts = list(self._read())
                yield attempts
                whole = _Log(attempts=tuple(attempts)).model_dump(mode='json')
                write_whole(self._log, json.dumps(whole, indent=1) + '\n')
        except OSError as error:
            raise ConfigError(f'{self._log} cannot be written: {error.strerror}. Make its folder writable.') from error

    def _read(self) -> tuple[_Attempt, ...]:
        if not self._log.exists():
            return ()
        try:
            return _LOG.validate_json(_text(self._log, 10 * MOST_BYTES)).attempts
        except ValidationError as error:
            raise ConfigError(f'{self._log} is no log of attempts: {error!s:.300}. Move it away to begin anew.') from error


_LOG = TypeAdapter(_Log)


def _state(mission: Mission, log: Sequence[_Attempt]) -> dict[str, Any]:
    tries = [one for one in log if one.mission == mission.name]
    failed = sum(one.outcome == 'failed' for one in tries)
    done = next((one for one in tries if one.outcome == 'done'), None)
    taken = next((one for one in tries if one.outcome == 'open' and (_now() - one.began).total_seconds() < CLAIM_S), None)
    state, last = 'waiting', tries[-1] if tries else None
    if done is not None:
        state, last = 'done', done
    elif taken is not None:
        state, last = 'open', taken
    elif failed >= mission.attempts:
        state = 'failed'
    return {'state': state, 'operator': last.operator if last else '', 'failed': failed}


def _now() -> datetime:
    return datetime.now(timezone.utc)


def _text(path: Path, most: int) -> str:
    try:
        if not path.is_file():
            raise ConfigError(f'There is no file {path}. Name a file of missions.')
        if path.stat().st_size > most:
            raise ConfigError(f'{path} has more than {most / 1e6:g} MB. Use several files.')
        return path.read_text(encoding='utf-8')
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f'{path} cannot be read: {error}.') from error

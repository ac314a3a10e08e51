"""What a sweep came to: its results, kept line by line, their rates, and what is asked of them."""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import reduce
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.judging.statistics import Rate

ORACLE, ORACLE_AXIS = 0.95, 0.90
"""Least share of a task's episodes, and of those along one of its axes, that the oracle solves."""

LUCK, LUCK_AT_FURNITURE = 0.02, 0.05
"""Greatest share of a task's episodes that chance may solve, and where any push does something."""

_FURNITURE = ('drawer', 'door')
_SURE = 3.0  # standard errors


Key = tuple[str, str, str, int, str, str, int, tuple[str, ...]]
"""Task, axis, split, seed, policy, robot, revision and conditions."""


@dataclass(frozen=True)
class Result:
    """One episode of a sweep.

    Attributes:
        chance: how often a policy that takes any plan that a sentence could ask for takes the right one.
        verdict, causes, sim_seconds: of the report.
        failures: what the policy says went wrong on its way.
        wall_seconds: how long the run took.
        state_hash: of its last control period.
        conditions: what the episode was disturbed by, each as `name=size unit`; empty: by nothing.
        versions: of all that decides a score.
    """

    task: str
    axis: str
    split: str
    seed: int
    policy: str
    robot: str
    revision: int
    chance: float
    verdict: str
    causes: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    sim_seconds: float = 0.0
    wall_seconds: float = 0.0
    state_hash: str = ''
    conditions: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()

    @property
    def solved(self) -> bool:
        """True for a success."""
        return self.verdict == 'success'

    @property
    def seen(self) -> bool:
        """True where the bench could tell what came of it."""
        return self.verdict != 'unobservable'

    @property
    def cause(self) -> str:
        """Why it was no success, without the numbers of things, so that like causes are counted together."""
        text = ': '.join([*self.causes[:1], *self.failures[-1:]]) or self.verdict
        return re.sub(r'_\d+\b', '', re.sub(r'-?\d+\.\d+', '…', text))

    @property
    def key(self) -> Key:
        """What was run; the same key is the same episode by the same policy."""
        return self.task, self.axis, self.split, self.seed, self.policy, self.robot, self.revision, self.conditions


def write_line(path: Path, result: Result) -> None:
    """Append a result to a file of results, one JSON object a line."""
    with path.open('a') as file:
        file.write(json.dumps(asdict(result)) + '\n')


def read_lines(path: Path) -> list[Result]:
    """Return the results in a file; none where there is no file.

    Raises:
        ConfigError: a line holds something else.
    """
    found = []
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else (), start=1):
        try:
            given = json.loads(line)
            values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
            found.append(Result(**values))
        except (ValueError, AttributeError, TypeError) as error:
            raise ConfigError(f'{path}, line {number}, is no result of a sweep: {error}. Name another file, or remove it.') from error
    return found


def rate(results: Iterable[Result]) -> Rate:
    """Return how many were solved, of those that could be observed."""
    return reduce(Rate.__add__, (Rate(int(r.solved), 1) for r in results if r.seen), Rate(0, 0))


def rates(results: Iterable[Result], by: Callable[[Result], tuple[str, ...]]) -> dict[tuple[str, ...], Rate]:
    """Return the rate of each group of results."""
    groups: dict[tuple[str, ...], list[Result]] = {}
    for result in results:
        groups.setdefault(by(result), []).append(result)
    return {key: rate(group) for key, group in sorted(groups.items())}


def shortcomings(results: list[Result]) -> list[str]:
    """Return where a policy of ours does not do what it is for: the oracle solves, and no control does. Disturbed, nothing is due."""
    calm = [r for r in results if not r.conditions]
    return [text for policy in sorted({r.policy for r in calm}) for text in _short([r for r in calm if r.policy == policy], policy)]


def _short(results: list[Result], policy: str) -> list[str]:
    tasks = rates(results, lambda r: (r.task,))
    if policy == 'oracle':
        axes = rates(results, lambda r: (r.task, r.axis))
        lost = [r for r in results if not r.seen]
        unseen = (
            [f'{len(lost)} episodes could not be observed, such as {lost[0].task} {lost[0].axis} {lost[0].split} {lost[0].seed}']
            if lost
            else []
        )
        low = [(key, found, ORACLE) for key, found in tasks.items() if found.share < ORACLE]
        low += [(key, found, ORACLE_AXIS) for key, found in axes.items() if found.share < ORACLE_AXIS]
        return [*unseen, *(f'{" ".join(key)}: {found}, where at least {100 * least:.0f} % is due' for key, found, least in low)]
    return [text for key, found in tasks.items() if (text := _lucky(key[0], found, policy, [r for r in results if r.task == key[0]]))]


def _lucky(task: str, found: Rate, policy: str, results: list[Result]) -> str:
    if policy == 'still':
        most, over = 0.0, found.solved > 0
    elif policy == 'random':
        most = LUCK_AT_FURNITURE if any(word in task for word in _FURNITURE) else LUCK
        over = found.share > most
    else:
        most, over = mean(r.chance for r in results if r.seen), _surely_more(results)
    return f'{task}: {policy} solves {found}, where at most {100 * most:.0f} % is due' if over else ''


def _surely_more(results: list[Result]) -> bool:
    """Tell whether more was solved than chance would, by three standard errors.

    An episode of the same split and seed is laid out alike along every axis, so these count as one, by their mean.
    """
    groups: dict[tuple[str, int], list[float]] = {}
    for r in results:
        if r.seen:
            groups.setdefault((r.split, r.seed), []).append(float(r.solved) - r.chance)
    above = [mean(group) for group in groups.values()]
    return len(above) > 1 and mean(above) > _SURE * stdev(above) / sqrt(len(above)) + 1e-9

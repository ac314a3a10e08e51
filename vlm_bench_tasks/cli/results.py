"""What a sweep came to: its results, kept line by line, their rates, and what is asked of them."""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import reduce
from pathlib import Path
from statistics import mean
from typing import Any

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.family import family_name
from vlm_bench_tasks.judging.statistics import Rate

Key = tuple[str, str, str, int, str, str, int, tuple[str, ...]]
"""Task, axis, split, seed, policy, robot, revision and perturbations."""


@dataclass(frozen=True)
class Result:
    """One episode of a sweep.

    Attributes:
        chance: how often a policy that takes any plan that a sentence could ask for takes the right one.
        verdict, causes, sim_seconds: of the report.
        score: 0…100, of the report; None where nobody said.
        drops: how often a perturbation opened the hand.
        failures: what the policy says went wrong on its way.
        cpu_seconds: of the process, that the run took.
        state_hash: of its last control period.
        perturbations: what the episode was perturbed by, each as `name=size unit`; empty: by nothing.
        versions: of all that decides a score.
        code: of ours that played it, as `cli.code` tells; empty where nobody said.
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
    cpu_seconds: float = 0.0
    state_hash: str = ''
    perturbations: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    score: float | None = None
    drops: int = 0
    code: str = ''

    @property
    def family(self) -> str:
        """The family of its task."""
        return family_name(self.task)

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
        return self.task, self.axis, self.split, self.seed, self.policy, self.robot, self.revision, self.perturbations


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
            given.pop('wall_seconds', None)  # which older lines tell in the place of seconds of CPU
            values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
            found.append(Result(**values))
        except (ValueError, AttributeError, TypeError) as error:
            raise ConfigError(f'{path}, line {number}, is no result of a sweep: {error}. Name another file, or remove it.') from error
    return found


def rate(results: Iterable[Result]) -> Rate:
    """Return how many were solved, of those that could be observed."""
    return reduce(Rate.__add__, (Rate(int(r.solved), 1) for r in results if r.seen), Rate(0, 0))


def mean_score(results: Iterable[Result]) -> float | None:
    """Return the mean score of those that could be observed; None where one of them says none, or there are none."""
    scores = [r.score for r in results if r.seen]
    return mean(score for score in scores if score is not None) if scores and None not in scores else None


def scored(results: Iterable[Result]) -> str:
    """Return the mean score as tables show it."""
    found = mean_score(results)
    return '–' if found is None else f'{found:.1f}'


def worked(results: Iterable[Result]) -> str:
    """Say how much time of processors the runs took together."""
    minutes = sum(r.cpu_seconds for r in results) / 60
    return f'{minutes:.0f} minutes of CPU time.' if minutes >= 10 else f'{minutes:.1f} minutes of CPU time.'


def rates(results: Iterable[Result], by: Callable[[Result], tuple[str, ...]]) -> dict[tuple[str, ...], Rate]:
    """Return the rate of each group of results."""
    groups: dict[tuple[str, ...], list[Result]] = {}
    for result in results:
        groups.setdefault(by(result), []).append(result)
    return {key: rate(group) for key, group in sorted(groups.items())}

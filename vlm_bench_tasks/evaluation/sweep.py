"""A sweep: evaluations of several policies, splits and perturbations. Their reports are stored in one folder and read as one table."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b

from vlm_bench_sim.core.errors import SeedError, TaskError
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.evaluation.plan import Asked, Plan, planned
from vlm_bench_tasks.evaluation.thresholds import Cell
from vlm_bench_tasks.variation.seeds import read_seeds

LONGEST = 160
"""Maximum length of a report's file name without its ending."""
UNPERTURBED = 'none'
"""The name for episodes without perturbation."""


@dataclass(frozen=True)
class Sweep:
    """The options of a sweep.

    Attributes:
        tasks: id of a task, a family, or a glob over ids.
        splits: splits with a range of seeds each, such as 'seen:100000:100020,unseen:100000:100020'.
        axis: axis of variation; '': every axis of each task.
        policy: one policy, or several separated by commas.
        robot: robot for all tasks; '': each task's own.
        perturb: perturbations of all episodes, in the words of `vlm-bench run --perturb`.
        perturbations: further perturbations, in the same words and separated by commas. Each episode is also played with each of them, in
            addition to `perturb`; 'none' adds nothing.
        prompt: how the policies are asked; '': the first way of each task.
        more: number of further seeds for a task, axis and split in which the oracle's success rate is too low, before this counts.
    """

    tasks: str
    splits: str
    axis: str = ''
    policy: str = 'oracle'
    robot: str = ''
    perturb: tuple[str, ...] = ()
    perturbations: tuple[str, ...] = (UNPERTURBED,)
    more: int = 0
    prompt: str = ''

    def plans(self) -> Iterator[tuple[str, Plan]]:
        """Yield each evaluation with the file name of its report; no episode is played twice.

        Raises:
            TaskError: the splits are malformed, or a task, an axis or a policy does not exist.
            VlmBenchError: as in `planned`.
        """
        for words in self._perturbations():
            for policy in dict.fromkeys(self.policy.split(',')):
                for seeds, splits in _ranges(self._seeds()).items():
                    asked = Asked(policy, self.tasks, seeds, ','.join(splits), self.axis, self.robot, perturb=words)
                    yield _plan(replace(asked, prompt=self.prompt))

    def again(self, cells: Iterable[Cell]) -> Iterator[tuple[str, Plan]]:
        """Yield evaluations of the unperturbed oracle with the next `more` seeds of each given task, axis and split."""
        seeds = self._seeds()
        for task, axis, split in cells:
            last = max(seeds[split]) + 1
            yield _plan(Asked('oracle', task, range(last, last + self.more), split, axis, self.robot, prompt=self.prompt))

    def _perturbations(self) -> list[tuple[str, ...]]:
        """Return the perturbations in words, without duplicates."""
        words = [(*self.perturb, *(() if text == UNPERTURBED else (text,))) for text in self.perturbations]
        return list({catalogue.perturbation(each): each for each in words}.values())

    def _seeds(self) -> dict[str, set[int]]:
        found: dict[str, set[int]] = {}
        for part in self.splits.split(','):
            name, _, seeds = part.partition(':')
            try:
                found.setdefault(name, set()).update(read_seeds(seeds))
            except SeedError as error:
                raise TaskError(f'Splits are given as name:first:last, such as seen:0:100 for the seeds 0 to 99. {error}') from error
        return found


def _ranges(seeds: dict[str, set[int]]) -> dict[range, list[str]]:
    """Return ranges of consecutive seeds, each with the splits it belongs to."""
    found: dict[range, list[str]] = {}
    for split, own in seeds.items():
        for run in runs(own):
            found.setdefault(run, []).append(split)
    return found


def runs(seeds: Iterable[int]) -> list[range]:
    """Return the longest ranges of consecutive seeds."""
    own = set(seeds)
    firsts, lasts = (sorted(seed for seed in own if seed + step not in own) for step in (-1, 1))
    return [range(first, last + 1) for first, last in zip(firsts, lasts, strict=True)]


def _plan(asked: Asked) -> tuple[str, Plan]:
    plan = planned(asked)
    how, seeds = asked.prompt, f'{asked.seeds.start}-{asked.seeds.stop}'
    said = [asked.tasks, asked.axis, how, asked.policy, *plan.conditions.perturbations, asked.split, seeds]
    return _file('_'.join(re.sub(r'[^A-Za-z0-9.-]+', '-', word) for word in said if word)), plan


def _file(stem: str) -> str:
    """Return the name of a report's file. A long name ends in a digest, since file systems allow 255 bytes."""
    if len(stem) <= LONGEST:
        return f'{stem}.json'
    return f'{stem[:LONGEST]}_{blake2b(stem.encode(), digest_size=4).hexdigest()}.json'

"""A sweep: evaluations of several policies, splits and perturbations, whose reports lie in one folder and are read as one table."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from vlm_bench_sim.core.errors import SeedError, TaskError
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.evaluation.plan import Asked, Plan, planned
from vlm_bench_tasks.evaluation.thresholds import Cell
from vlm_bench_tasks.variation.seeds import read_seeds

UNPERTURBED = 'none'
"""The condition of an episode that is as its task says."""


@dataclass(frozen=True)
class Sweep:
    """What is swept.

    Attributes:
        tasks: id of a task, a family, or a glob over ids.
        splits: with a range of seeds each, such as 'seen:100000:100020,unseen:100000:100020'.
        axis: that varies; '': every axis of each task.
        policy: that plays, or several of them with commas between.
        robot: that is played with; '': each task's own.
        perturb: what episodes are perturbed by, in the words of `vlm-bench run --perturb`.
        perturbations: of each episode one more under each of these, in the same words with commas between, on top of `perturb`; 'none' adds
            nothing.
        more: how many seeds more are played of a task, axis and split of which the oracle solves less than is due, before it counts.
    """

    tasks: str
    splits: str
    axis: str = ''
    policy: str = 'oracle'
    robot: str = ''
    perturb: tuple[str, ...] = ()
    perturbations: tuple[str, ...] = (UNPERTURBED,)
    more: int = 0

    def plans(self) -> Iterator[tuple[str, Plan]]:
        """Yield each evaluation with the name of its report's file, in which no episode is played twice.

        Raises:
            TaskError: the text of the splits is malformed, or a task, an axis or a policy does not exist.
            VlmBenchError: as `planned`.
        """
        for words in self._perturbations():
            for policy in dict.fromkeys(self.policy.split(',')):
                for seeds, splits in _ranges(self._seeds()).items():
                    yield _plan(Asked(policy, self.tasks, seeds, ','.join(splits), self.axis, self.robot, perturb=words))

    def again(self, cells: Iterable[Cell]) -> Iterator[tuple[str, Plan]]:
        """Yield an evaluation of `more` seeds of the oracle, unperturbed, after the last ones of each of some tasks, axes and splits."""
        seeds = self._seeds()
        for task, axis, split in cells:
            last = max(seeds[split]) + 1
            yield _plan(Asked('oracle', task, range(last, last + self.more), split, axis, self.robot))

    def _perturbations(self) -> list[tuple[str, ...]]:
        """Return in which words episodes are perturbed, each perturbation once."""
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
    """Return ranges of seeds that follow each other, each with the splits that it is played of."""
    found: dict[range, list[str]] = {}
    for split, own in seeds.items():
        for run in runs(own):
            found.setdefault(run, []).append(split)
    return found


def runs(seeds: Iterable[int]) -> list[range]:
    """Return the longest ranges that make up some seeds."""
    own = set(seeds)
    firsts, lasts = (sorted(seed for seed in own if seed + step not in own) for step in (-1, 1))
    return [range(first, last + 1) for first, last in zip(firsts, lasts, strict=True)]


def _plan(asked: Asked) -> tuple[str, Plan]:
    plan = planned(asked)
    said = [asked.tasks, asked.axis, asked.policy, *plan.conditions.perturbations, asked.split, f'{asked.seeds.start}-{asked.seeds.stop}']
    return '_'.join(re.sub(r'[^A-Za-z0-9.-]+', '-', word) for word in said if word) + '.json', plan

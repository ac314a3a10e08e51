"""A family: a folder of `suite/` with tasks of one benchmark, and what they have in common."""

from dataclasses import dataclass

from vlm_bench_tasks.variation.draw import Draw
from vlm_bench_tasks.variation.pools import Splits


@dataclass(frozen=True)
class ScoreDue:
    """A mean score that is due of the oracle over a family's tasks while something perturbs them.

    Attributes:
        score: least mean over the tasks of their mean scores, 0…100.
        perturbation: under which, as reports label it, for example 'drop_rate=0.1 1/s'.
    """

    score: float
    perturbation: str


@dataclass(frozen=True)
class Family:
    """The one value, FAMILY, of a family's `_family.py`. A folder without that file is a family, too: with what stands here.

    Attributes:
        draw: what its tasks draw from: the general one, or one of its own that lays out more.
        robot: name of the profile that plays its tasks where nobody names another.
        cameras: that show its tasks where nobody names others.
        splits: pools and published seeds; None: those under its name in config/splits.yaml, or else its default.
        solved: least share of all episodes that the oracle solves, each task, axis and split counting alike.
        score_due: besides; None: nothing.
    """

    draw: type[Draw] = Draw
    robot: str = 'panda'
    cameras: str = 'vlmbench:front,wrist'
    splits: Splits | None = None
    solved: float = 0.985
    score_due: ScoreDue | None = None


def family_name(task: str) -> str:
    """Return the name of the family that a task belongs to, by the task's id."""
    return task.partition('/')[0]

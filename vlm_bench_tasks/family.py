"""A family: a folder of `suite/` with the tasks of one benchmark, and their common settings."""

from dataclasses import dataclass

from vlm_bench_sim.core.errors import TaskError, quoted
from vlm_bench_tasks.episode import DUE, Due
from vlm_bench_tasks.variation.draw import Draw
from vlm_bench_tasks.variation.pools import Splits


@dataclass(frozen=True)
class ScoreDue:
    """The mean score that the oracle must reach on a family's tasks under a perturbation.

    Attributes:
        score: least acceptable mean over the tasks' mean scores, 0…100.
        perturbation: its label in reports, for example 'drop_rate=0.1 1/s'.
    """

    score: float
    perturbation: str


@dataclass(frozen=True)
class Family:
    """A family's settings, the value FAMILY of its `_family.py`. A folder without that file is a family with these defaults.

    Attributes:
        draw: the class its tasks draw from: the general one, or one of its own that lays out more.
        robot: name of the default robot profile.
        cameras: cameras that show the family's tasks unless others are named.
        view: the camera that shows the table in pictures of an instruction.
        splits: pools and published seeds; None: those under its name in config/splits.yaml, or the default ones.
        due: success rates that are due of the oracle on tasks that name none.
        score_due: a score that the oracle must reach as well; None: no such score.

    Raises:
        TaskError: a value has the wrong type.
    """

    draw: type[Draw] = Draw
    robot: str = 'panda'
    cameras: str = 'vlmbench:front,wrist'
    view: str = 'vlmbench:front'
    splits: Splits | None = None
    due: Due = DUE
    score_due: ScoreDue | None = None

    def __post_init__(self) -> None:
        kinds = {'robot': str, 'cameras': str, 'view': str, 'splits': Splits | None, 'due': Due, 'score_due': ScoreDue | None}
        if not isinstance(self.draw, type) or not issubclass(self.draw, Draw):
            raise TaskError(f'draw of a family is a subclass of Draw; found {quoted(str(self.draw))}. Write Family(draw=Draw).')
        if odd := [name for name, kind in kinds.items() if not isinstance(getattr(self, name), kind)]:
            raise TaskError(f'{odd[0]} of a family is no such value: {quoted(str(getattr(self, odd[0])))}. Look at vlm_bench_tasks.family.')


def family_name(task: str) -> str:
    """Return the name of the family that a task belongs to, by the task's id."""
    return task.partition('/')[0]

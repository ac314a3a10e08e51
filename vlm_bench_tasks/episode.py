"""The episode: everything that one run needs, as one frozen value; and the task, which makes episodes."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.codec import serialisable, unfit
from vlm_bench_sim.core.errors import TaskError, near
from vlm_bench_sim.core.perturbation import NONE, Perturbation, SeededPerturbation
from vlm_bench_sim.core.scene import Scene
from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.goals.cues import Cue
from vlm_bench_tasks.language.sentences import Instruction
from vlm_bench_tasks.variation.streams import Streams

NEEDS = ('lockstep', 'truth', 'reset', 'cues')
"""What exists in simulation only: time that waits, contacts and every pose, a scene that is back at once, looks that change."""

LUCK = 0.02
"""Greatest share of a task's episodes that random commands may solve, unless the task says more."""


@serialisable
@dataclass(frozen=True)
class Episode:
    """One run of one task. A task file gives scene, goal and instruction; the catalogue fills in the rest.

    Raises:
        SceneError: a cue names a marker that the scene does not hold.
        TaskError: a field or a part of one does not fit its type, or a limit is negative.

    Attributes:
        scene: what stands where.
        goal: what shall become true; it alone judges.
        instruction: what the policy is told.
        plan: advice to the oracle; None: the goal is the plan.
        alternatives: what other sentences that are true of the scene would have asked for, as plans; empty: there are none. A task file
            whose sentences differ in more than references names them all; else the catalogue exchanges what the references mean.
        cues: how markers look while their goal is waiting, next or done, in the order in which the goals come true.
        task: id, for example vlmbench/pick_place.
        axis: the axis that varies.
        split: of the pools.
        seed: of every stream of chance.
        revision: of the task; scores of different revisions are not comparable.
        horizon: time limit, simulated s.
        step_limit: control periods; 0: none.
        perturbation: what is made harder; what it does to the scene is in the scene already.
    """

    scene: Scene
    goal: Goal
    instruction: Instruction
    plan: Goal | None = None
    alternatives: tuple[Goal, ...] = ()
    cues: tuple[Cue, ...] = ()
    task: str = ''
    axis: str = ''
    split: str = ''
    seed: int = 0
    revision: int = 1
    horizon: float = 60.0
    step_limit: int = 0
    perturbation: Perturbation = NONE

    def __post_init__(self) -> None:
        if wrong := unfit(self):
            raise TaskError(f'{wrong}, so nobody can play or judge the episode. Give it what it takes.')
        if self.horizon < 0 or not 0 <= self.step_limit < 1 << 63:
            raise TaskError(f'An episode of {self.horizon:g} s and {self.step_limit} periods is none. Give limits from 0.')
        for cue in self.cues:
            self.scene.prop(cue.marker)

    @property
    def seeded_perturbation(self) -> SeededPerturbation:
        """The perturbation with the seed of its chance."""
        return SeededPerturbation(self.perturbation, Streams(self.task, self.split, self.seed).seed('disturbance'))

    @classmethod
    def from_json(cls, text: str) -> 'Episode':
        """Return the episode that `codec.dumps` wrote.

        Raises:
            TaskError: the text is another value, or none of ours.
        """
        return codec.read(text, cls, TaskError)


@dataclass(frozen=True)
class Task:
    """A task file's one value.

    Attributes:
        build: a pure function from chance, the family's `Draw`, to an episode.
        axes: along which the task varies, the default first.
        horizon: time limit, simulated s.
        revision: rises whenever scores stop being comparable.
        step_limit: control periods; 0: none.
        robot: that plays it where nobody names another; '': the family's. Every robot can.
        luck: greatest share of its episodes that random commands may solve; more where any push does something.
        needs: what the task needs of a simulator, out of `NEEDS`; a real arm refuses it then.

    Raises:
        TaskError: there is no such need.
    """

    build: Callable[[Any], Episode]
    _: KW_ONLY
    axes: tuple[str, ...]
    horizon: float
    revision: int = 1
    step_limit: int = 0
    robot: str = ''
    luck: float = LUCK
    needs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for need in self.needs:
            if need not in NEEDS:
                raise TaskError(f'A task says that it needs {need!r}. {near(need, NEEDS)}')

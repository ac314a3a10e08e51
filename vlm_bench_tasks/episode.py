"""The episode: everything that one run needs, as one frozen value. Also the task, which builds episodes."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

from vlm_bench_sim import mesh_shapes
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.codec import serialisable, unfit
from vlm_bench_sim.core.errors import TaskError, near, quoted
from vlm_bench_sim.core.perturbation import NONE, Perturbation, SeededPerturbation
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.extensions import load
from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.goals.cues import Cue
from vlm_bench_tasks.language.pictures import PICTURES, WORDS
from vlm_bench_tasks.language.sentences import Instruction
from vlm_bench_tasks.variation.streams import Streams

NEEDS = ('lockstep', 'truth', 'reset', 'cues', 'beads', 'dirt')
"""What only a simulator offers: time that waits, all contacts and poses, an instant reset, and looks that change."""

codec.find_foreign(load)  # the goal words of extensions
mesh_shapes.register()

LUCK = 0.02
"""Greatest success rate allowed for random commands, unless the task allows more."""


@dataclass(frozen=True)
class Due:
    """The success rates that are due of the oracle.

    Attributes:
        together: over all tasks that owe the same; each task, axis and split has the same weight.
        cell: over the episodes of one task, axis and split. Where it solves fewer, more of them are played.
        many: over those of one task, axis and split once many have been played.
    """

    together: float = 0.985
    cell: float = 0.9
    many: float = 0.9


DUE = Due()
"""What is due unless a family or a task says otherwise."""


@serialisable
@dataclass(frozen=True)
class Episode:
    """One run of one task. A task file gives scene, goal and instruction. The catalogue fills in the rest.

    Raises:
        SceneError: a cue names a marker that is not in the scene.
        TaskError: a field or a part of one has the wrong type, or a limit is negative.

    Attributes:
        scene: the initial layout.
        goal: what must become true. Only the goal decides success.
        instruction: what the policy is told.
        plan: the goal that the oracle follows; None: `goal` itself.
        alternatives: plans of other instructions that would be valid in this scene; empty: there are none. A task file lists them if its
            sentences differ in more than references. Otherwise the catalogue derives them by exchanging what the references mean.
        cues: how markers look while their goal is waiting, next or done, in the order in which the goals come true.
        task: id, for example vlmbench/pick_place.
        axis: the axis of variation.
        split: name of the split.
        seed: random seed of every stream.
        revision: revision of the task. Scores of different revisions are not comparable.
        horizon: time limit, simulated s.
        step_limit: limit in control periods; 0: none.
        perturbation: what is made harder. `scene` already contains its changes to the scene.
        prompt: how the policy is asked, one of `language.pictures.FORMS`.
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
    prompt: str = WORDS

    def __post_init__(self) -> None:
        if wrong := unfit(self):
            raise TaskError(f'{wrong}, so the episode cannot be played or judged. Give it a value of that type.')
        if self.horizon < 0 or not 0 <= self.step_limit < 1 << 63:
            raise TaskError(
                f'The limits of an episode are {self.horizon:g} s and {self.step_limit} periods. Give limits from 0, below 2⁶³ periods.'
            )
        for cue in self.cues:
            self.scene.prop(cue.marker)

    @property
    def seeded_perturbation(self) -> SeededPerturbation:
        """The perturbation with its random seed."""
        return SeededPerturbation(self.perturbation, Streams(self.task, self.split, self.seed).seed('disturbance'))

    @classmethod
    def from_json(cls, text: str) -> 'Episode':
        """Return the episode from JSON that `codec.dumps` wrote.

        Raises:
            TaskError: the text holds another value, or cannot be read.
        """
        return codec.read(text, cls, TaskError)


@dataclass(frozen=True)
class Task:
    """A task, the one value that a task file defines.

    Attributes:
        build: pure function that returns an episode from the family's random `Draw`.
        axes: axes of variation, the default first.
        horizon: time limit, simulated s.
        revision: increases whenever scores stop being comparable.
        step_limit: limit in control periods; 0: none.
        robot: default robot; '': that of the family. Every robot can play the task.
        due: success rates that are due of the oracle; None: those of the family.
        luck: greatest success rate allowed for random commands; higher for tasks where any push does something.
        needs: what the task needs, from `NEEDS`, and not every engine or real arm has; one that `LACKS` it refuses the task.
        level: step on a ladder of tasks that build on one another, such as 'L0'; '' for a family without one.
        prompts: how a policy can be asked: in words, with pictures, or both. A task whose goal has no words is asked with pictures only.

    Raises:
        TaskError: a value has the wrong type, a need is not in `NEEDS`, or a kind of prompt is unknown.
    """

    build: Callable[[Any], Episode]
    _: KW_ONLY
    axes: tuple[str, ...]
    horizon: float
    revision: int = 1
    step_limit: int = 0
    robot: str = ''
    due: Due | None = None
    luck: float = LUCK
    needs: tuple[str, ...] = ()
    level: str = ''
    prompts: tuple[str, ...] = (WORDS, PICTURES)

    def __post_init__(self) -> None:
        if not callable(self.build):
            raise TaskError(f'build of a task is a function of a Draw; found {quoted(str(self.build))}. Write Task(build, axes=…).')
        if not isinstance(self.axes, tuple) or not self.axes or not all(isinstance(axis, str) and axis for axis in self.axes):
            found = quoted(str(self.axes))
            raise TaskError(f"The axes of a task are a tuple of names, such as ('color',); found {found}. Name at least one.")
        kinds = {'horizon': int | float, 'revision': int, 'step_limit': int, 'robot': str, 'luck': int | float, 'level': str}
        if odd := [name for name, kind in kinds.items() if not isinstance(getattr(self, name), kind)]:
            raise TaskError(f'{odd[0]} of a task is no such value: {quoted(str(getattr(self, odd[0])))}. Give it one of its type.')
        for prompt in self.prompts:
            if prompt not in (WORDS, PICTURES):
                raise TaskError(f'A task lists the unknown prompt {prompt!r}. {near(prompt, (WORDS, PICTURES))}')
        for need in self.needs:
            if need not in NEEDS:
                raise TaskError(f'A task lists the unknown need {need!r}. {near(need, NEEDS)}')

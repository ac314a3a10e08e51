"""The episode: everything that one run needs, as one frozen value; and the task, which makes episodes."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from math import inf

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.codec import not_finite, serialisable
from vlm_bench_sim.core.disturbance import NONE, Disturbance, Unrest
from vlm_bench_sim.core.errors import TaskError, near, quoted
from vlm_bench_sim.core.scene import Scene
from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.goals.cues import Cue
from vlm_bench_tasks.language.sentences import Instruction
from vlm_bench_tasks.variation.draw import Draw
from vlm_bench_tasks.variation.streams import Streams

NEEDS = ('lockstep', 'truth', 'reset', 'cues')
"""What exists in simulation only: time that waits, contacts and every pose, a scene that is back at once, looks that change."""


@serialisable
@dataclass(frozen=True)
class Episode:
    """One run of one task. A task file gives scene, goal and instruction; the catalogue fills in the rest.

    Raises:
        SceneError: a cue names a marker that the scene does not hold.
        TaskError: a limit is none, or a goal holds a number that is not finite.

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
        disturbance: what is made harder; what it does to the scene is in the scene already.
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
    disturbance: Disturbance = NONE

    def __post_init__(self) -> None:
        for cue in self.cues:
            self.scene.prop(cue.marker)
        if not 0.0 <= self.horizon < inf:
            raise TaskError(f'The horizon of an episode is a finite number of seconds, not negative; found {quoted(str(self.horizon))}.')
        if not isinstance(self.step_limit, int) or not 0 <= self.step_limit < 1 << 63:
            raise TaskError(f'The step_limit of an episode is a whole number, 0 to 2⁶³ − 1; found {quoted(str(self.step_limit))}.')
        if where := not_finite((self.goal, self.plan, self.alternatives, self.cues)):
            raise TaskError(f'{where} of an episode is not finite, so nobody can say when the goal is reached. Give a number.')

    @property
    def unrest(self) -> Unrest:
        """The disturbance with the seed of its chance."""
        return Unrest(self.disturbance, Streams(self.task, self.split, self.seed).seed('disturbance'))

    @classmethod
    def from_json(cls, text: str) -> 'Episode':
        """Return the episode that `codec.dumps` wrote.

        Raises:
            TaskError: the text is another value, or none of ours.
        """
        episode = codec.read(text, cls, TaskError)
        for name, kind in (('scene', Scene), ('goal', Goal), ('instruction', Instruction), ('disturbance', Disturbance)):
            found = getattr(episode, name)
            if not isinstance(found, kind):  # fields have the types that JSON gave them
                raise TaskError(
                    f'The {name} of an episode is a {kind.__name__}; found a {type(found).__name__}. Was it written by another program?'
                )
        return episode


@dataclass(frozen=True)
class Task:
    """A task file's one value.

    Attributes:
        build: a pure function from chance to an episode.
        axes: along which the task varies, the default first.
        horizon: time limit, simulated s.
        revision: rises whenever scores stop being comparable.
        step_limit: control periods; 0: none.
        robot: that plays it where nobody names another; every robot can.
        needs: what the task needs of a simulator, out of `NEEDS`; a real arm refuses it then.

    Raises:
        TaskError: there is no such need.
    """

    build: Callable[[Draw], Episode]
    _: KW_ONLY
    axes: tuple[str, ...]
    horizon: float
    revision: int = 1
    step_limit: int = 0
    robot: str = 'panda'
    needs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for need in self.needs:
            if need not in NEEDS:
                raise TaskError(f'A task says that it needs {need!r}. {near(need, NEEDS)}')

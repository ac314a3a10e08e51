"""The result of a trial: one row of an evaluation report or of a data set's index."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from vlm_bench_tasks.family import family_name
from vlm_bench_tasks.trial import Key, Trial

Amount = Annotated[float, Field(ge=-1e9, le=1e9)]
"""A number that can safely be summed, even if it comes from a file that others wrote."""


class Frozen(BaseModel):
    """A model of a value in a file; unknown fields are rejected."""

    model_config = ConfigDict(extra='forbid', frozen=True, allow_inf_nan=False)


class Result(Frozen):
    """The result of one trial.

    Attributes:
        verdict: 'unobservable' means that the bench was at fault; such an episode is not counted.
        causes: why the episode failed; the first one begins with a single word, such as time_limit, stopped or policy_raised.
        chance: chance level, 0…1: probability that a random one of the plans the sentence could ask for is right; 0 if unknown.
        score: 0…100, partial credit for completed steps; -1 if unknown.
        progress, reward: 0…1, at the end.
        trend: rank correlation of the dense reward with time, -1…1; None if unknown, as over ROS, or if the reward did not change.
        sim_seconds: simulated time until the verdict.
        violations: number of commands sent outside the episode.
        drops: number of times that a perturbation opened the hand.
        missed: leaves of the goal that did not hold at the end, in words.
        failures: errors that the policy itself reported.
        state_hash: hash of the state in the last control period; '' if there was none.
        goal_number: the number that the goal asks for, as the splits pool it (m, degrees or a share); None if it asks for none.
        from_seen: distance of that number from the nearest one that the base split asks for; 0 if it is one of these.
        extrapolates: whether it lies outside the range of these: extrapolation; otherwise interpolation.
        end_stop: whether an end of what can be reached fulfils the goal, such as a drawer that is completely open.
    """

    task: str
    axis: str
    split: str
    seed: int
    instruction: str = ''
    verdict: Literal['success', 'failure', 'unobservable']
    causes: tuple[str, ...] = ()
    chance: Amount = 0.0
    score: Amount = 0.0
    progress: Amount = 0.0
    reward: Amount = 0.0
    trend: Amount | None = None
    sim_seconds: Amount = 0.0
    violations: int = Field(0, ge=0)
    drops: int = Field(0, ge=0)
    missed: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    state_hash: str = ''
    goal_number: Amount | None = None
    from_seen: Amount | None = None
    extrapolates: bool = False
    end_stop: bool = False

    @classmethod
    def blank(cls, trial: Trial, verdict: str, *causes: str) -> 'Result':
        """Return the result of a trial for which only the verdict and its causes are known."""
        task, axis, split, seed = trial.key
        return cls.model_validate({'task': task, 'axis': axis, 'split': split, 'seed': seed, 'verdict': verdict, 'causes': causes})

    @property
    def key(self) -> Key:
        """Pairs it with the result of another policy."""
        return self.task, self.axis, self.split, self.seed

    @property
    def family(self) -> str:
        """The family of its task."""
        return family_name(self.task)

    @property
    def solved(self) -> bool:
        """Whether the episode succeeded."""
        return self.verdict == 'success'

    @property
    def seen(self) -> bool:
        """Whether the bench could judge the episode."""
        return self.verdict != 'unobservable'

    @property
    def cause(self) -> str:
        """The word under which the failure is counted; '' for a success."""
        return '' if self.solved else (self.causes[0].partition(':')[0] if self.causes else self.verdict)

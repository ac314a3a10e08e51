"""What came of a trial: the row of an evaluation's report, and of the index of a data set."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from vlm_bench_tasks.family import family_name
from vlm_bench_tasks.trial import Key, Trial

Amount = Annotated[float, Field(ge=-1e9, le=1e9)]
"""A number that can be added up, whoever wrote the file."""


class Frozen(BaseModel):
    """A value that a file holds; a file with other fields is refused."""

    model_config = ConfigDict(extra='forbid', frozen=True, allow_inf_nan=False)


class Result(Frozen):
    """What came of one trial.

    Attributes:
        verdict: unobservable: the bench was at fault, and the episode counts for nothing.
        causes: why it was no success; the first begins with one word, such as time_limit, stopped or policy_raised.
        chance: how often a policy that takes any plan that a sentence could ask for takes the right one, 0…1; 0 where nobody said.
        score: 0…100, partial credit by finished steps; -1 where nobody said.
        progress, reward: 0…1.
        sim_seconds: simulated time until the verdict.
        violations: commands outside the episode.
        drops: how often a perturbation opened the hand.
        missed: leaves of the goal that did not hold at the end, in words.
        failures: what the policy itself says went wrong on its way.
        state_hash: of the last control period; '' where there was none.
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
    sim_seconds: Amount = 0.0
    violations: int = Field(0, ge=0)
    drops: int = Field(0, ge=0)
    missed: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    state_hash: str = ''

    @classmethod
    def blank(cls, trial: Trial, verdict: str, *causes: str) -> 'Result':
        """Return the result of a trial of which nothing else is known."""
        task, axis, split, seed = trial.key
        return cls.model_validate({'task': task, 'axis': axis, 'split': split, 'seed': seed, 'verdict': verdict, 'causes': causes})

    @property
    def key(self) -> Key:
        """What pairs it with the result of another policy."""
        return self.task, self.axis, self.split, self.seed

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
        """The word by which causes are counted; '' for a success."""
        return '' if self.solved else (self.causes[0].partition(':')[0] if self.causes else self.verdict)

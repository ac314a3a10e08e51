"""What planner and reporter say to one another. All of it is text, so that a rule, a language model or a person may be either."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_tasks.policy import Observation

DONE = 'DONE'
"""What a planner says that has nothing left to do."""

SUCCEEDED = 'The step has succeeded'
FAILED = 'The step has failed'


class StepFault(Enum):
    """What is wrong with an answer, or with what was done at it."""

    EMPTY = 'empty'
    TOO_LONG = 'too_long'
    NONSENSE = 'nonsense'
    ABSENT = 'absent'
    AMBIGUOUS = 'ambiguous'
    IMPOSSIBLE = 'impossible'
    PICK_FAILED = 'pick_failed'
    PLACE_FAILED = 'place_failed'
    LOST = 'lost'
    FAILED = 'failed'
    TIMEOUT = 'timeout'
    UNREACHABLE = 'unreachable'
    HTTP_STATUS = 'http_status'
    BAD_JSON = 'bad_json'


@dataclass(frozen=True)
class Problem:
    """An answer that nothing can be done with.

    Attributes:
        fault: of which kind.
        text: a sentence that says what was asked, what was found and what to do.
    """

    fault: StepFault
    text: str


class StepError(VlmBenchError):
    """A step sentence that cannot be carried out as it stands.

    Attributes:
        fault: of which kind.
    """

    def __init__(self, fault: StepFault, message: str) -> None:
        super().__init__(message)
        self.fault = fault

    @property
    def problem(self) -> Problem:
        """The same as a value."""
        return Problem(self.fault, str(self))


@dataclass(frozen=True)
class StepReport:
    """What a reporter says after a step, and once before the first.

    Attributes:
        observation: what stands where; '' where nobody looked.
        action: whether the step has succeeded; '' before the first, and where nobody looked.
    """

    observation: str = ''
    action: str = ''


class Planner(Protocol):
    """Says what to do next. It is told nothing but text."""

    def next_step(self, instruction: str, reports: Sequence[StepReport]) -> str | Problem:
        """Return the next step as a sentence, or `DONE`.

        Args:
            instruction: what the whole episode is about.
            reports: so far; the first was made before any step, each other one after a step.
        """
        ...


class Reporter(Protocol):
    """Says what it sees."""

    def report(self, step: str, before: Observation, after: Observation) -> StepReport | Problem:
        """Return what came of a step; of no step ('') just what is seen."""
        ...

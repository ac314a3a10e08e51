"""Messages between planner and reporter. All are text, so each role can be a set of rules, a language model or a person."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.prompts import marker
from vlm_bench_tasks.policy import Observation

DONE = 'DONE'
"""A planner's answer when nothing is left to do."""

SUCCEEDED = 'The step has succeeded'
FAILED = 'The step has failed'


class StepFault(Enum):
    """Kinds of problems with an answer, or with the execution of a step."""

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
    """A problem with an answer, or with the execution of a step.

    Attributes:
        fault: kind of the problem.
        text: sentences that say what was expected, what was found and what to do.
    """

    fault: StepFault
    text: str


def unread(instruction: str) -> Problem | None:
    """Return the problem of a planner, which receives only text, with an instruction that names pictures; None if it is in words."""
    if marker(1) not in instruction:
        return None
    return Problem(StepFault.NONSENSE, 'The planner reads text alone, and the instruction has pictures. Ask in words, with --prompt words.')


class StepError(VlmBenchError):
    """Raised for a step sentence that cannot be executed.

    Attributes:
        fault: kind of the problem.
    """

    def __init__(self, fault: StepFault, message: str) -> None:
        super().__init__(message)
        self.fault = fault

    @property
    def problem(self) -> Problem:
        """The error as a value."""
        return Problem(self.fault, str(self))


@dataclass(frozen=True)
class StepReport:
    """The report after a step, and once before the first step.

    Attributes:
        observation: where things are; '' if the reporter did not look.
        action: whether the step succeeded; '' before the first step, or if the reporter did not look.
    """

    observation: str = ''
    action: str = ''


class Planner(Protocol):
    """Interface of a planner, which names the next step. It receives only text."""

    def next_step(self, instruction: str, reports: Sequence[StepReport]) -> str | Problem:
        """Return the next step as a sentence, or `DONE`.

        Args:
            instruction: instruction of the episode.
            reports: the reports so far. The first was made before any step, each of the others after a step.
        """
        ...


class Reporter(Protocol):
    """Interface of a reporter, which says what it sees."""

    def report(self, step: str, before: Observation, after: Observation) -> StepReport | Problem:
        """Return the result of a step; for no step (''), only what is seen."""
        ...

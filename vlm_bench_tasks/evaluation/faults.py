"""What policies do wrong, each with one word by which it is counted: a failure of the episode and never of the evaluation."""

import re

from vlm_bench_sim.core.errors import VlmBenchError

RAISED = 'policy_raised'
SILENT = 'policy_timeout'
DIED = 'policy_died'
CLOSED = 'policy_closed'
NOT_FINITE = 'policy_not_finite'
SHAPE = 'policy_wrong_shape'
TYPE = 'policy_wrong_type'
PRIVILEGED = 'policy_privileged'
FAULTS = {
    RAISED: 'it raised an error, or its server said so',
    SILENT: 'it gave no answer in time',
    DIED: 'its process ended, twice in a row: while it was to answer or, where it lived there, at any time unless killed from outside',
    CLOSED: 'its server closed the connection, or took none',
    NOT_FINITE: 'it answered with NaN, an infinite number, or a server with one beyond 10⁹',
    SHAPE: 'it answered with more or fewer numbers than the robot takes',
    TYPE: 'it answered with something that is no command, or of another type than a command holds',
    PRIVILEGED: 'it read what it may not see',
}
"""Each with what it means, for the documentation."""

_ADDRESS = re.compile(r' at 0x[0-9a-f]+')
_LENGTH = 300


class PolicyFault(VlmBenchError):
    """A policy did something wrong.

    Attributes:
        word: of `FAULTS`.
    """

    def __init__(self, word: str, text: str) -> None:
        super().__init__(f'{word}: {told(text)}')
        self.word = word


def said(error: BaseException) -> str:
    """Return what was raised in words, also where it cannot be told."""
    try:
        return ': '.join(filter(None, (type(error).__name__, str(error))))
    except BaseException:  # noqa: BLE001 (it is somebody else's code, too)
        return type(error).__name__


def told(text: str) -> str:
    """Return what a policy says as one line of a report: no addresses, which differ from run to run, and not too long."""
    line = ' '.join(_ADDRESS.sub('', text).split())
    return line if len(line) <= _LENGTH else f'{line[:_LENGTH]}…'

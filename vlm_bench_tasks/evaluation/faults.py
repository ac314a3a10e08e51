"""Faults of policies, each counted under one word. A fault fails the episode, never the evaluation."""

import os
import re

from vlm_bench_sim.core.codes import EventKind, Note
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
    RAISED: 'it raised an error, or its server reported one',
    SILENT: 'it gave no answer in time',
    DIED: 'its process ended twice in a row: during its turn or, for a module:Class, at any time, unless SIGKILL or SIGTERM ended it',
    CLOSED: 'its server closed or refused the connection',
    NOT_FINITE: 'it answered with NaN or an infinite number, or its server with a number beyond 10⁹',
    SHAPE: 'it answered with more or fewer numbers than the robot takes',
    TYPE: 'it answered with something other than a command, or with a command that holds a value of another type',
    PRIVILEGED: 'it read observation.truth, which only privileged policies may read',
}
"""Each fault with its meaning, for the documentation."""

TOKEN = 'VLM_BENCH_POLICY_TOKEN'
"""Environment variable with the secret that a policy server asks for; '' for none. It appears in no report and no message."""

_ADDRESS = re.compile(r' at 0x[0-9a-f]+')
_LENGTH = 300


class PolicyFault(VlmBenchError):
    """A policy made an error.

    Attributes:
        word: a key of `FAULTS`.
    """

    def __init__(self, word: str, text: str) -> None:
        super().__init__(f'{word}: {told(text)}')
        self.word = word


def ending(fault: str) -> Note:
    """Return the event with which a policy node ends its episode: it is done or, with a fault, has failed.

    The text of a failure is one line that begins with a word of `FAULTS`; `policy_raised` is put before any other text.
    """
    word, colon, rest = fault.partition(': ')
    if not fault:
        return EventKind.STOP, ''
    return EventKind.POLICY_FAULT, str(PolicyFault(word, rest) if colon and word in FAULTS else PolicyFault(RAISED, fault))


def said(error: BaseException) -> str:
    """Return an exception's message, even if the exception cannot be converted to text."""
    try:
        return printable(': '.join(filter(None, (type(error).__name__, str(error)))))
    except BaseException:  # noqa: BLE001 (the message also comes from untrusted code)
        return type(error).__name__


def told(text: str) -> str:
    """Return a policy's message as one line for a report, shortened and without memory addresses, which differ from run to run."""
    line = ' '.join(_ADDRESS.sub('', hushed(printable(text))).split())
    return line if len(line) <= _LENGTH else f'{line[:_LENGTH]}…'


def printable(text: str) -> str:
    """Return a policy's text with a question mark for each character that no file can hold: half of a surrogate pair."""
    return text.encode('utf-8', 'replace').decode('utf-8')


def secret() -> str:
    """Return the secret of the environment; '' for none."""
    return os.environ.get(TOKEN, '')


def shown(value: object, most: int = 100) -> str:
    """Return what a server answered, without the secret and cut to so many characters."""
    return hushed(repr(value))[:most]


def hushed(text: str) -> str:
    """Return a text without the secret, which a server may echo."""
    return text.replace(secret(), '***') if secret() else text

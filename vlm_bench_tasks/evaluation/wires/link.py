"""What all wires share: a link to a server, which lasts for one episode, and the words for what goes wrong on it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from vlm_bench_sim.core.errors import ConfigError, quoted
from vlm_bench_tasks.evaluation.faults import RAISED, TOKEN, TYPE, PolicyFault, secret, shown
from vlm_bench_tasks.evaluation.server_observations import Seen

MOST_BYTES = 64 * 1024 * 1024
"""Greatest size of an answer."""


@dataclass(frozen=True)
class Address:
    """Where a server is, and how to speak to it.

    Attributes:
        url: scheme://host:port.
        seconds: timeout for an answer, wall-clock s.
        options: of the wire, by name.

    Raises:
        ConfigError: the address is invalid.
    """

    url: str
    seconds: float
    options: Mapping[str, str]

    def __post_init__(self) -> None:
        """Check the address."""
        try:
            found = urlsplit(self.url)
            wrong = '' if found.hostname else 'it names no host'
            (found.hostname or '').encode('idna')
            wrong = wrong or ('its port is 0' if found.port == 0 else '')
            wrong = wrong or ('it holds a space' if any(map(str.isspace, self.url)) else '')
        except ValueError as error:  # also of names that are too long
            wrong = str(error)
        if wrong:
            raise ConfigError(f'{quoted(self.url)} is not the address of a policy server: {wrong}. Write one such as ws://127.0.0.1:8000.')

    @property
    def token(self) -> str:
        """The secret of the environment; '' for none.

        Raises:
            ConfigError: it cannot be sent.
        """
        found = secret()
        if not (found.isascii() and found.isprintable()):
            raise ConfigError(f'{TOKEN} must be printable ASCII, as it is sent in a header. Remove line ends and other characters.')
        return found


class Link(ABC):
    """A link to a policy server. It is opened for one episode, so that a server cannot carry over what it remembers.

    Opening it asks whether the server is there.

    Raises:
        ConfigError: the address is invalid, or the server wants what the bench does not offer.
        PolicyFault: the server does not answer, or not as it should.
    """

    @abstractmethod
    def begin(self, instruction: str) -> None:
        """Tell the server that an episode begins, if its wire has a word for it.

        Raises:
            PolicyFault: the server is gone, or does not answer as it should.
        """

    @abstractmethod
    def actions(self, seen: Seen) -> Any:
        """Return the rows of actions that the server answers, as they came.

        Raises:
            PolicyFault: the server is gone or silent, reports an error, or answers with something else.
        """

    @abstractmethod
    def close(self) -> None:
        """Close the link; the server may be gone."""


def member(answer: Any, *names: str) -> Any:
    """Return what a server's answer holds under nested names.

    Raises:
        PolicyFault: the answer does not hold it.
    """
    found = answer
    for name in names:
        if not isinstance(found, dict) or name not in found:
            raise PolicyFault(TYPE, f'Its server answered {shown(answer)}; a map with {".".join(names)} was expected.')
        found = found[name]
    return found


def reported(problem: Any) -> PolicyFault:
    """Return the fault for an error that a server reports, of which the last line tells most."""
    lines = str(problem).strip().splitlines() or ['nothing']
    return PolicyFault(RAISED, f'Its server reports: {lines[-1]}')

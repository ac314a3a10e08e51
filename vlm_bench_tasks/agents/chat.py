"""Client for OpenAI-compatible chat completions over HTTP: one request, one answer, no retry.

Every failure of a server is returned as a `Problem`. Once an endpoint exists nothing raises, and no call takes longer than its timeout.
"""

import http.client
import json
import os
import queue
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from threading import Thread
from typing import Any
from urllib.parse import SplitResult, urlsplit

from vlm_bench_sim.core.errors import ConfigError, quoted
from vlm_bench_tasks.agents.roles import Problem, StepFault

LARGEST = 1_000_000
"""Greatest size of an answer, bytes."""

LONGEST = 4000
"""Greatest length of a model's text, characters."""

PATH = '/chat/completions'
_CONNECTIONS = {'http': http.client.HTTPConnection, 'https': http.client.HTTPSConnection}

Message = dict[str, Any]
"""One message of a chat: `role` and `content`."""


@dataclass(frozen=True)
class Endpoint:
    """The endpoint of a model.

    Attributes:
        base_url: URL with the API version, such as http://127.0.0.1:8000/v1.
        model: name of the model on the server.
        api_key: sent as a bearer token; '' for none. It appears in no message and no log.
        timeout: wall-clock limit of one request, s.
        tokens: greatest number of tokens of an answer.

    Raises:
        ConfigError: the URL is not http or https, the key cannot be sent in a header, or the timeout is not positive.
    """

    base_url: str
    model: str
    _: KW_ONLY
    api_key: str = field(default='', repr=False)
    timeout: float = 60.0
    tokens: int = 512

    def __post_init__(self) -> None:
        if not _is_address(self.base_url):
            raise ConfigError(f'The address of a model is {quoted(self.base_url)}. Give one such as http://127.0.0.1:8000/v1.')
        if not (self.api_key.isascii() and self.api_key.isprintable()):
            raise ConfigError(
                'The API key of a model must be printable ASCII, as it is sent in an HTTP header. Remove line ends and other characters.'
            )
        if not self.timeout > 0.0:
            raise ConfigError(f'The timeout of a model is {self.timeout} s. Give seconds above 0.')

    @classmethod
    def from_environment(cls, prefix: str, environment: Mapping[str, str] | None = None) -> 'Endpoint':
        """Return the endpoint from the variables `<prefix>_BASE_URL` and `_MODEL`, and optionally `_API_KEY` and `_TIMEOUT` (s).

        Raises:
            ConfigError: the URL or the model is missing, or a value is invalid.
        """
        given = os.environ if environment is None else environment
        missing = [name for name in (f'{prefix}_BASE_URL', f'{prefix}_MODEL') if not given.get(name)]
        if missing:
            raise ConfigError(f'The model is not configured. Set the environment variables {" and ".join(missing)}.')
        text = given.get(f'{prefix}_TIMEOUT', '60')
        try:
            timeout = float(text)
        except ValueError:
            raise ConfigError(f'{prefix}_TIMEOUT is {quoted(text)}. Give seconds, such as 60.') from None
        return cls(given[f'{prefix}_BASE_URL'], given[f'{prefix}_MODEL'], api_key=given.get(f'{prefix}_API_KEY', ''), timeout=timeout)


def ask(endpoint: Endpoint, messages: Sequence[Message]) -> str | Problem:
    """Send one request and return the model's text, stripped and at most `LONGEST` characters, or the problem."""
    asked: dict[str, Any] = {'model': endpoint.model, 'messages': list(messages), 'temperature': 0, 'max_tokens': endpoint.tokens}
    answer = _Question(endpoint, json.dumps(asked).encode()).answer()
    return answer if isinstance(answer, Problem) else _said(answer)


class _Question:
    """One request in its own thread, which can be abandoned: name resolution cannot be interrupted."""

    def __init__(self, endpoint: Endpoint, body: bytes) -> None:
        self._endpoint, self._body = endpoint, body
        self._url: SplitResult = urlsplit(endpoint.base_url)
        kind = _CONNECTIONS[self._url.scheme]
        self._connection = kind(self._url.hostname or '', self._url.port, timeout=endpoint.timeout)
        self._answers: queue.SimpleQueue[bytes | Problem] = queue.SimpleQueue()

    def answer(self) -> bytes | Problem:
        """Return the body of the answer, or a problem, within the timeout."""
        Thread(target=lambda: self._answers.put(self._exchanged()), daemon=True).start()
        try:
            return self._answers.get(timeout=self._endpoint.timeout)
        except queue.Empty:
            if (open_socket := self._connection.sock) is not None:
                with suppress(OSError):
                    open_socket.shutdown(socket.SHUT_RDWR)
            return self._late()

    def _exchanged(self) -> bytes | Problem:
        headers = {'Content-Type': 'application/json', 'Accept': 'application/json'}
        if self._endpoint.api_key:
            headers['Authorization'] = f'Bearer {self._endpoint.api_key}'
        try:
            self._connection.request('POST', self._url.path.rstrip('/') + PATH, self._body, headers)
            response = self._connection.getresponse()
            body: bytes = response.read(LARGEST + 1)
            if response.length and len(body) <= LARGEST:
                raise http.client.IncompleteRead(body, response.length)
        except TimeoutError:
            return self._late()
        except (OSError, http.client.HTTPException, ValueError) as error:
            why = str(error) or type(error).__name__
            return Problem(StepFault.UNREACHABLE, f'{self._where} cannot be reached: {quoted(why)}. Check that the server runs there.')
        finally:
            self._connection.close()
        if response.status != http.client.OK:
            said = quoted(self._without_key(body.decode(errors='replace')))
            return Problem(StepFault.HTTP_STATUS, f'{self._where} answered with status {response.status} {response.reason}: {said}.')
        return body

    def _without_key(self, text: str) -> str:
        return text.replace(self._endpoint.api_key, '***') if self._endpoint.api_key else text

    def _late(self) -> Problem:
        return Problem(StepFault.TIMEOUT, f'{self._where} has not answered in {self._endpoint.timeout:g} s. Give it more time.')

    @property
    def _where(self) -> str:
        return f'The model {self._endpoint.model!r} at {self._url.scheme}://{self._url.netloc.rpartition("@")[2]}'


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in _CONNECTIONS and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _said(body: bytes) -> str | Problem:
    if len(body) > LARGEST:
        return Problem(StepFault.TOO_LONG, f'The answer has more than {LARGEST} bytes. Request a shorter one.')
    try:
        content = json.loads(body)['choices'][0]['message']['content']
    except (ValueError, RecursionError):
        return Problem(
            StepFault.BAD_JSON,
            f'The answer is not JSON: {quoted(body.decode(errors="replace"))}. Check that the server offers chat completions.',
        )
    except (KeyError, IndexError, TypeError):
        return Problem(StepFault.BAD_JSON, 'The answer has no choices[0].message.content. Check that the server offers chat completions.')
    if content is not None and not isinstance(content, str):
        return Problem(StepFault.BAD_JSON, f'The content of the answer must be a string; found {type(content).__name__}.')
    text = (content or '').encode(errors='replace').decode().strip()
    if not text:
        return Problem(StepFault.EMPTY, 'The model said nothing. Check its prompt and its token limit.')
    if len(text) > LONGEST:
        return Problem(StepFault.TOO_LONG, f'The model said {len(text)} characters; {LONGEST} are allowed. Request one sentence.')
    return text

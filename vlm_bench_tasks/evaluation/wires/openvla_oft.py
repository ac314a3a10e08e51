"""OpenVLA-OFT's wire (vla-scripts/deploy.py of its repository): an HTTP request with JSON for each observation, arrays by json_numpy."""

import base64
import http.client
import json
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from vlm_bench_tasks.evaluation import wire
from vlm_bench_tasks.evaluation.faults import CLOSED, RAISED, SILENT, TYPE, PolicyFault
from vlm_bench_tasks.evaluation.server_observations import Seen
from vlm_bench_tasks.evaluation.wires.link import MOST_BYTES, Address, Link, reported

PATH = '/act'
_KINDS = {'http': http.client.HTTPConnection, 'https': http.client.HTTPSConnection}
_NUMPY = '__numpy__'


class OpenvlaOftLink(Link):
    """A link to a server of OpenVLA-OFT. It has no word for an episode, and remembers nothing."""

    def __init__(self, address: Address) -> None:
        self._url, self._seconds = urlsplit(address.url), address.seconds
        self._connection = _KINDS[self._url.scheme](self._url.hostname or '', self._url.port, timeout=address.seconds)
        try:
            self._connection.connect()
        except OSError as error:
            raise PolicyFault(CLOSED, f'No policy server accepted the connection to {address.url}: {type(error).__name__}.') from error
        finally:
            self._connection.close()  # each request opens one: a server may hang up in between

    def begin(self, _instruction: str) -> None:
        """Do nothing: its servers remember nothing."""

    def actions(self, seen: Seen) -> Any:
        """Return the rows that the server answers: a list of them, or one text that holds the list."""
        pictures = {'full_image': seen.outside, 'wrist_image': seen.wrist}
        asked = {key: picture for key, picture in pictures.items() if picture is not None}
        answer = self._posted({**asked, 'state': seen.state, 'instruction': seen.instruction})
        if answer == 'error':  # all that it tells of an exception
            raise reported('error; its log says more')
        return _loaded(answer) if isinstance(answer, str) else answer

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _posted(self, content: dict[str, Any]) -> Any:
        body = json.dumps(content, default=writer).encode()
        try:
            self._connection.request('POST', self._url.path.rstrip('/') or PATH, body, {'Content-Type': 'application/json'})
            with self._connection.getresponse() as response:
                said = response.read(MOST_BYTES + 1)
        except TimeoutError as error:
            raise PolicyFault(SILENT, f'Its server gave no answer in {self._seconds:g} s.') from error
        except (OSError, http.client.HTTPException) as error:
            raise PolicyFault(CLOSED, f'Its server broke off: {type(error).__name__}.') from error
        finally:
            self._connection.close()
        if response.status != http.client.OK:
            raise PolicyFault(
                RAISED, f'Its server answered with status {response.status} {response.reason}: {said.decode(errors="replace")}'
            )
        if len(said) > MOST_BYTES:
            raise PolicyFault(TYPE, f'The answer of its server has more than {MOST_BYTES} bytes.')
        return _loaded(said)


def writer(value: Any) -> dict[str, Any]:
    """Write an array as json_numpy does: its bytes in base64, its type and its shape."""
    if not wire.is_numbers(value, np.ndarray):
        raise wire.unwritten(value)
    return {_NUMPY: base64.b64encode(value.tobytes()).decode(), 'dtype': value.dtype.str, 'shape': list(value.shape)}


def reader(value: dict[str, Any]) -> Any:
    """Read what `writer` writes."""
    if _NUMPY not in value:
        return value
    return wire.array(base64.b64decode(value[_NUMPY], validate=True), value['dtype'], value['shape'])


def _loaded(text: str | bytes) -> Any:
    try:
        return json.loads(text, object_hook=reader)
    except Exception as error:
        raise PolicyFault(TYPE, f'The answer of its server is not JSON with arrays: {type(error).__name__}: {error}') from error

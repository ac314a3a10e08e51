"""GR00T's wire (gr00t/policy/server_client.py of Isaac-GR00T, N1.6 and N1.7): ZeroMQ requests with msgpack, one for each observation."""

import io
from typing import Any

import numpy as np
import zmq
from numpy.lib import format as npy

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.evaluation import wire
from vlm_bench_tasks.evaluation.faults import CLOSED, SHAPE, SILENT, TYPE, PolicyFault, shown
from vlm_bench_tasks.evaluation.server_observations import Seen
from vlm_bench_tasks.evaluation.wires.link import MOST_BYTES, Address, Link, member, reported

LANGUAGE = 'annotation.human.task_description'
"""Key of the instruction if the server names none."""

_CLASS, _NPY = '__ndarray_class__', 'as_npy'


class Gr00tLink(Link):
    """A link to a GR00T server. It asks which moments and which key of language the policy takes, and in which order its actions come."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._context = zmq.Context()
        try:
            self._socket = self._context.socket(zmq.REQ)
            self._socket.setsockopt(zmq.LINGER, 0)
            self._socket.setsockopt(zmq.MAXMSGSIZE, MOST_BYTES)
            self._connect()
            self._asked('ping')
            config = self._asked('get_modality_config')
            self._language = _keys(config, 'language') or [LANGUAGE]
            self._order = _keys(config, 'action')
            _check_moments(config)
        except BaseException:
            self.close()
            raise

    def begin(self, instruction: str) -> None:
        """Tell the server to forget the last episode."""
        self._asked('reset', {'options': None})

    def actions(self, seen: Seen) -> Any:
        """Return the rows that the server answers, with the groups of columns side by side in the server's order."""
        told = {
            'video': {name: picture[None, None] for name, picture in seen.roles.items()},
            'state': {name: np.asarray(part, np.float32)[None, None] for name, part in seen.parts.items()},
            'language': {key: [[seen.instruction]] for key in self._language},
        }
        answer = self._asked('get_action', {'observation': told, 'options': None})
        if not (isinstance(answer, list) and answer and isinstance(answer[0], dict)):
            raise PolicyFault(TYPE, f'Its server answered {shown(answer)}; a list of actions and information was expected.')
        return _side_by_side(answer[0], self._order or list(answer[0]))

    def close(self) -> None:
        """Close the socket."""
        self._context.destroy(linger=0)

    def _connect(self) -> None:
        try:
            self._socket.connect(self._address.url)
        except zmq.ZMQError as error:
            raise ConfigError(
                f'{self._address.url!r} is not the address of a policy server: {error}. Write one such as tcp://127.0.0.1:5555.'
            ) from error

    def _asked(self, endpoint: str, data: dict[str, Any] | None = None) -> Any:
        request: dict[str, Any] = {'endpoint': endpoint}
        if data is not None:
            request['data'] = data
        if self._address.token:
            request['api_token'] = self._address.token
        try:
            self._socket.send(wire.pack(request, writer))
            if not self._socket.poll(int(self._address.seconds * 1000)):
                raise PolicyFault(SILENT, f'Its server gave no answer of at most {MOST_BYTES >> 20} MiB in {self._address.seconds:g} s.')
            answer = wire.unpack(self._socket.recv(), reader)
        except ValueError as error:
            raise PolicyFault(TYPE, f'The answer of its server is not msgpack: {error}') from error
        except zmq.ZMQError as error:
            raise PolicyFault(CLOSED, f'The connection to its server broke: {error}') from error
        if isinstance(answer, dict) and 'error' in answer:
            raise reported(answer['error'])
        return answer


def writer(value: Any) -> Any:
    """Write arrays as GR00T N1.6 does, which N1.7 also reads: the bytes of a .npy file."""
    if wire.is_numbers(value, np.ndarray):
        file = io.BytesIO()
        np.save(file, value, allow_pickle=False)
        return {_CLASS: True, _NPY: file.getvalue()}
    raise wire.unwritten(value)


def reader(value: dict[Any, Any]) -> Any:
    """Read arrays of N1.6, and those of N1.7, which are maps of bytes, type and shape."""
    if _CLASS in value:
        return _from_npy(value[_NPY])
    plain = {key.decode() if isinstance(key, bytes) else key: part for key, part in value.items()}
    if plain.get('nd') is True:
        return wire.array(plain['data'], plain['type'], list(plain['shape']))
    if plain.get('nd') is False:
        return np.frombuffer(plain['data'], wire.numbers_type(plain['type']))[0]
    return value


def _from_npy(data: bytes) -> np.ndarray[Any, np.dtype[Any]]:
    """Return the array of a .npy file. Its header is read first: it may promise more than there is, or objects."""
    file = io.BytesIO(data)
    version = npy.read_magic(file)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran, type_ = read(file)
    found = np.frombuffer(data, wire.numbers_type(type_), offset=file.tell())
    return found.reshape(shape, order='F' if fortran else 'C')


def _keys(config: Any, modality: str) -> list[str]:
    """Return the keys of a modality in the server's order; none if it does not tell."""
    keys = _told(config, modality).get('modality_keys')
    return keys if isinstance(keys, list) and all(isinstance(key, str) for key in keys) else []


def _check_moments(config: Any) -> None:
    """Refuse a policy that looks at several moments: the bench sends the present one."""
    for modality in ('video', 'state'):
        moments = _told(config, modality).get('delta_indices')
        if isinstance(moments, list) and len(moments) > 1:
            raise ConfigError(
                f'The policy of the GR00T server takes {len(moments)} moments of {modality} at a time; the bench sends the present one. '
                'Serve a policy that was trained with one.'
            )


def _told(config: Any, modality: str) -> dict[Any, Any]:
    found = config.get(modality) if isinstance(config, dict) else None
    if isinstance(found, dict) and isinstance(whole := found.get('as_json', found.get('as_dict')), dict):
        found = whole
    return found if isinstance(found, dict) else {}


def _side_by_side(groups: dict[Any, Any], order: list[str]) -> np.ndarray[Any, np.dtype[Any]]:
    found = [member(groups, name) for name in order]
    if not found or not all(wire.is_numbers(group, np.ndarray) and group.ndim == 3 and len(group) == 1 for group in found):
        shapes = [np.shape(group) if isinstance(group, np.ndarray) else type(group).__name__ for group in found]
        raise PolicyFault(SHAPE, f'The groups of its actions are {shapes}; arrays of shape (1, rows, columns) were expected.')
    if len({group.shape[1] for group in found}) > 1:
        raise PolicyFault(
            SHAPE, f'The groups of its actions have {[group.shape[1] for group in found]} rows; as many were expected of each.'
        )
    return np.concatenate([group[0].astype(float) for group in found], axis=1)

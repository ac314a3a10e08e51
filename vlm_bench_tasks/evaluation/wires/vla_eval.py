"""The wire of the vla-eval harness (PyPI: vla-eval, 0.8), whose servers hold OpenVLA, π0, GR00T, CogACT, X-VLA and others."""

import time
from typing import Any

import numpy as np

from vlm_bench_sim import __version__
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.evaluation import wire
from vlm_bench_tasks.evaluation.faults import TYPE, PolicyFault, shown
from vlm_bench_tasks.evaluation.server_observations import Seen
from vlm_bench_tasks.evaluation.wires.link import Address, Link, member, reported
from vlm_bench_tasks.evaluation.wires.websocket import Websocket

PROTOCOL = 1
"""Version of the protocol, exchanged in `hello`."""

_ARRAY, _DATA, _TYPE, _SHAPE = '__ndarray__', 'data', 'dtype', 'shape'


class VlaEvalLink(Link):
    """A link to a model server of vla-eval. Each message has a type, a payload, a number and a time; an answer has the number asked."""

    def __init__(self, address: Address) -> None:
        self._socket, self._seq, self._begun = Websocket(address, writer=writer, reader=reader), 0, False
        try:
            self._send('hello', {'harness_version': f'vlm_bench {__version__}', 'protocol_version': PROTOCOL, 'benchmark': 'vlm_bench'})
            spoken = member(self._receive('hello'), 'protocol_version')
            if not isinstance(spoken, int) or spoken != PROTOCOL:
                raise ConfigError(f'The server speaks version {shown(spoken, 40)} of the vla-eval protocol; the bench speaks {PROTOCOL}.')
        except BaseException:
            self._socket.close()
            raise

    def begin(self, instruction: str) -> None:
        """Begin an episode. The server learns the instruction, and not which task it is."""
        self._send('episode_start', {'task': {'name': instruction}})
        self._begun = True

    def actions(self, seen: Seen) -> Any:
        """Return the actions that the server answers."""
        shown = {'images': dict(seen.pictures), 'intrinsics': seen.intrinsics, 'camera_poses': seen.poses}
        self._send('observation', shown | {'task_description': seen.instruction, 'states': seen.state})
        return member(self._receive('action'), 'actions')

    def close(self) -> None:
        """End the episode and close the connection."""
        try:
            if self._begun:
                self._send('episode_end', {})
        except PolicyFault:
            pass  # it is gone
        finally:
            self._socket.close()

    def _send(self, kind: str, payload: dict[str, Any]) -> None:
        self._seq += 1
        self._socket.send({'type': kind, 'payload': payload, 'seq': self._seq, 'timestamp': time.time()})

    def _receive(self, kind: str) -> Any:
        answer = self._socket.receive()
        found, payload = member(answer, 'type'), member(answer, 'payload')
        if not isinstance(found, str):
            raise PolicyFault(TYPE, f'Its server sent a message of the type {shown(found, 40)}; a text was expected.')
        if found == 'error':
            raise reported(payload.get('error', payload) if isinstance(payload, dict) else payload)
        seq = member(answer, 'seq')
        if not isinstance(seq, int) or (found, seq) != (kind, self._seq):
            raise PolicyFault(TYPE, f'Its server sent {shown(found, 40)} number {shown(seq, 20)}; {kind} number {self._seq} was expected.')
        return payload


def writer(value: Any) -> Any:
    """Write arrays as vla-eval does: a map of bytes, type and shape, with text as keys."""
    if wire.is_numbers(value, np.ndarray):
        return {_ARRAY: True, _DATA: value.tobytes(), _TYPE: value.dtype.str, _SHAPE: list(value.shape)}
    if wire.is_numbers(value, np.generic):
        return value.item()
    raise wire.unwritten(value)


def reader(value: dict[Any, Any]) -> Any:
    """Read what `writer` writes. Pictures stay maps: no answer holds one."""
    return wire.array(value[_DATA], value[_TYPE], value[_SHAPE]) if _ARRAY in value else value

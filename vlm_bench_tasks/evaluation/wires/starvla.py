"""starVLA's wire: openpi's framing around requests with a type (deployment/model_server of the starVLA repository)."""

from typing import Any

import numpy as np

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.evaluation.faults import SHAPE, PolicyFault, hushed, shown
from vlm_bench_tasks.evaluation.server_observations import Seen
from vlm_bench_tasks.evaluation.wires.link import Address, Link, member, reported
from vlm_bench_tasks.evaluation.wires.websocket import Websocket

KEY = 'unnorm_key'
"""Option: of which data set's statistics the server undoes the normalisation of actions."""


class StarvlaLink(Link):
    """A link to a starVLA server. Pictures go in the order of the bench's cameras, and the state as one row."""

    def __init__(self, address: Address) -> None:
        self._chosen = {KEY: address.options[KEY]} if KEY in address.options else {}
        self._socket = Websocket(address)
        try:
            self._check(self._socket.receive())
        except BaseException:
            self._socket.close()
            raise

    def begin(self, _instruction: str) -> None:
        """Do nothing: its servers remember nothing."""

    def actions(self, seen: Seen) -> Any:
        """Return the rows that the server answers for its only example."""
        example = {'image': list(seen.pictures.values()), 'lang': seen.instruction, 'state': seen.state[None]}
        self._socket.send({'type': 'infer', 'request_id': 'vlm_bench', 'payload': {'examples': [example], **self._chosen}})
        answer = self._socket.receive()
        if isinstance(answer, dict) and answer.get('ok') is False:
            raise reported(_message(answer))
        batch = member(answer, 'data', 'actions')
        if isinstance(batch, np.ndarray) and batch.ndim:
            batch = list(batch)
        if not isinstance(batch, list) or len(batch) != 1:
            raise PolicyFault(
                SHAPE, f'Its server answered {shown(batch, 60)} to one example; actions of shape (1, rows, columns) were expected.'
            )
        return batch[0]

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def _check(self, metadata: Any) -> None:
        """Refuse a key that the server does not have: it would answer every episode with an error."""
        known = metadata.get('available_unnorm_keys') if isinstance(metadata, dict) else None
        wanted = self._chosen.get(KEY)
        if not isinstance(known, list) or not all(isinstance(key, str) for key in known):
            return
        if wanted is not None and wanted not in known:
            raise ConfigError(f'The starVLA server has no {KEY} {wanted!r}. It has {hushed(", ".join(known))}.')
        if wanted is None and len(known) > 1 and not isinstance(metadata.get('default_unnorm_key'), str):
            raise ConfigError(
                f'The starVLA server was trained on several data sets. Name one with --policy-arg {KEY}=…: {hushed(", ".join(known))}.'
            )


def _message(answer: dict[Any, Any]) -> Any:
    problem = answer.get('error')
    return problem.get('message', problem) if isinstance(problem, dict) else problem

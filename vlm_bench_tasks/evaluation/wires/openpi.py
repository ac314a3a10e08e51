"""openpi's wire, which LeRobot policies are often served with as well: the server sends its metadata, then answers each observation."""

from typing import Any

from vlm_bench_tasks.evaluation.server_observations import Seen
from vlm_bench_tasks.evaluation.wires.link import Address, Link, member
from vlm_bench_tasks.evaluation.wires.websocket import Websocket


class OpenpiLink(Link):
    """A link to a server of openpi's kind."""

    def __init__(self, address: Address) -> None:
        self._socket = Websocket(address)
        try:
            self._socket.receive()  # metadata
        except BaseException:
            self._socket.close()
            raise

    def begin(self, _instruction: str) -> None:
        """Do nothing: the connection is new."""

    def actions(self, seen: Seen) -> Any:
        """Return the rows that the server answers."""
        self._socket.send(seen.keyed)
        return member(self._socket.receive(), 'actions')

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

"""Starts a bench again with another robot or other cameras, as its window asks."""

import json
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_tasks.graph import NodeSpec
from vlm_bench_tasks.launching.processes import Processes, end, sockets, start

WINDOW = 'dash_node'
CHANGEABLE = ('robot', 'cameras')
"""Settings that the window may ask for."""

_MOST_BYTES = 1 << 16


class Changes:
    """The other end of the window's leash: a pair of sockets, of which the window inherits one.

    Args:
        nodes: returns the nodes of a bench with changed settings, or raises a VlmBenchError; nothing has been ended by then.
        before: is called before the nodes are ended.
        offered: whether the window may ask at all.
    """

    def __init__(self, nodes: Callable[[dict[str, Any]], tuple[NodeSpec, ...]], *, before: Callable[[], None], offered: bool) -> None:
        self._nodes, self._before, self._offered = nodes, before, offered
        self._ours, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._ours.settimeout(0.0)
        self._settings: dict[str, Any] = {}

    def __enter__(self) -> 'Changes':
        return self

    def __exit__(self, *_: object) -> None:
        self._ours.close()
        self._theirs.close()

    @property
    def descriptors(self) -> dict[str, tuple[int, ...]]:
        """What the window inherits."""
        return {WINDOW: (self._theirs.fileno(),)} if self._offered else {}

    def variables(self, specs: tuple[NodeSpec, ...]) -> dict[str, str]:
        """Return the variables of the environment for who hears the bench from outside, if it has a window that may ask."""
        return sockets(os.environ) if self._offered and any(spec.name == WINDOW for spec in specs) else {}

    def leashed(self, specs: tuple[NodeSpec, ...]) -> tuple[NodeSpec, ...]:
        """Return the nodes, of which the window knows its end of the leash."""
        if not self._offered:
            return specs
        leash = {'leash': self._theirs.fileno()}
        return tuple(replace(spec, parameters=spec.parameters | leash) if spec.name == WINDOW else spec for spec in specs)

    def turn(self, processes: Processes, say: Callable[[str], None]) -> bool:
        """Start the bench again if the window asks for it; return whether that was done.

        Args:
            processes: the nodes that run; those that are started take their places.
            say: tells a person what is done.
        """
        try:
            asked = json.loads(self._ours.recv(_MOST_BYTES))
        except (BlockingIOError, ConnectionError):
            return False
        except ValueError:
            self._answer('The window asked for what is no JSON.')
            return False
        settings = self._settings | {name: str(asked[name]) for name in CHANGEABLE if name in asked}
        try:
            specs = [spec for spec in self._nodes(settings) if spec.name != WINDOW]
        except VlmBenchError as error:
            self._answer(str(error))
            return False
        say('The window asks for ' + ', '.join(f'{name} {value}' for name, value in asked.items()) + '.')
        self._before()
        gone = {name: processes.pop(name) for name in list(processes) if name != WINDOW}
        end(gone, say)
        for spec in specs:
            processes[spec.name] = start(spec, signed=True)
        self._settings = settings
        self._answer('')
        return True

    def _answer(self, text: str) -> None:
        with suppress(OSError):  # the window has ended, which ends the bench
            self._ours.sendall(f' {text}'.encode()[: _MOST_BYTES - 1])

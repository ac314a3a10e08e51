"""A policy behind a websocket, with the protocol of openpi's servers: each observation is answered with rows of actions."""

from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
from websockets.exceptions import ConnectionClosed, InvalidURI, WebSocketException
from websockets.sync.client import ClientConnection, connect

from vlm_bench_sim.core.command import Command
from vlm_bench_sim.core.errors import CommandError, ConfigError
from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.unsteady import KinematicsSolver
from vlm_bench_tasks.actions import ActionSpace, Decoder, action_space
from vlm_bench_tasks.actions.spaces import as_numbers
from vlm_bench_tasks.evaluation import wire
from vlm_bench_tasks.evaluation.faults import CLOSED, NOT_FINITE, RAISED, SHAPE, SILENT, TYPE, PolicyFault
from vlm_bench_tasks.evaluation.server_observations import ServerObservations
from vlm_bench_tasks.policy import EpisodeContext, Observation, Player

MOST = 1e9
"""Largest absolute value in an action; squares of much larger numbers overflow."""

_MANNERS: dict[str, Any] = {
    'ping_interval': None,  # a server that blocks while it computes answers no pings; the answer has its own timeout
    'close_timeout': 1.0,
    'compression': None,
    'max_size': 64 * 1024 * 1024,  # bytes of an answer
    'proxy': None,
}


class Manners:
    """How to communicate with a server.

    Args:
        address: ws://host:port.
        action: name of the action space of the server's rows.
        rows: number of rows of each answer to execute before the next request; 0: all.
        seconds: timeout for an answer, wall-clock s.

    Raises:
        ConfigError: the action space does not exist.
    """

    def __init__(self, address: str, *, action: str, rows: int = 0, seconds: float = 60.0) -> None:
        self.address, self.space, self.rows, self.seconds = address, action_space(action), rows, seconds


class SocketPlayer(Player):
    """Plays a policy behind a websocket. Each episode opens a new connection, so the server cannot carry over state.

    Args:
        manners: how to communicate with the server.
        observations: converts the observations.
        kinematics: of the robot.
    """

    def __init__(self, manners: Manners, observations: ServerObservations, *, kinematics: KinematicsSolver) -> None:
        self._manners, self._observations, self._kinematics = manners, observations, kinematics
        self._connection: ClientConnection | None = None
        self._closing = ExitStack()

    def reset(self, context: EpisodeContext) -> None:
        """Start an episode with a new connection.

        Raises:
            PolicyFault: the server accepts no connection.
        """
        self.close()
        self._context, self._profile = context, context.profile
        self._decoder = Decoder(self._manners.space, context.profile, kinematics=self._kinematics)
        self._rows = deque[Any]()
        self._connection, self._closing = opened(self._manners.address, self._manners.seconds)

    def act(self, observation: Observation) -> Command:
        """Return the command for the next row of the last answer; request a new answer when the rows are used up.

        Raises:
            PolicyFault: the server is gone or silent, reports an error, or answers with something other than actions.
        """
        if not self._rows:
            self._rows.extend(self._asked(observation))
        try:
            return self._decoder.command(self._rows.popleft(), observation)
        except CommandError as error:
            raise PolicyFault(SHAPE, str(error)) from error

    def close(self) -> None:
        """Close the connection."""
        self._connection = None
        self._closing.close()

    def _asked(self, observation: Observation) -> Any:
        answer = self._exchanged(wire.pack(self._observations.told(observation, self._context)))
        if not isinstance(answer, dict) or 'actions' not in answer:
            raise PolicyFault(TYPE, f'Its server answered {answer!r:.100}; a map with actions was expected.')
        rows = read_rows(answer['actions'], self._manners.space, self._profile)
        if not np.isfinite(rows).all():
            raise PolicyFault(NOT_FINITE, 'The actions of its server hold NaN or infinite numbers.')
        if np.abs(rows).max() > MOST:
            raise PolicyFault(
                NOT_FINITE, f'The actions of its server hold numbers beyond ±{MOST:.0e}, which cannot be m or rad. Check its units.'
            )
        return rows[: self._manners.rows or None]

    def _exchanged(self, told: bytes) -> Any:
        connection = self._connection
        if connection is None:
            raise PolicyFault(CLOSED, 'There is no connection to its server.')
        with _in_words(self._manners.seconds):
            connection.send(told)
            return _value(connection.recv(self._manners.seconds))


def read_rows(actions: Any, space: ActionSpace, profile: RobotProfile) -> Floats:
    """Return an answer's actions as rows of numbers; a single row is accepted.

    Raises:
        PolicyFault: the actions are not numbers, or have the wrong width.
    """
    numbers = as_numbers(actions)
    if numbers is None:
        raise PolicyFault(TYPE, f'Its actions are not rows of numbers: {actions!r:.100}. Send an array of shape (rows, columns).')
    found = np.atleast_2d(numbers)
    columns = len(space.names(profile))
    if found.ndim != 2 or found.shape[1] != columns or not len(found):
        asked = f'{space.name} takes rows of {columns} numbers for {profile.name}'
        raise PolicyFault(SHAPE, f'{asked}; found an array of shape {np.shape(actions)}.')
    return found


def opened(address: str, seconds: float) -> tuple[ClientConnection, ExitStack]:
    """Connect to a server and read its metadata; return the connection and the stack that closes it.

    Raises:
        ConfigError: the address is invalid.
        PolicyFault: the server accepts no connection, or its metadata cannot be read.
    """
    with ExitStack() as stack:
        try:
            connection = stack.enter_context(connect(address, open_timeout=seconds, **_MANNERS))
        except InvalidURI as error:
            raise ConfigError(
                f'{address!r} is not the address of a policy server: {error}. Write one such as ws://127.0.0.1:8000.'
            ) from error
        except (OSError, WebSocketException) as error:  # a timeout is also an OSError
            raise PolicyFault(CLOSED, f'No policy server accepted the connection to {address}: {type(error).__name__}.') from error
        with _in_words(seconds):
            _value(connection.recv(seconds))
        return connection, stack.pop_all()


@contextmanager
def _in_words(seconds: float) -> Iterator[None]:
    try:
        yield
    except TimeoutError as error:
        raise PolicyFault(SILENT, f'Its server gave no answer in {seconds:g} s.') from error
    except ConnectionClosed as error:
        raise PolicyFault(CLOSED, 'Its server closed the connection.') from error


def _value(said: str | bytes) -> Any:
    if isinstance(said, str):
        lines = said.strip().splitlines() or ['nothing']
        raise PolicyFault(RAISED, f'Its server reports: {lines[-1]}')
    try:
        return wire.unpack(said)
    except ValueError as error:
        raise PolicyFault(TYPE, f'The answer of its server is not msgpack: {error}') from error

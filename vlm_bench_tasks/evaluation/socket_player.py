"""A policy behind a server: each observation is answered with rows of actions. How servers are spoken to is a matter of their wire."""

from collections import deque
from typing import Any

import numpy as np

from vlm_bench_sim.core.command import Command
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.unsteady import KinematicsSolver
from vlm_bench_tasks.actions import ActionSpace, Decoder, action_space
from vlm_bench_tasks.actions.spaces import as_numbers
from vlm_bench_tasks.evaluation.faults import CLOSED, NOT_FINITE, SHAPE, TYPE, PolicyFault, shown
from vlm_bench_tasks.evaluation.server_observations import ServerObservations
from vlm_bench_tasks.evaluation.wires.link import Address, Link
from vlm_bench_tasks.evaluation.wires.registry import wire_for
from vlm_bench_tasks.policies.arguments import Arguments
from vlm_bench_tasks.policy import EpisodeContext, Observation, Player

MOST = 1e9
"""Largest absolute value in an action; squares of much larger numbers overflow."""


class Manners:
    """How to communicate with a server.

    Args:
        address: such as ws://host:port.
        action: name of the action space of the server's rows.
        rows: number of rows of each answer to execute before the next request; 0: all.
        seconds: timeout for an answer, wall-clock s.
        wire: name of the wire; '': the first whose addresses look so.
        options: of the wire.

    Raises:
        ConfigError: there is no such action space or wire.
    """

    def __init__(self, address: str, *, action: str, rows: int = 0, seconds: float = 60.0, wire: str = '', options: Arguments = ()) -> None:
        self.space, self.rows = action_space(action), rows
        self._wire, self._address = wire_for(address, wire), Address(address, seconds, dict(options))

    def open(self) -> Link:
        """Open a link to the server.

        Raises:
            ConfigError: the address is invalid, a library is missing, or the server wants what the bench does not offer.
            PolicyFault: the server does not answer, or not as it should.
        """
        return self._wire.open(self._address)


class SocketPlayer(Player):
    """Plays a policy behind a server. Each episode opens a new link, so the server cannot carry over state.

    Args:
        manners: how to communicate with the server.
        observations: converts the observations.
        kinematics: of the robot.
    """

    def __init__(self, manners: Manners, observations: ServerObservations, *, kinematics: KinematicsSolver) -> None:
        self._manners, self._observations, self._kinematics = manners, observations, kinematics
        self._link: Link | None = None

    def reset(self, context: EpisodeContext) -> None:
        """Start an episode with a new link.

        Raises:
            PolicyFault: the server accepts no connection, or does not answer as it should.
        """
        self.close()
        self._context, self._profile = context, context.profile
        self._decoder = Decoder(self._manners.space, context.profile, kinematics=self._kinematics)
        self._rows = deque[Any]()
        self._link = self._manners.open()
        self._link.begin(context.instruction)

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
        """Close the link."""
        link, self._link = self._link, None
        if link is not None:
            link.close()

    def _asked(self, observation: Observation) -> Any:
        if self._link is None:
            raise PolicyFault(CLOSED, 'There is no connection to its server.')
        actions = self._link.actions(self._observations.seen(observation, self._context))
        rows = read_rows(actions, self._manners.space, self._profile)
        if not np.isfinite(rows).all():
            raise PolicyFault(NOT_FINITE, 'The actions of its server hold NaN or infinite numbers.')
        if np.abs(rows).max() > MOST:
            raise PolicyFault(
                NOT_FINITE, f'The actions of its server hold numbers beyond ±{MOST:.0e}, which cannot be m or rad. Check its units.'
            )
        return rows[: self._manners.rows or None]


def read_rows(actions: Any, space: ActionSpace, profile: RobotProfile) -> Floats:
    """Return an answer's actions as rows of numbers; a single row is accepted.

    Raises:
        PolicyFault: the actions are not numbers, or have the wrong width.
    """
    numbers = as_numbers(actions)
    if numbers is None:
        raise PolicyFault(TYPE, f'Its actions are not rows of numbers: {shown(actions)}. Send an array of shape (rows, columns).')
    found = np.atleast_2d(numbers)
    columns = len(space.names(profile))
    if found.ndim != 2 or found.shape[1] != columns or not len(found):
        asked = f'{space.name} takes rows of {columns} numbers for {profile.name}'
        raise PolicyFault(SHAPE, f'{asked}; found an array of shape {np.shape(actions)}.')
    return found

"""A policy at arm's length: what it does wrong is noted as its fault, and the episode ends for it as if it had stopped."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import fields
from traceback import walk_tb
from typing import Any, ClassVar, TypeVar

from vlm_bench_sim.core.command import Command, Stop
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_tasks.evaluation.answers import checked
from vlm_bench_tasks.evaluation.faults import NOT_FINITE, PRIVILEGED, RAISED, SHAPE, TYPE, PolicyFault, said
from vlm_bench_tasks.policy import EpisodeContext, Observation, Player

_OURS = ('vlm_bench_sim', 'vlm_bench_tasks')
T = TypeVar('T')
Turn = Callable[[], AbstractContextManager[None]]


class Sealed(Observation):
    """An observation that lets nobody read the truth, which it does not hold, and remembers who tried."""

    peeked: list[str]

    def __getattribute__(self, name: str) -> Any:
        if name == 'truth':
            object.__getattribute__(self, 'peeked').append(name)
            raise PolicyFault(PRIVILEGED, 'It read observation.truth, which only privileged policies are shown.')
        return object.__getattribute__(self, name)

    def __repr__(self) -> str:
        return f'Observation(seconds={self.seconds}, tool={self.tool}, opening={self.opening}, pictures={sorted(self.pictures)})'


def sealed(observation: Observation, peeked: list[str]) -> Sealed:
    """Return an observation without the truth; whoever tries to read that is put on a list."""
    found = Sealed(**{part.name: getattr(observation, part.name) for part in fields(Observation) if part.name != 'truth'})
    object.__setattr__(found, 'peeked', peeked)
    return found


class Guard(Player):
    """Plays with a policy that may do anything; once it has done something wrong it is asked no more.

    Args:
        player: the policy.
        turn: a context in which it is asked, such as a watch.

    """

    def __init__(self, player: Player, turn: Turn) -> None:
        self._player, self._turn, self._fault = player, turn, ''

    def reset(self, context: EpisodeContext) -> None:
        """Begin an episode."""
        self._fault, self._joints, self._peeked = '', len(context.profile.joints), list[str]()
        self._tried(lambda: self._player.reset(context))

    def act(self, observation: Observation) -> Command:
        """Return the policy's next command; `Stop()` once it has done something wrong."""
        shown = observation if self.privileged else sealed(observation, self._peeked)
        command = None if self._fault else self._tried(lambda: checked(self._player.act(shown), self._joints))
        return Stop() if command is None else command

    @property
    def waypoint(self) -> str:
        """The policy's."""
        return self._player.waypoint

    @property
    def fault(self) -> str:
        """What the policy did wrong, `word: sentence`; '' for nothing."""
        return self._fault

    @property
    def failures(self) -> tuple[str, ...]:
        """The policy's."""
        return self._player.failures

    def _tried(self, ask: Callable[[], T]) -> T | None:
        found = None
        try:
            with self._turn():
                found = ask()
        except PolicyFault as fault:
            self._fault = str(fault)
        except CommandError as error:
            self._fault = str(PolicyFault(_word(error), str(error)))
        except BaseException as error:  # noqa: BLE001 (it is somebody else's code; a person's Ctrl-C never reaches a worker)
            self._fault = str(PolicyFault(RAISED, said(error)))
        if self._peeked:  # also where the policy took no notice of the refusal
            self._fault = str(PolicyFault(PRIVILEGED, 'It read observation.truth, which only privileged policies are shown.'))
        return None if self._fault else found


class KnowingGuard(Guard):
    """The same for a policy that is shown the truth."""

    privileged: ClassVar[bool] = True


def guarded(player: Player, turn: Turn) -> Guard:
    """Return a policy at arm's length."""
    return (KnowingGuard if player.privileged else Guard)(player, turn)


def raised_in(policy: str, error: BaseException) -> bool:
    """Tell whether code of a policy's own package raised, such as a handler of a signal that comes while the world steps."""
    package = policy.partition(':')[0].partition('.')[0]
    frames = (frame.f_globals.get('__name__', '') for frame, _ in walk_tb(error.__traceback__))
    return package not in _OURS and any(name.partition('.')[0] == package for name in frames)


def _word(error: CommandError) -> str:
    """Return the word for a command that could not even be made, such as a tool pose of NaN, by what its error found."""
    found = str(error).partition('found')[2].partition('. ')[0].lower()
    if 'nan' in found or 'inf' in found:
        return NOT_FINITE
    return SHAPE if 'found [' in str(error) else TYPE

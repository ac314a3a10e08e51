"""Guard around a policy: it records each error as the policy's fault, and then ends the episode as if the policy had stopped."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import fields
from itertools import dropwhile
from pathlib import Path
from traceback import walk_tb
from types import FrameType
from typing import Any, ClassVar, TypeVar

from vlm_bench_sim.core.codes import Note
from vlm_bench_sim.core.command import Command, Stop
from vlm_bench_sim.core.errors import CommandError, ConfigError
from vlm_bench_tasks.evaluation.answers import checked
from vlm_bench_tasks.evaluation.faults import NOT_FINITE, PRIVILEGED, RAISED, SHAPE, TYPE, PolicyFault, printable, said
from vlm_bench_tasks.policy import EpisodeContext, Observation, Played, Player

_OURS = ('vlm_bench_sim', 'vlm_bench_tasks')
T = TypeVar('T')
Turn = Callable[[], AbstractContextManager[None]]
Caught = Callable[[BaseException], None]


class Sealed(Observation):
    """An observation without ground truth. It records each attempt to read it."""

    peeked: list[str]

    def __getattribute__(self, name: str) -> Any:
        if name == 'truth':
            object.__getattribute__(self, 'peeked').append(name)
            raise PolicyFault(PRIVILEGED, 'It read observation.truth, which only privileged policies are shown.')
        return object.__getattribute__(self, name)

    def __repr__(self) -> str:
        return f'Observation(seconds={self.seconds}, tool={self.tool}, opening={self.opening}, pictures={sorted(self.pictures)})'


def sealed(observation: Observation, peeked: list[str]) -> Sealed:
    """Return the observation without ground truth; each attempt to read it is appended to `peeked`."""
    found = Sealed(**{part.name: getattr(observation, part.name) for part in fields(Observation) if part.name != 'truth'})
    object.__setattr__(found, 'peeked', peeked)
    return found


class Unfit(ConfigError):
    """The policy cannot play under these conditions, such as with these cameras. It ends the evaluation instead of costing an episode."""


class Guard(Player):
    """Calls an untrusted policy. After its first fault, the policy is not called again.

    Args:
        player: the policy.
        turn: context manager for each call of the policy, such as a watchdog.
        may_refuse: whether a ConfigError before its first command says that it cannot play like this at all; else it costs the episode.
        caught: called with each error that the policy raised, for a log.
    """

    def __init__(self, player: Player, turn: Turn, *, may_refuse: bool = True, caught: Caught = lambda _: None) -> None:
        self._player, self._turn, self._may_refuse, self._caught, self._fault = player, turn, may_refuse, caught, ''

    def reset(self, context: EpisodeContext) -> None:
        """Start an episode.

        Raises:
            Unfit: the policy raised a ConfigError, and may refuse.
        """
        self._fault, self._joints, self._peeked, self._answered = '', len(context.profile.joints), list[str](), False
        self._tried(lambda: self._player.reset(context))

    def act(self, observation: Observation) -> Command:
        """Return the policy's next command, or `Stop()` after a fault.

        Raises:
            Unfit: the policy raised a ConfigError instead of its first command, and may refuse.
        """
        shown = observation if self.privileged else sealed(observation, self._peeked)
        command = None if self._fault else self._tried(lambda: checked(self._player.act(shown), self._joints))
        self._answered = True
        return Stop() if command is None else command

    @property
    def notes(self) -> tuple[Note, ...]:
        """The policy's notes."""
        return self._player.notes

    @property
    def fault(self) -> str:
        """The policy's fault as `word: sentence`; '' if there is none."""
        return self._fault

    @property
    def failures(self) -> tuple[str, ...]:
        """The failures that the policy reported."""
        return tuple(map(printable, self._player.failures))

    def _tried(self, ask: Callable[[], T]) -> T | None:
        found = None
        try:
            with self._turn():
                found = ask()
        except BaseException as error:
            if isinstance(error, ConfigError) and self._may_refuse and not self._answered:
                raise Unfit(str(error)) from error
            self._fault = _fault(error)
            self._caught(error)
        if self._peeked:  # also if the policy ignored the error
            self._fault = str(PolicyFault(PRIVILEGED, 'It read observation.truth, which only privileged policies are shown.'))
        return None if self._fault else found


class KnowingGuard(Guard):
    """The same for a privileged policy, which observes the simulator's ground truth."""

    privileged: ClassVar[bool] = True


def guarded(player: Player, turn: Turn, **options: Any) -> Guard:
    """Return the guarded policy; `options` as for `Guard`."""
    return (KnowingGuard if player.privileged else Guard)(player, turn, **options)


def raised_in(policy: str, error: BaseException) -> bool:
    """Return whether the policy's own package raised the error, for instance in a signal handler that runs while the world steps."""
    package = policy.partition(':')[0].partition('.')[0]
    return package not in _OURS and any(_package(frame) == package for frame, _ in walk_tb(error.__traceback__))


def _fault(error: BaseException) -> str:
    if isinstance(error, PolicyFault):
        return str(error)
    if isinstance(error, CommandError):
        return str(PolicyFault(_word(error), str(error)))
    return str(PolicyFault(RAISED, f'{said(error)}{_place(error)}'))


def _place(error: BaseException) -> str:
    """Return where in the policy's own package the error arose, as text to add; '' if nowhere."""
    frames = list(walk_tb(error.__traceback__))
    within = list(dropwhile(lambda at: at[0].f_globals.get('__name__') != Played.__module__, frames))[1:]  # what `Played` called
    own = [at for at in within if _package(at[0]) == _package(within[0][0])]
    return f' ({Path(own[-1][0].f_code.co_filename).name}, line {own[-1][1]})' if own else ''


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get('__name__', '')).partition('.')[0]


def _word(error: CommandError) -> str:
    """Return the fault word for a command that could not be constructed, such as a tool pose of NaN."""
    found = str(error).partition('found')[2].partition('. ')[0].lower()
    if 'nan' in found or 'inf' in found:
        return NOT_FINITE
    return SHAPE if 'found [' in str(error) else TYPE

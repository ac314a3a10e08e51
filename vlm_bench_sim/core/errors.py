"""Errors of the project, one family.

    VlmBenchError
    ├── ConfigError      a profile, camera set or other file of settings is wrong
    ├── SceneError       placement failed, or a prop is unknown
    ├── TaskError        unknown task or seed
    │   ├── AxisError    an axis that the task does not vary along
    │   ├── NeedError    what the task needs is not to be had here
    │   └── SeedError    seeds that are not for what they were asked for
    ├── SplitError       unknown split
    ├── CommandError     a command that no robot could take (NaN, unknown joint, times not increasing)
    ├── WorldError       the simulator was asked for something it cannot do now
    ├── PlanError        no motion found; carries a code
    ├── BagError         a bag that cannot be written or read
    └── Unobservable     the bench, not the policy, is at fault

A message says what was asked, what was found and what to do.
"""

from collections.abc import Iterable
from difflib import get_close_matches

_QUOTED, _NAMED = 80, 230  # characters


class VlmBenchError(Exception):
    """Ancestor of every error that vlm_bench raises on purpose."""


class ConfigError(VlmBenchError):
    """A file of settings holds something wrong."""


class PerturbationError(ConfigError):
    """A perturbation that does not exist, or whose size is wrong."""


class SceneError(VlmBenchError):
    """A scene cannot be laid out, or names a prop that it does not hold."""


class NoRoomError(SceneError):
    """Things do not fit beside each other where they may stand; another layout may fit."""


class TaskError(VlmBenchError):
    """A task, an axis or a seed that does not exist."""


class AxisError(TaskError):
    """An axis that the task does not vary along."""


class NeedError(TaskError):
    """A task that needs something which a real arm does not have."""


class SeedError(TaskError):
    """Seeds that are not for what they were asked for."""


class SplitError(VlmBenchError):
    """A split that does not exist."""


class CommandError(VlmBenchError):
    """A command that no robot could take."""


class WorldError(VlmBenchError):
    """The world was asked for something that it cannot do in its present state."""


class PlanError(VlmBenchError):
    """No motion was found.

    Attributes:
        code: one of `core.protocols.PlanCode`, the same number that MoveTcp and Plan answer with.
    """

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


class BagError(VlmBenchError):
    """A bag cannot be written or read."""


class Unobservable(VlmBenchError):
    """The bench failed, so nothing can be said of the policy. The text is the cause."""


def quoted(asked: str) -> str:
    """Return what was asked for in quotes, control characters escaped and cut to a line's length: it may come from anywhere."""
    text = repr(asked)
    return text if len(text) <= _QUOTED else f'{text[:_QUOTED]}…{text[0]} ({len(asked)} characters)'


def near(asked: str, known: Iterable[str]) -> str:
    """Say which known names lie near the one asked for, as the tail of an error message."""
    names = sorted(known)
    close = get_close_matches(asked[:_QUOTED], names, n=3, cutoff=0.5)
    if close:
        return f'Did you mean {" or ".join(close)}?'
    named = [name for i, name in enumerate(names) if len(', '.join(names[: i + 1])) <= _NAMED]
    return f'Known: {", ".join(named)}.' if len(named) == len(names) else f'Known: {", ".join(named)} and {len(names) - len(named)} more.'

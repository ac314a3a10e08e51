"""Exceptions of the project, all derived from `VlmBenchError`.

    VlmBenchError
    ├── ConfigError      a profile, camera set or other settings file is wrong
    │   └── ExtensionError  an extension that is needed is not here, or does not bring what is needed
    ├── SceneError       placement failed, or a prop is unknown
    ├── TaskError        unknown task or seed
    │   ├── AxisError    unknown variation axis of a task
    │   ├── NeedError    a requirement of the task is not available
    │   └── SeedError    seeds that may not be used for this purpose
    ├── SplitError       unknown split
    ├── CommandError     a command that no robot could take (NaN, unknown joint, times not increasing)
    ├── WorldError       the simulator cannot do this in its present state
    ├── PlanError        no motion found; carries a code
    ├── BagError         a bag that cannot be written or read
    └── Unobservable     the bench, not the policy, is at fault

Each message says what was asked, what was found and what to do.
"""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

_QUOTED, _NAMED = 80, 230  # characters


class VlmBenchError(Exception):
    """Base class of all errors that vlm_bench raises deliberately."""


class ConfigError(VlmBenchError):
    """A settings file contains an error."""


class ExtensionError(ConfigError):
    """An extension that is needed is not here, or does not bring what is needed."""


class PerturbationError(ConfigError):
    """A perturbation is unknown, or its size is wrong."""


class SceneError(VlmBenchError):
    """A scene cannot be laid out, or a prop is unknown."""


class NoRoomError(SceneError):
    """Objects do not fit side by side in their area; another layout may fit."""


class TaskError(VlmBenchError):
    """A task, an axis or a seed is unknown."""


class AxisError(TaskError):
    """The task has no such variation axis."""


class NeedError(TaskError):
    """The task needs something that a real arm, or the physics engine, does not have."""


class PromptError(TaskError):
    """There is no such prompt, the task cannot be asked so, or its pictures cannot be drawn."""


class SeedError(TaskError):
    """Seeds may not be used for this purpose."""


class SplitError(VlmBenchError):
    """A split is unknown."""


class CommandError(VlmBenchError):
    """A command that no robot could take."""


class WorldError(VlmBenchError):
    """The world cannot do this in its present state."""


class PlanError(VlmBenchError):
    """No motion was found.

    Attributes:
        code: one of `core.protocols.PlanCode`, the number that MoveTcp and Plan return.
    """

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


class BagError(VlmBenchError):
    """A bag cannot be written or read."""


class Unobservable(VlmBenchError):
    """The bench failed, so the policy cannot be judged. The text is the cause."""


def wrong(errors: Iterable[Mapping[str, Any]]) -> str:
    """Return in one line what pydantic found wrong, from the `errors()` of its ValidationError: each place with the reason."""
    return '; '.join(f'{".".join(map(str, one["loc"])) or "the whole"}: {one["msg"]}' for one in errors)


def quoted(asked: str) -> str:
    """Return the given text in quotes, with control characters escaped and cut to one line: it may come from any source."""
    text = repr(asked)
    return text if len(text) <= _QUOTED else f'{text[:_QUOTED]}…{text[0]} ({len(asked)} characters)'


def near(asked: str, known: Iterable[str]) -> str:
    """Return the tail of an error message that lists known names similar to the one asked for."""
    names = sorted(known)
    close = get_close_matches(asked[:_QUOTED], names, n=3, cutoff=0.5)
    if close:
        return f'Did you mean {" or ".join(close)}?'
    named = [name for i, name in enumerate(names) if len(', '.join(names[: i + 1])) <= _NAMED]
    return f'Known: {", ".join(named)}.' if len(named) == len(names) else f'Known: {", ".join(named)} and {len(names) - len(named)} more.'

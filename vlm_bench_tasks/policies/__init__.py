"""Policies that come with the bench, and yours by the path of their class."""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from vlm_bench_sim.core.errors import TaskError, near, quoted
from vlm_bench_tasks.policies.language_ablations import LanguageIgnored, OracleBlind
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.policies.random_policy import Random
from vlm_bench_tasks.policies.still import Still
from vlm_bench_tasks.policy import Played, Player, Policy

_POLICIES: dict[str, Callable[[], Player]] = {
    'oracle': Oracle,
    'still': Still,
    'random': Random,
    'oracle_blind': OracleBlind,
    'language_ignored': LanguageIgnored,
}


def policies() -> tuple[str, ...]:
    """Return the names of all that come with the bench."""
    return tuple(_POLICIES)


def policy(name: str) -> Player:
    """Return a new policy of that name, or of the class at that path.

    Args:
        name: of `policies()`, or 'module:Class' with the path of a `Policy`; its module is looked for in the present folder, too.

    Raises:
        TaskError: there is none, or making it failed.
    """
    if ':' in name:
        return Played(_made(name))
    if name not in _POLICIES:
        raise TaskError(f'There is no policy called {quoted(name)}. {near(name, _POLICIES)} One of yours is named module:Class.')
    return _POLICIES[name]()


def _made(path: str) -> Policy:
    module, _, name = path.partition(':')
    if '' not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))  # as `python -m` does
    try:
        found = getattr(import_module(module), name, None)
    except Exception as error:  # it is somebody else's code
        raise TaskError(f'The policy {path!r} was to be imported: {type(error).__name__}: {error}. Is its module here?') from error
    if not (isinstance(found, type) and issubclass(found, Policy)):
        raise TaskError(f'The policy {path!r} is no class derived from vlm_bench_tasks.policy.Policy; found {found!r:.80}. Name one.')
    try:
        return found()
    except Exception as error:  # it is somebody else's code
        raise TaskError(f'The policy {path!r} could not be made without arguments: {type(error).__name__}: {error}.') from error

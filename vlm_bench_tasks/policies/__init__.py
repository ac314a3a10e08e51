"""Built-in policies, and your own by the path of their class."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

from vlm_bench_sim.core.errors import TaskError, VlmBenchError, near, quoted
from vlm_bench_sim.extensions import OURS
from vlm_bench_tasks.policies.arguments import Arguments
from vlm_bench_tasks.policies.creep import Creep, StopAndGo
from vlm_bench_tasks.policies.dawdle import Dawdle
from vlm_bench_tasks.policies.language_ablations import LanguageIgnored, OracleBlind, PictureBlind
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.policies.random_policy import Random
from vlm_bench_tasks.policies.still import Still
from vlm_bench_tasks.policy import Played, Player, Policy

_POLICIES: dict[str, Callable[[], Player]] = {
    'oracle': Oracle,
    'still': Still,
    'random': Random,
    'dawdle': Dawdle,
    'oracle_blind': OracleBlind,
    'language_ignored': LanguageIgnored,
    'picture_blind': PictureBlind,
    'creep': Creep,
    'stop_and_go': StopAndGo,
}


def policies() -> tuple[str, ...]:
    """Return the names of all built-in policies."""
    return tuple(_POLICIES)


def policy(name: str, arguments: Arguments = ()) -> Player:
    """Return a new policy, given its name or the path of its class.

    Args:
        name: one of `policies()`, or 'module:Class' for a `Policy`. The module may be in the current folder.
        arguments: arguments of the class.

    Raises:
        TaskError: there is no such policy, its constructor failed, or a built-in policy was given arguments.
    """
    if ':' in name:
        return Played(_made(name, dict(arguments)))
    if name in _POLICIES and arguments:
        raise TaskError(f'The policy {name} takes no arguments; found {arguments[0][0]!r}. Only a module:Class takes some. Leave them out.')
    if name not in _POLICIES:
        raise TaskError(f'There is no policy called {quoted(name)}. {near(name, _POLICIES)} Name your own policy as module:Class.')
    return _POLICIES[name]()


def _made(path: str, arguments: dict[str, str]) -> Policy:
    module, _, name = path.partition(':')
    ours = module.partition('.')[0] in OURS  # the current folder, which may hold what came with a report, takes none of its names
    if not ours and '' not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))  # as `python -m` does
    try:
        own = import_module(module)
        found = getattr(own, name, None)
    except Exception as error:  # third-party code may raise anything
        raise TaskError(
            f'The policy {path!r} cannot be imported: {type(error).__name__}: {error}. Is its module in this folder?'
        ) from error
    if found is None:
        raise TaskError(_missing(path, vars(own)))
    if not (isinstance(found, type) and issubclass(found, Policy)):
        raise TaskError(f'The policy {path!r} is not a class derived from vlm_bench_tasks.policy.Policy; found {found!r:.80}. Name one.')
    if lacks := sorted(getattr(found, '__abstractmethods__', ())):
        raise TaskError(f'The policy {path!r} lacks {" and ".join(lacks)}, which every Policy has. Write these methods.')
    try:
        return found(**arguments)
    except Exception as error:  # third-party code may raise anything
        given = f'with {", ".join(arguments)}' if arguments else 'without arguments'
        remedy = ' Pass its arguments with --policy-arg name=value.' if isinstance(error, TypeError) else ''
        told = str(error) if isinstance(error, VlmBenchError) else f'{type(error).__name__}: {error}.'
        raise TaskError(f'The policy {path!r} could not be created {given}: {told}{remedy}') from error


def _missing(path: str, members: Mapping[str, object]) -> str:
    """Return the message for a path that names nothing in its module: it tells which policies are there."""
    module, _, name = path.partition(':')
    known = [each for each, found in members.items() if isinstance(found, type) and issubclass(found, Policy) and found is not Policy]
    told = near(name, known) if known else 'It has no class derived from vlm_bench_tasks.policy.Policy. Write one, or name another module.'
    return f'The policy {path!r} cannot be made: the module {quoted(module)} has no class called {quoted(name)}. {told}'

"""Policies that come with the bench."""

from collections.abc import Callable

from vlm_bench_sim.core.errors import TaskError, near
from vlm_bench_tasks.policies.luck import Random
from vlm_bench_tasks.policies.misled import LanguageIgnored, OracleBlind
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.policies.still import Still
from vlm_bench_tasks.policy import Policy

_POLICIES: dict[str, Callable[[], Policy]] = {
    'oracle': Oracle,
    'still': Still,
    'random': Random,
    'oracle_blind': OracleBlind,
    'language_ignored': LanguageIgnored,
}


def policies() -> tuple[str, ...]:
    """Return the names of all of them."""
    return tuple(_POLICIES)


def policy(name: str) -> Policy:
    """Return a new policy of that name.

    Raises:
        TaskError: there is none.
    """
    if name not in _POLICIES:
        raise TaskError(f'There is no policy called {name!r}. {near(name, _POLICIES)}')
    return _POLICIES[name]()

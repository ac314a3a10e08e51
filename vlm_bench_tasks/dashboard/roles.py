"""What the pages of each address may ask."""

from vlm_bench_sim.core.errors import CommandError
from vlm_bench_tasks.dashboard import wire
from vlm_bench_tasks.dashboard.access import Role
from vlm_bench_tasks.dashboard.asking import Judge

_WATCHED = wire.Hello | wire.List | wire.Open | wire.Draw | wire.Prompt | wire.Watch | wire.See | wire.Image
_ALLOWED = {
    'watch': _WATCHED,
    'drive': _WATCHED | wire.Begin | wire.Halt | wire.Aim | wire.Errand | wire.Drive,
    'judge': _WATCHED | Judge,
    'all': wire.Ask,
}
_WORDS = {'watch': 'only watches', 'drive': 'drives and does not judge', 'judge': 'judges and does not drive'}


def check(ask: wire.Ask, role: Role) -> None:
    """Refuse what a page of this role may not ask.

    Raises:
        CommandError: it may not.
    """
    if not isinstance(ask, _ALLOWED[role]):
        raise CommandError(f'The address of this page {_WORDS[role]}. Ask who started the window for another one.')

"""What a sweep came to: rates, what is asked of them, failures by cause, and the page that says so."""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import reduce
from pathlib import Path
from statistics import mean

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.judging.statistics import Rate

FOLDER = Path('docs') / 'results'
ORACLE, ORACLE_AXIS = 0.95, 0.90
"""Least share of a task's episodes, and of those along one of its axes, that the oracle solves."""

LUCK, LUCK_AT_FURNITURE = 0.02, 0.05
"""Greatest share of a task's episodes that chance may solve, and where any push does something."""

_FURNITURE = ('drawer', 'door')
_LISTED = 8


@dataclass(frozen=True)
class Result:
    """One episode of a sweep.

    Attributes:
        chance: how often a policy that takes any plan that a sentence could ask for takes the right one.
        verdict, causes, sim_seconds: of the report.
        failures: what the policy says went wrong on its way.
        wall_seconds: how long the run took.
        state_hash: of its last control period.
    """

    task: str
    axis: str
    split: str
    seed: int
    policy: str
    robot: str
    revision: int
    chance: float
    verdict: str
    causes: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    sim_seconds: float = 0.0
    wall_seconds: float = 0.0
    state_hash: str = ''

    @property
    def solved(self) -> bool:
        """True for a success."""
        return self.verdict == 'success'

    @property
    def seen(self) -> bool:
        """True where the bench could tell what came of it."""
        return self.verdict != 'unobservable'

    @property
    def cause(self) -> str:
        """Why it was no success, without the numbers of things, so that like causes are counted together."""
        text = ': '.join([*self.causes[:1], *self.failures[-1:]]) or self.verdict
        return re.sub(r'_\d+\b', '', re.sub(r'-?\d+\.\d+', '…', text))

    @property
    def key(self) -> tuple[str, str, str, int, str, str, int]:
        """What was run; the same key is the same episode by the same policy."""
        return self.task, self.axis, self.split, self.seed, self.policy, self.robot, self.revision


def write_line(path: Path, result: Result) -> None:
    """Append a result to a file of results, one JSON object a line."""
    with path.open('a') as file:
        file.write(json.dumps(asdict(result)) + '\n')


def read_lines(path: Path) -> list[Result]:
    """Return the results in a file; none where there is no file.

    Raises:
        ConfigError: a line holds something else.
    """
    found = []
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else (), start=1):
        try:
            given = json.loads(line)
            found.append(Result(**given | {name: tuple(given[name]) for name in ('causes', 'failures')}))
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigError(f'{path}, line {number}, is no result of a sweep: {error}. Name another file, or remove it.') from error
    return found


def rate(results: Iterable[Result]) -> Rate:
    """Return how many were solved, of those that could be observed."""
    return reduce(Rate.__add__, (Rate(int(r.solved), 1) for r in results if r.seen), Rate(0, 0))


def rates(results: Iterable[Result], by: Callable[[Result], tuple[str, ...]]) -> dict[tuple[str, ...], Rate]:
    """Return the rate of each group of results."""
    groups: dict[tuple[str, ...], list[Result]] = {}
    for result in results:
        groups.setdefault(by(result), []).append(result)
    return {key: rate(group) for key, group in sorted(groups.items())}


def shortcomings(results: list[Result]) -> list[str]:
    """Return where a policy of ours does not do what it is for: the oracle solves, and no control does."""
    return [text for policy in sorted({r.policy for r in results}) for text in _short([r for r in results if r.policy == policy], policy)]


def _short(results: list[Result], policy: str) -> list[str]:
    tasks = rates(results, lambda r: (r.task,))
    if policy == 'oracle':
        axes = rates(results, lambda r: (r.task, r.axis))
        lost = [r for r in results if not r.seen]
        unseen = (
            [f'{len(lost)} episodes could not be observed, such as {lost[0].task} {lost[0].axis} {lost[0].split} {lost[0].seed}']
            if lost
            else []
        )
        low = [(key, found, ORACLE) for key, found in tasks.items() if found.share < ORACLE]
        low += [(key, found, ORACLE_AXIS) for key, found in axes.items() if found.share < ORACLE_AXIS]
        return [*unseen, *(f'{" ".join(key)}: {found}, where at least {100 * least:.0f} % is due' for key, found, least in low)]
    return [text for key, found in tasks.items() if (text := _lucky(key[0], found, policy, [r for r in results if r.task == key[0]]))]


def _lucky(task: str, found: Rate, policy: str, results: list[Result]) -> str:
    if policy == 'still':
        most, over = 0.0, found.solved > 0
    elif policy == 'random':
        most = LUCK_AT_FURNITURE if any(word in task for word in _FURNITURE) else LUCK
        over = found.share > most
    else:
        most = mean(r.chance for r in results)
        over = found.interval[0] > most
    return f'{task}: {policy} solves {found}, where at most {100 * most:.0f} % is due' if over else ''


def page(results: list[Result], family: str, policy: str, wall: str) -> str:
    """Return the page of one family and policy.

    Args:
        results: of that family and policy.
        family: of the tasks.
        policy: that played them.
        wall: what was needed for it, in words.
    """
    unseen = [r for r in results if not r.seen]
    seeds = sorted({r.seed for r in results})
    blocks = [
        f'# {family}: the policy {policy}',
        '<!-- Written by `make sweep`. Do not edit. -->',
        f'{len(results)} episodes, seeds {seeds[0]} to {seeds[-1]} of each axis and split, robot {results[0].robot}; {wall} '
        f'Rates with 95 % Wilson intervals. {len(unseen)} episodes could not be observed and count nowhere.',
        '## By task',
        _table(('task', 'solved', 'simulated s', 'wall s'), [(t, str(found), *_times(results, t)) for (t,), found in _by_task(results)]),
        '## By axis',
        _axes(results),
        '## Failures by cause',
        _causes(results),
    ]
    short = _short(results, policy)
    blocks += ['## What falls short', '\n'.join(f'- {text}' for text in short) or 'Nothing.']
    return '\n\n'.join(blocks) + '\n'


def _by_task(results: list[Result]) -> list[tuple[tuple[str, ...], Rate]]:
    return [*rates(results, lambda r: (r.task,)).items(), (('all',), rate(results))]


def _times(results: list[Result], task: str) -> tuple[str, str]:
    own = [r for r in results if task in ('all', r.task)]
    return f'{mean(r.sim_seconds for r in own):.1f}', f'{mean(r.wall_seconds for r in own):.1f}'


def _axes(results: list[Result]) -> str:
    splits = sorted({r.split for r in results})
    found = rates(results, lambda r: (r.task, r.axis, r.split))
    both = rates(results, lambda r: (r.task, r.axis))
    rows = [
        (
            task,
            axis,
            *(f'{part.solved}/{part.total}' for part in (found.get((task, axis, split), Rate(0, 0)) for split in splits)),
            str(total),
        )
        for (task, axis), total in both.items()
    ]
    return _table(('task', 'axis', *splits, 'together'), rows)


def _causes(results: list[Result]) -> str:
    groups: dict[str, list[Result]] = {}
    for result in results:
        if not result.solved:
            groups.setdefault(result.cause, []).append(result)
    rows = [
        (str(len(group)), cause, ', '.join(_named(r) for r in group[:_LISTED]) + (', …' if len(group) > _LISTED else ''))
        for cause, group in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    ]
    return _table(('episodes', 'cause', 'which'), rows) if rows else 'None.'


def _named(result: Result) -> str:
    return f'{result.task.partition("/")[2]} {result.axis} {result.split} {result.seed}'


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ('---',) * len(head), *rows]
    return '\n'.join('| ' + ' | '.join(cell.replace('|', '\\|') for cell in line) + ' |' for line in lines)


def summary(results: list[Result]) -> dict[str, dict[str, int]]:
    """Return solved and total of each task, for other pages to read."""
    return {task: {'solved': found.solved, 'total': found.total} for (task,), found in rates(results, lambda r: (r.task,)).items()}


def write_pages(results: list[Result], folder: Path, wall: str) -> list[Path]:
    """Write the page, and its summary as JSON, of each family and policy, and return their paths."""
    written = []
    for family, policy in sorted({(r.task.partition('/')[0], r.policy) for r in results}):
        own = [r for r in results if (r.task.partition('/')[0], r.policy) == (family, policy)]
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f'{family}_{policy}.md'
        path.write_text(page(own, family, policy, wall))
        path.with_suffix('.json').write_text(json.dumps(summary(own), indent=1) + '\n')
        written.append(path)
    return written

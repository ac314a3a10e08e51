"""The pages of docs/results: one for each policy and family, and one that puts the policies of a family side by side."""

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import mean
from typing import Any

from vlm_bench_tasks.cli.results import Result, rate, rates, shortcomings
from vlm_bench_tasks.judging.statistics import Rate
from vlm_bench_tasks.policies import policies
from vlm_bench_tasks.policies.luck import LASTS

FOLDER = Path('docs') / 'results'
ABOUT = {
    'oracle': 'The expert: it knows the true state and the plan, and moves the robot through the same commands as any policy.',
    'still': 'Waits for a second and says that it is done. What it solves was solved before it began.',
    'random': f'Takes random steps over the table and grips at random for {LASTS:g} simulated s, then stops. What it solves, luck solves.',
    'oracle_blind': 'The expert on another sentence that is true of the scene, drawn from all; where there is none it stops at once.',
    'language_ignored': 'The expert on the first of all plans that a sentence could ask for in the scene, whatever the sentence says.',
}
"""What each policy of ours does."""

_CHANCE = """\
*Chance* is the rate of a policy that knows the scene and picks any one of the sentences that are true of it: the mean of 1 / (1 +
alternatives) over the episodes. 100 % means that nothing else could have been asked for there."""
_HEAD = '<!-- Written by `vlm-bench sweep --pages`. Do not edit. -->'
_LISTED = 8


def page(results: list[Result], family: str, policy: str, wall: str) -> str:
    """Return the page of one family and policy.

    Args:
        results: of that family and policy.
        family: of the tasks.
        policy: that played them.
        wall: what was needed for it, in words.
    """
    unseen = [r for r in results if not r.seen]
    conditions, versions = _all(results, lambda r: r.conditions), _all(results, lambda r: r.versions)
    blocks = [
        f'# {family}: the policy {policy}',
        _HEAD,
        ABOUT.get(policy, ''),
        f'{len(results)} episodes along {len({(r.task, r.axis) for r in results})} axes, with the seeds {_seeds(results)} of each; robot '
        f'{", ".join(_all(results, lambda r: (r.robot,)))}; {wall} Rates with 95 % Wilson intervals. {len(unseen)} episodes could not be '
        'observed and count nowhere.',
        f'Disturbed: {", ".join(conditions)}.' if conditions else '',
        f'Versions: {", ".join(versions)}.' if versions else '',
        '## By task',
        _table(('task', 'solved', 'chance', 'simulated s', 'wall s'), [_task(results, task) for task in (*_tasks(results), 'all')]),
        _CHANCE,
        '## By axis',
        _axes(results),
        '## Failures by cause',
        _causes(results),
    ]
    short = shortcomings(results)
    due = 'Nothing is due of a policy that is disturbed.' if conditions else 'Nothing.'
    blocks += ['## What falls short', '\n'.join(f'- {text}' for text in short) or due]
    return '\n\n'.join(block for block in blocks if block) + '\n'


def side_by_side(folder: Path, family: str) -> str:
    """Return the page that compares the policies whose summaries lie in a folder, undisturbed."""
    found = {policy: read for policy in policies() if (read := _read(folder / f'{family}_{policy}.json'))}
    tasks = sorted({task for summary in found.values() for task in summary})
    rows = [
        (
            task,
            _share(next(summary[task]['chance'] for summary in found.values() if task in summary)),
            *(_cell(s, task) for s in found.values()),
        )
        for task in tasks
    ]
    about = [f'- [{policy}]({family}_{policy}.md): {ABOUT[policy]}' for policy in found]
    text = 'Each cell: solved of observed episodes, with the 95 % Wilson interval in percent.'
    return '\n\n'.join([
        f'# {family}: policies side by side', _HEAD, '\n'.join(about), f'{_CHANCE} {text}', _table(('task', 'chance', *found), rows),
    ]) + '\n'  # fmt: skip


def summary(results: list[Result]) -> dict[str, dict[str, float]]:
    """Return solved, total and chance of each task, for other pages to read."""
    return {
        task: {'solved': found.solved, 'total': found.total, 'chance': round(_chance([r for r in results if r.task == task]), 4)}
        for (task,), found in rates(results, lambda r: (r.task,)).items()
    }


def write_pages(results: list[Result], folder: Path, wall: str) -> list[Path]:
    """Write the page and its summary as JSON of each family, policy and disturbance, then the comparisons, and return their paths."""
    written = []
    folder.mkdir(parents=True, exist_ok=True)
    for family, policy, conditions in sorted({(_family(r), r.policy, r.conditions) for r in results}):
        own = [r for r in results if (_family(r), r.policy, r.conditions) == (family, policy, conditions)]
        path = folder / f'{"_".join([family, policy, *(text.partition("=")[0] for text in conditions)])}.md'
        path.write_text(page(own, family, policy, wall))
        path.with_suffix('.json').write_text(json.dumps(summary(own), indent=1) + '\n')
        written.append(path)
    for family in sorted({_family(r) for r in results if not r.conditions}):
        written.append(folder / f'{family}.md')
        written[-1].write_text(side_by_side(folder, family))
    return written


def _family(result: Result) -> str:
    return result.task.partition('/')[0]


def _all(results: list[Result], of: Callable[[Result], tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for result in results for text in of(result)))


def _seeds(results: list[Result]) -> str:
    by_split: dict[str, list[int]] = {}
    for result in results:
        by_split.setdefault(result.split, []).append(result.seed)
    return ', '.join(f'{min(seeds)} to {max(seeds)} ({split})' for split, seeds in sorted(by_split.items()))


def _chance(results: list[Result]) -> float:
    return mean([r.chance for r in results if r.seen] or [0.0])


def _share(share: float) -> str:
    return f'{100 * share:.0f} %'


def _tasks(results: list[Result]) -> list[str]:
    return sorted({r.task for r in results})


def _task(results: list[Result], task: str) -> tuple[str, ...]:
    own = [r for r in results if task in ('all', r.task)]
    times = (f'{mean(r.sim_seconds for r in own):.1f}', f'{mean(r.wall_seconds for r in own):.1f}')
    return task, str(rate(own)), _share(_chance(own)), *times


def _axes(results: list[Result]) -> str:
    splits = sorted({r.split for r in results})
    rows = []
    for task, axis in sorted({(r.task, r.axis) for r in results}):
        own = [r for r in results if (r.task, r.axis) == (task, axis)]
        parts = [rate(r for r in own if r.split == split) for split in splits]
        rows.append((task, axis, *(f'{part.solved}/{part.total}' for part in parts), str(rate(own)), _share(_chance(own))))
    return _table(('task', 'axis', *splits, 'together', 'chance'), rows)


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
    return re.sub('^[^/]*/', '', f'{result.task} {result.axis} {result.split} {result.seed}')


def _read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return found


def _cell(summary: dict[str, Any], task: str) -> str:
    if task not in summary:
        return ''
    found = Rate(summary[task]['solved'], summary[task]['total'])
    low, high = found.interval
    return f'{found.solved}/{found.total} ({100 * low:.0f} to {100 * high:.0f})'


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ('---',) * len(head), *rows]
    return '\n'.join('| ' + ' | '.join(cell.replace('|', '\\|') for cell in line) + ' |' for line in lines)

"""The page of docs/results that holds every task: expert, controls, seconds and dense reward, made of the summaries that lie there."""

import json
from pathlib import Path
from typing import Any

from vlm_bench_tasks import catalogue
from vlm_bench_tasks.family import family_name
from vlm_bench_tasks.judging.statistics import Rate
from vlm_bench_tasks.pages.tables import NONE, table
from vlm_bench_tasks.policies import policies

NAME = 'all.md'
_ABOUT = """\
Each task of each suite on its test seeds; the heading of a suite leads to its pages, which tell more. `make sweep` plays all of it, and
resumes after an interruption; `make docs` writes this page from what it found. *Expert* is solved of observed episodes of the oracle, with
the 95 % Wilson interval in percent, *CPU s* the median of the processor time that it takes for one, *simulated s* the mean of the
simulated time. *Chance* is the rate of a policy that knows the scene and obeys any sentence that is true of it; it is 100 % where every
such sentence asks for the same thing. The controls follow with solved of observed episodes;
[evaluation.md](../evaluation.md#policies) says what each one does. A dash: not played. A column that nothing is known for is left out.
[protocols.md](../protocols.md) sets the results beside published ones."""
_REWARD = """\
Mean of the [dense reward](../rewards.md) in the state in which the episode ended, 0 to 1. *Trend* is Spearman's rank correlation of the
reward with time, the median over the expert's episodes: 1 where it only rises."""
_UNKNOWN = 'None of the summaries holds rewards yet; the next `make sweep` that plays the episodes again adds them.'


def all_tasks_page(folder: Path, head: str) -> str:
    """Return the page, made of the JSON summaries in a folder, with `head` below its title."""
    found = {policy: _read(folder, policy) for policy in policies()}
    blocks = [f'# All {len(catalogue.tasks())} tasks', head, _ABOUT]
    for family in dict.fromkeys(family_name(task) for task in catalogue.tasks()):
        tasks = [task for task in catalogue.tasks() if family_name(task) == family]
        played = [policy for policy, told in found.items() if policy != 'oracle' and not told.keys().isdisjoint(tasks)]
        rows = [_solved(task, found, played) for task in tasks]
        level = ['level'] if any(catalogue.task(task).level for task in tasks) else []
        blocks += [f'## [{family}]({family}.md)', _told(('task', *level, 'expert', 'CPU s', 'simulated s', 'chance', *played), rows)]
    known = any('reward' in one or 'trend' in one for told in found.values() for one in told.values())
    return '\n\n'.join([*blocks, '## Dense reward', _REWARD, _rewards(found) if known else _UNKNOWN]) + '\n'


def _rewards(found: dict[str, dict[str, Any]]) -> str:
    told = [policy for policy, tasks in found.items() if any('reward' in one for one in tasks.values())]
    rows = [
        (task, *(_number(found[policy], task, 'reward') for policy in told), _number(found['oracle'], task, 'trend'))
        for task in catalogue.tasks()
    ]
    return _told(('task', *told, 'trend'), rows)


def _told(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Return a table without the columns that are empty in every row."""
    kept = [at for at in range(len(head)) if any(row[at] != NONE for row in rows)]
    return table(tuple(head[at] for at in kept), [tuple(row[at] for at in kept) for row in rows])


def _solved(task: str, found: dict[str, dict[str, Any]], played: list[str]) -> tuple[str, ...]:
    told = found['oracle']
    level = catalogue.task(task).level
    chance = next((f'{100 * one[task]["chance"]:.0f} %' for one in found.values() if task in one), NONE)
    return (
        task.partition('/')[2], *([level] if level else ()), _rate(told, task, whole=True), _number(told, task, 'cpu'),
        _number(told, task, 'simulated'), chance, *(_rate(found[policy], task) for policy in played),
    )  # fmt: skip


def _rate(told: dict[str, Any], task: str, *, whole: bool = False) -> str:
    if task not in told:
        return NONE
    rate = Rate(told[task]['solved'], told[task]['total'])
    low, high = rate.interval
    return f'{rate.solved}/{rate.total}' + (f' ({100 * low:.0f} to {100 * high:.0f})' if whole else '')


def _number(told: dict[str, Any], task: str, what: str) -> str:
    return f'{told[task][what]:.2f}' if what in told.get(task, {}) else NONE


def _read(folder: Path, policy: str) -> dict[str, Any]:
    """Return the summaries of a policy's unperturbed episodes, over all families."""
    found: dict[str, Any] = {}
    for family in catalogue.families():
        path = folder / f'{family}_{policy}.json'
        found |= json.loads(path.read_text()) if path.exists() else {}
    return found

"""The pages of docs/results: one for each policy and family, and one that compares the policies of a family."""

import json
import re
from collections import Counter
from collections.abc import Callable
from math import ceil
from pathlib import Path
from statistics import mean, median
from typing import Any

from vlm_bench_tasks.evaluation.entries import Entry, mean_score, rate, rates, scored, worked
from vlm_bench_tasks.evaluation.sweep import runs
from vlm_bench_tasks.evaluation.thresholds import held_to_score, rule, shortcomings
from vlm_bench_tasks.judging.statistics import Rate
from vlm_bench_tasks.pages.goal_numbers import by_number
from vlm_bench_tasks.pages.published import peract
from vlm_bench_tasks.pages.tables import table
from vlm_bench_tasks.policies import policies
from vlm_bench_tasks.policies.random_policy import LASTS

PUBLISHED = {'arnold': peract}
"""What sets published results beside ours, by family."""
FOLDER = Path('docs') / 'results'
REPORTS = FOLDER / 'reports'
"""Reports of this project that everybody can verify."""
ABOUT = {
    'oracle': 'The expert: it knows the true state and the plan, and moves the robot through the same commands as any policy.',
    'still': 'Waits for a second and says that it is done. What it solves was solved before it began.',
    'random': f'Takes random steps over the table and grips at random for {LASTS:g} simulated s, then stops. What it solves, luck solves.',
    'dawdle': f'Goes to the first thing as the expert does, hovers there for {LASTS:g} simulated s, then stops. It solves nothing.',
    'oracle_blind': 'The expert on another sentence that is true of the scene, drawn from all; where there is none it stops at once.',
    'creep': 'Takes hold as the expert does and moves slowly past every number. It may solve only goals at the end of the way.',
    'stop_and_go': 'The same, but it rests for 2 s at one number after the other. Only the end of an episode counts.',
    'language_ignored': 'The expert on the first of all plans that a sentence could ask for in the scene, whatever the sentence says.',
    'picture_blind': 'The expert on a random one of all plans that the pictures of a prompt could ask for, as if it had not seen them.',
}
"""The description of each of our policies."""

_CHANCE = """\
*Chance* is the rate of a policy that knows the scene and picks any one of the sentences that are true of it: the mean of 1 / (1 +
alternatives) over the episodes. 100 % means that nothing else could have been asked for there."""
_SCORE = """\
*Score* is the mean of 0 to 100 an episode, counted as LoHoRavens does: finished steps of needed ones, what falls or is undone being lost
again. *Solved* is strict: the whole goal held at the end."""
_CPU = '*CPU s* is the median of the seconds of processor time that an episode took, and beside it their 95th percentile.'
_UNSCORED = ' A dash: nobody told the score of some of the episodes.'
_UNDER = """\
Each cell: mean score; solved of observed episodes; how many drops there really were. A drop rate is a probability a second of holding."""
_HEAD = '<!-- Written by `vlm-bench sweep --pages`. Do not edit. -->'
_LISTED = 8


def page(results: list[Entry], family: str, policy: str) -> str:
    """Return the page of one family and policy: first the unperturbed results, then those under each perturbation."""
    perturbations = sorted({r.perturbations for r in results}, key=lambda each: (len(each), each))
    main, *others = perturbations
    calm, versions = [r for r in results if r.perturbations == main], _all(results, lambda r: r.versions)
    blocks = [
        f'# {family}: the policy {policy}',
        _HEAD,
        ABOUT.get(policy, ''),
        _played(calm, '' if others else worked(results)),
        f'Perturbed: {", ".join(main)}.' if main else '',
        f'Versions: {", ".join(versions)}.' if versions else '',
        _codes(results),
        '## By task',
        *_by_task(calm),
        _CHANCE,
        '## By axis',
        _axes(calm),
        *by_number(calm),
        *(PUBLISHED[family](calm) if policy == 'oracle' and family in PUBLISHED else ()),
        '## Failures by cause',
        _causes(calm),
        *(_perturbed(results, perturbations) if others else ()),
    ]
    ends = ['## What falls short', rule(policy, family) if () in perturbations else '', _falls_short(results, main)]
    return '\n\n'.join(block for block in [*blocks, *ends] if block) + '\n'


def _played(results: list[Entry], wall: str) -> str:
    axes, unseen = {(r.task, r.axis) for r in results}, sum(not r.seen for r in results)
    robots, work = ', '.join(_all(results, lambda r: (r.robot,))), f'; {wall}' if wall else '.'
    return (
        f'{len(results)} episodes along {len(axes)} axes, with the seeds {_seeds(results)}; robot {robots}{work} '
        f'Rates with 95 % Wilson intervals. {unseen} episodes could not be observed and count nowhere.'
    )


def _codes(results: list[Entry]) -> str:
    """Return which versions of our code played how many episodes, in words; empty if unknown."""
    counts = Counter(r.bench for r in results)
    if not any(counts):
        return ''
    found = [f'{code or "unknown"} ({count} episodes)' if len(counts) > 1 else code for code, count in counts.most_common()]
    return f'Code that plays episodes, and its configuration, by a digest: {", ".join(found)}.'


def _perturbed(results: list[Entry], perturbations: list[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the section of a page that compares the perturbations."""
    common = set.intersection(*(set(each) for each in perturbations if each))
    names = [
        ', '.join(text for text in each if text not in common) or 'perturbed' if each else 'as the tasks say' for each in perturbations
    ]
    legend = [f'Perturbed: {", ".join(text for text in perturbations[-1] if text in common)}.'] if common else []
    groups = [[r for r in results if r.perturbations == each] for each in perturbations]
    rows = []
    for task in (*_tasks(results), 'all'):
        rows.append((task, *(_under([r for r in group if task in ('all', r.task)]) for group in groups)))
    count = f'{len(results)} episodes in all. {worked(results)}'
    return ('## Perturbed', '\n'.join(legend), f'{_UNDER} {count}', table(('task', *names), rows))


def _under(results: list[Entry]) -> str:
    found, drops = rate(results), sum(r.drops for r in results)
    return f'{scored(results)}; {found.solved}/{found.total}; {drops}' if results else ''


def _falls_short(results: list[Entry], main: tuple[str, ...]) -> str:
    short = shortcomings(results)
    if short:
        return '\n'.join(f'- {text}' for text in short)
    return 'Nothing is due of a policy that is perturbed.' if main and not held_to_score(results) else 'Nothing.'


def side_by_side(folder: Path, family: str) -> str:
    """Return the page that compares the unperturbed results of the policies whose summaries are in a folder."""
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
    text = 'Each cell: solved of observed episodes, with the 95 % Wilson interval in percent' + (
        ', and the mean score of 0 to 100.' if any('score' in one for told in found.values() for one in told.values()) else '.'
    )
    return '\n\n'.join([
        f'# {family}: policies side by side', _HEAD, '\n'.join(about), f'{_CHANCE} {text}', table(('task', 'chance', *found), rows),
    ]) + '\n'  # fmt: skip


def summary(results: list[Entry]) -> dict[str, dict[str, Any]]:
    """Return each task's numbers for other pages: solved, total, both by split, chance level; if known reward, trend, score and seconds."""
    return {task: _summary(found, [r for r in results if r.task == task]) for (task,), found in rates(results, lambda r: (r.task,)).items()}


def _summary(found: Rate, results: list[Entry]) -> dict[str, Any]:
    splits = {split: [each.solved, each.total] for (split,), each in rates(results, lambda r: (r.split,)).items()}
    told = {'solved': found.solved, 'total': found.total, 'splits': splits, 'chance': round(_chance(results), 4)}
    seen, points, rising = [r for r in results if r.seen], mean_score(results), _trend(results)
    if seen:
        told |= {'reward': round(mean(r.reward for r in seen), 4), 'simulated': round(mean(r.sim_seconds for r in seen), 2)}
    if work := [r.cpu_seconds for r in results if r.cpu_seconds]:
        told['cpu'] = round(median(work), 2)
    if rising is not None:
        told['trend'] = rising
    return told if points is None else told | {'score': round(points, 2)}


def _trend(results: list[Entry]) -> float | None:
    """Return the median of the episodes' trends of the dense reward; None if none is known."""
    known = [r.trend for r in results if r.trend is not None]
    return round(median(known), 3) if known else None


def write_pages(results: list[Entry], folder: Path) -> list[Path]:
    """Write the page and the JSON summary of each family and policy, then the comparisons, and return their paths."""
    written = []
    folder.mkdir(parents=True, exist_ok=True)
    for family, policy in sorted({(r.family, r.policy) for r in results}):
        own = [r for r in results if (r.family, r.policy) == (family, policy)]
        calm = [r for r in own if not r.perturbations]
        kinds = () if calm else dict.fromkeys(text.partition('=')[0] for r in own for text in r.perturbations)
        path = folder / f'{"_".join([family, policy, *kinds])}.md'
        path.write_text(page(own, family, policy))
        path.with_suffix('.json').write_text(json.dumps(summary(calm or own), indent=1) + '\n')
        written.append(path)
    for family in sorted({r.family for r in results if not r.perturbations}):
        written.append(folder / f'{family}.md')
        written[-1].write_text(side_by_side(folder, family))
    return written


def _all(results: list[Entry], of: Callable[[Entry], tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for result in results for text in of(result)))


def _seeds(results: list[Entry]) -> str:
    """Return in words the seeds of most tasks along each axis, and the tasks with other seeds."""
    groups: dict[str, list[str]] = {}
    for task, axis in sorted({(r.task, r.axis) for r in results}):
        groups.setdefault(_ranges([r for r in results if (r.task, r.axis) == (task, axis)]), []).append(f'{task} {axis}')
    (most, _), *others = sorted(groups.items(), key=lambda item: -len(item[1]))
    return ', but '.join([f'{most} of each', *(f'{seeds} of {" and ".join(named)}' for seeds, named in others)])


def _ranges(results: list[Entry]) -> str:
    """Return in words the seeds of each split, as ranges with first and last seed."""
    by_split: dict[str, set[int]] = {}
    for result in results:
        by_split.setdefault(result.split, set()).add(result.seed)
    return ', '.join(f'{" and ".join(_runs(seeds))} ({split})' for split, seeds in sorted(by_split.items()))


def _runs(seeds: set[int]) -> list[str]:
    return [f'{run[0]} to {run[-1]}' if len(run) > 1 else str(run[0]) for run in runs(seeds)]


def _chance(results: list[Entry]) -> float:
    return mean([r.chance for r in results if r.seen] or [0.0])


def _share(share: float) -> str:
    return f'{100 * share:.0f} %'


def _tasks(results: list[Entry]) -> list[str]:
    return sorted({r.task for r in results})


def _by_task(results: list[Entry]) -> tuple[str, ...]:
    """Return the table of tasks, and if there are scores, their legend."""
    told = [(task, [r for r in results if task in ('all', r.task)]) for task in (*_tasks(results), 'all')]
    known = any(r.score >= 0.0 for r in results)
    rows = [(task, str(rate(own)), *([scored(own)] if known else ()), _share(_chance(own)), *_times(own)) for task, own in told]
    legend = _SCORE + (_UNSCORED if any(r.score < 0.0 for r in results if r.seen) else '')
    head = ('task', 'solved', *(['score'] if known else ()), 'chance', 'simulated s', 'CPU s', '95th percentile')
    return (table(head, rows), *([legend] if known else ()), _CPU)


def _times(results: list[Entry]) -> tuple[str, str, str]:
    """Return the mean simulated seconds, and the median and 95th percentile of CPU seconds."""
    simulated, work = f'{mean(r.sim_seconds for r in results):.1f}', sorted(r.cpu_seconds for r in results if r.cpu_seconds)
    return (simulated, f'{median(work):.2f}', f'{work[ceil(0.95 * len(work)) - 1]:.2f}') if work else (simulated, '–', '–')


def _axes(results: list[Entry]) -> str:
    splits = sorted({r.split for r in results})
    rows = []
    for task, axis in sorted({(r.task, r.axis) for r in results}):
        own = [r for r in results if (r.task, r.axis) == (task, axis)]
        parts = [rate(r for r in own if r.split == split) for split in splits]
        rows.append((task, axis, *(f'{part.solved}/{part.total}' for part in parts), str(rate(own)), _share(_chance(own))))
    return table(('task', 'axis', *splits, 'together', 'chance'), rows)


def _causes(results: list[Entry]) -> str:
    groups: dict[str, list[Entry]] = {}
    for result in results:
        if not result.solved:
            groups.setdefault(result.reason, []).append(result)
    rows = [
        (str(len(group)), cause, ', '.join(_named(r) for r in group[:_LISTED]) + (', …' if len(group) > _LISTED else ''))
        for cause, group in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    ]
    return table(('episodes', 'cause', 'which'), rows) if rows else 'None.'


def _named(result: Entry) -> str:
    return re.sub('^[^/]*/', '', f'{result.task} {result.axis} {result.split} {result.seed}')


def _read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return found


def _cell(summary: dict[str, Any], task: str) -> str:
    if task not in summary:
        return ''
    found = Rate(summary[task]['solved'], summary[task]['total'])
    low, high = found.interval
    points = f', score {summary[task]["score"]:.1f}' if 'score' in summary[task] else ''
    return f'{found.solved}/{found.total} ({100 * low:.0f} to {100 * high:.0f}){points}'

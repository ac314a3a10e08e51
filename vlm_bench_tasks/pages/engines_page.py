"""The page of docs/results that sets the episodes of two physics engines side by side."""

from collections.abc import Iterable, Sequence

from vlm_bench_tasks.evaluation.compare import Comparison
from vlm_bench_tasks.evaluation.report import EvaluationReport
from vlm_bench_tasks.judging.statistics import RankAgreement, Rate
from vlm_bench_tasks.pages.tables import NONE, literal, table
from vlm_bench_tasks.result import Result

Two = tuple[EvaluationReport, EvaluationReport]
_HEAD = '<!-- Written by `vlm-bench compare --across-engines --page`. Do not edit. -->'
_ABOUT = """\
The same episodes, played in both engines by the same code: [engines.md](../engines.md). An episode that one of them could not observe
counts in neither."""
_ORDER = """\
Whether the engines put the cells, each a policy with a task, an axis and a split, in the same order: Kendall's τ-b of the success rates
over {} cells is {}."""


def engines_page(pairs: Sequence[Two], comparisons: Sequence[Sequence[Comparison]], agreement: RankAgreement | None) -> str:
    """Return the page.

    Args:
        pairs: reports of one policy with the same episodes in both engines, the same engine first in each.
        comparisons: of each pair, as `compared` returns them.
        agreement: of all pairs together; None if there is no order.
    """
    engines = [literal(report.conditions.engine) for report in pairs[0]]
    policies = list(dict.fromkeys(pair[0].policy for pair in pairs))
    cells = sum(bool(one.task) for of_pair in comparisons for one in of_pair)
    found = {policy: [episodes for pair in pairs if pair[0].policy == policy for episodes in _observed(pair)] for policy in policies}
    tasks = sorted({one.task for each in found.values() for one, _ in each})
    head = ('task', *(f'{literal(policy)}, {engine}' for policy in policies for engine in engines))
    rows = [(literal(task), *(_solved(found[policy], side, task) for policy in policies for side in (0, 1))) for task in (*tasks, '')]
    blocks = [
        f'# Engines side by side: {engines[0]} and {engines[1]}',
        _HEAD,
        _ABOUT,
        _played(pairs),
        '## By task',
        table(head, rows),
        '## Solved in one engine only',
        *(_discordant(policy, found[policy], engines) for policy in policies),
        '## Order',
        _ORDER.format(cells, _told(agreement)),
    ]
    return '\n\n'.join(blocks) + '\n'


def _played(pairs: Sequence[Two]) -> str:
    """Return the seeds and the versions, in words."""
    conditions = [report.conditions for pair in pairs for report in pair]
    seeds = sorted({one.seeds for one in conditions})
    versions = sorted({version for one in conditions for version in one.versions if not version.startswith('engine=')})
    ranges = ', '.join(f'{first}–{stop - 1}' for first, stop in seeds)
    return f'Seeds {ranges}. Grasp aids are off. Versions: {literal(", ".join(versions))}.'


def _observed(pair: Two) -> Iterable[tuple[Result, Result]]:
    return [(a, b) for a, b in zip(pair[0].episodes, pair[1].episodes, strict=True) if a.seen and b.seen]


def _solved(episodes: Iterable[tuple[Result, Result]], side: int, task: str) -> str:
    """Return how many episodes of a task one engine solved; those of all tasks with an interval, if no task is named."""
    own = [both[side].solved for both in episodes if task in ('', both[side].task)]
    if not own:
        return NONE
    rate = Rate(sum(own), len(own))
    low, high = rate.interval
    return f'{rate.solved}/{rate.total}' + ('' if task else f' ({100 * low:.1f} to {100 * high:.1f} %)')


def _discordant(policy: str, episodes: Iterable[tuple[Result, Result]], engines: Sequence[str]) -> str:
    """Return the episodes that a policy solved in one engine only, with the cause and what was missed in the other."""
    apart = [(a, b) for a, b in episodes if a.solved != b.solved]
    if not apart:
        return f'{literal(policy)}: none.'
    rows = []
    for a, b in apart:
        failed, where = (b, engines[1]) if a.solved else (a, engines[0])
        why = literal('; '.join([*failed.causes[:1], *failed.missed[:2]]))
        rows.append((*map(literal, (failed.task, failed.axis, failed.split, str(failed.seed))), where, why))
    return f'{literal(policy)}:\n\n' + table(('task', 'axis', 'split', 'seed', 'failed in', 'why'), rows)


def _told(agreement: RankAgreement | None) -> str:
    if agreement is None:
        return 'not known: all rates in one engine are the same'
    return agreement.told

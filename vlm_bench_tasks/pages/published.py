"""Published results of learned policies, for pages of our own results. They come from other simulators, and are no scores of this bench."""

from vlm_bench_tasks.evaluation.entries import Entry, rate
from vlm_bench_tasks.judging.statistics import Rate
from vlm_bench_tasks.pages.tables import table

_TASKS = (
    'pickup_object', 'reorient_object', 'open_drawer', 'close_drawer', 'open_cabinet', 'close_cabinet', 'pour_water', 'transfer_water',
)  # fmt: skip

_PERACT = {
    'test': '94.03/97.76 19.48/24.68 31.09/44.54 60.81/66.22 24.64/42.03 22.33/45.63 55.22/74.63 32.14/46.43',
    'novel_object': '86.55/92.73 11.40/35.09 6.45/21.29 26.29/27.89 0.00/0.00 1.82/5.45 36.46/42.71 13.73/13.73',
    'novel_scene': '72.85/84.62 17.07/31.71 20.78/31.37 66.67/64.20 0.00/4.97 5.10/19.11 33.33/51.72 22.00/36.00',
    'novel_state': '2.38/0.68 0.00/0.95 10.92/12.64 13.77/17.74 0.00/5.81 1.39/1.39 1.61/1.08 5.88/1.68',
    'any_state': '47.01/50.75 7.79/19.48 21.85/30.25 18.92/25.00 5.80/21.74 3.88/15.53 14.93/25.37 10.71/14.29',
}
"""By split, in percent and in the order of `_TASKS`: with the policy's own grasp, and with the first phase from the ground truth."""

_ABOUT = """\
PerAct, trained for each task, as ARNOLD's authors published it (project page, table of results): percent of the episodes solved with
its own grasp / with the first phase from the ground truth, as the aid `given_grasp` gives it. **Another simulator**, other rooms,
objects and cameras, a scheduled gripper, wider windows for angles, and a judge that takes what moves slowly for still: the numbers
show which splits are hard for a learned policy, and are not to be compared with scores of this bench. The row below each of them is
this page's: the expert, which knows the truth."""


def peract(results: list[Entry]) -> tuple[str, ...]:
    """Return the blocks of a page that set ARNOLD's published results beside ours.

    Args:
        results: our results, of the family arnold.
    """
    rows = []
    for split, text in _PERACT.items():
        cells = [tuple(map(float, cell.split('/'))) for cell in text.split()]
        means = tuple(sum(values) / len(values) for values in zip(*cells, strict=True))
        rows.append((split, 'PerAct', *(f'{own:.0f} / {given:.0f}' for own, given in (*cells, means))))
        ours = [rate(r for r in results if (r.task, r.split) == (f'arnold/{task}', split)) for task in _TASKS]
        rows.append(('', 'here', *map(_counts, (*ours, sum(ours, Rate(0, 0))))))
    return ('## Published results', _ABOUT, table(('split', 'whose', *_TASKS, 'mean'), rows))


def _counts(found: Rate) -> str:
    return f'{found.solved}/{found.total}' if found.total else '–'

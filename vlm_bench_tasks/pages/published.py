"""Published results of learned policies, for pages of our own results. They come from other simulators, and are no scores of this bench."""

from vlm_bench_tasks.evaluation.entries import Entry, rate
from vlm_bench_tasks.judging.statistics import Rate
from vlm_bench_tasks.pages.tables import table

ARNOLD_TASKS = (
    'pickup_object', 'reorient_object', 'open_drawer', 'close_drawer', 'open_cabinet', 'close_cabinet', 'pour_water', 'transfer_water',
)  # fmt: skip

ARNOLD = {
    '6D-CLIPort': {
        'test': '6.72/25.37 0.00/0.00 0.00/0.00 0.00/2.70 0.00/0.00 0.00/5.83 0.00/0.00 0.00/7.14',
        'novel_object': '8.36/28.36 0.00/0.00 0.00/0.00 0.00/0.40 0.00/1.23 0.00/1.82 0.00/0.00 0.00/3.92',
        'novel_scene': '10.41/24.43 0.00/0.00 0.00/1.57 0.00/0.00 0.00/0.55 1.27/1.27 0.00/0.00 0.00/12.00',
        'novel_state': '0.00/0.00 0.00/0.00 0.00/0.57 0.75/1.13 0.00/0.83 0.00/2.78 0.00/0.00 0.00/16.81',
        'any_state': '10.45/29.10 1.30/2.60 0.84/0.00 0.68/1.35 0.00/5.80 0.00/2.91 0.00/1.49 0.00/7.14',
    },
    'PerAct without language': {
        'test': '25.37/33.58 14.29/7.79 17.65/36.13 47.30/52.03 8.70/34.78 7.77/10.68 14.93/11.94 5.36/14.29',
        'novel_object': '29.09/26.55 8.77/3.51 3.87/20.00 24.70/32.67 0.00/0.00 1.82/7.27 16.67/29.17 9.80/19.61',
        'novel_scene': '26.70/24.89 14.63/14.63 19.61/33.33 48.15/54.32 1.10/3.87 1.91/1.27 13.79/20.69 6.00/16.00',
        'novel_state': '0.34/0.00 0.00/0.95 9.20/8.05 1.70/2.08 0.00/2.07 1.39/1.39 1.08/2.69 5.04/8.40',
        'any_state': '20.15/19.40 12.99/12.99 13.45/30.25 20.95/24.32 5.80/26.09 14.56/15.53 14.93/16.42 1.79/7.14',
    },
    'PerAct': {
        'test': '94.03/97.76 19.48/24.68 31.09/44.54 60.81/66.22 24.64/42.03 22.33/45.63 55.22/74.63 32.14/46.43',
        'novel_object': '86.55/92.73 11.40/35.09 6.45/21.29 26.29/27.89 0.00/0.00 1.82/5.45 36.46/42.71 13.73/13.73',
        'novel_scene': '72.85/84.62 17.07/31.71 20.78/31.37 66.67/64.20 0.00/4.97 5.10/19.11 33.33/51.72 22.00/36.00',
        'novel_state': '2.38/0.68 0.00/0.95 10.92/12.64 13.77/17.74 0.00/5.81 1.39/1.39 1.61/1.08 5.88/1.68',
        'any_state': '47.01/50.75 7.79/19.48 21.85/30.25 18.92/25.00 5.80/21.74 3.88/15.53 14.93/25.37 10.71/14.29',
    },
    'PerAct with a state head': {
        'test': '94.78/95.52 24.68/28.57 36.13/52.94 60.14/68.24 23.19/49.28 30.10/48.54 49.25/85.07 28.57/53.57',
        'novel_object': '87.27/91.27 10.53/32.46 1.94/22.58 18.73/25.10 0.00/4.94 0.00/5.45 34.38/33.33 9.80/11.76',
        'novel_scene': '69.68/84.16 13.41/37.80 25.49/38.43 60.49/67.90 0.55/4.97 6.37/19.75 29.89/63.22 26.00/24.00',
        'novel_state': '0.68/2.38 0.48/0.00 10.06/12.93 13.58/18.11 0.00/6.22 0.00/8.33 2.15/1.61 5.88/2.52',
        'any_state': '48.51/47.76 14.29/14.29 21.01/33.61 23.65/28.38 4.35/24.64 6.80/13.59 26.87/31.34 14.29/19.64',
    },
    'PerAct, multi-task': {
        'test': '88.81/88.81 3.90/22.08 26.05/43.70 33.78/52.03 11.59/33.33 20.39/37.86 34.33/58.21 14.29/23.21',
        'novel_object': '77.09/77.45 7.02/20.18 1.29/15.48 13.55/25.50 0.00/0.00 1.82/7.27 13.54/30.21 1.96/11.76',
        'novel_scene': '68.78/77.83 10.98/41.46 13.33/25.88 29.63/55.56 0.00/4.97 5.73/9.55 19.54/43.68 4.00/16.00',
        'novel_state': '9.18/12.59 0.00/1.90 8.05/12.07 9.43/13.40 0.00/2.07 1.39/0.00 2.69/6.45 5.88/5.88',
        'any_state': '36.57/45.52 5.19/10.39 15.13/19.33 16.22/21.62 1.45/8.70 0.97/3.88 8.96/14.93 3.57/17.86',
    },
    'PerAct, multi-task, with a state head': {
        'test': '90.30/92.54 14.29/20.78 25.21/47.90 33.78/56.76 20.29/39.13 19.42/37.86 26.87/64.18 17.86/30.36',
        'novel_object': '81.09/85.45 7.89/24.56 3.23/22.58 14.74/28.69 0.00/4.94 1.82/5.45 9.38/20.83 3.92/19.61',
        'novel_scene': '67.87/79.64 7.32/29.27 12.94/25.49 39.51/65.43 1.10/4.42 7.01/14.01 10.34/43.68 8.00/22.00',
        'novel_state': '2.04/3.06 0.95/2.38 9.20/18.68 6.98/11.13 0.00/3.73 2.78/11.11 6.45/9.14 1.68/4.20',
        'any_state': '46.27/47.01 12.99/12.99 12.61/23.53 14.86/26.35 4.35/5.80 4.85/8.74 16.42/25.37 3.57/5.36',
    },
}
"""By model and split, in percent and in the order of `ARNOLD_TASKS`: with its own grasp, and with the first phase from the ground truth."""

CLEVRSKILLS = {
    'pictures': {
        'Oracle': '100 100 100 – 100 –',
        'JAT': '23.75 24.16 0 0.60 0.83 0',
        'RoboFlamingo': '35.41 27.91 0 1.00 0 1.66',
        'Octo': '34.16 26.25 0.33 5.00 0.83 5.83',
        'StreamRoboLM (OPT 1B)': '62.91 41.66 0 3.33 0 4.16',
        'StreamRoboLM (Llama 3.2 3B)': '62.50 55.41 0 3.33 0 3.33',
    },
    'words': {
        'JAT': '32.5 – 0 – 0 –',
        'RoboFlamingo': '57.5 – 0 – 0 –',
        'Octo': '41.0 – 0.4 – 0 –',
        'StreamRoboLM (OPT 1B)': '56.0 – 0 – 0 –',
        'StreamRoboLM (Llama 3.2 3B)': '58.5 – 0 – 0 –',
    },
}
"""By table and model, in percent: L0, L0 unseen, L1 zero-shot and fine-tuned, L2 zero-shot and fine-tuned."""

LOHORAVENS_TASKS = (
    'pick_and_place', 'match_bowls', 'small_on_big', 'stack_in_area', 'even_color_to_zone', 'mismatch_bowls', 'stack_same_size',
    'stack_alternate', 'small_on_big_in_zone', 'move_between_areas', 'stack_same_color',
)  # fmt: skip
"""The rows A to K of the paper's table; A to E are seen in training."""

LOHORAVENS = {
    'oracle stop': {'CLIPort': '61.2 19.7 12.1 22.5 13.4 17.3 2.1 1.8 8.5 15.1 6.7'},
    'own stop': {
        'CLIPort, Llama 2': '67.3 27.9 17.5 28.8 9.1 24.8 15.8 8.7 13.6 19.7 3.5',
        'CLIPort, Llama 2, OpenFlamingo': '67.3 31.4 18.0 30.4 9.6 28.5 21.9 13.2 12.8 27.4 4.0',
        'CLIPort, LLaVA': '67.3 37.0 22.1 35.8 8.2 21.1 14.7 5.2 11.7 27.2 6.8',
    },
}
"""By table and method, the score of 0 to 100 in the order of `LOHORAVENS_TASKS`."""

VLMBENCH_TASKS = ('pick_place', 'stack', 'drop_pencil', 'shape_sorter', 'pour', 'wipe', 'door', 'drawer')

VLMBENCH = {
    'language only': '0/0 0/0 0/0 0/0 0/0 0/0 0/0 4.17/1.04',
    'vision only': '6.31/9.85 6.89/1.79 0/0 0/0.33 0/0 19.80/20.80 0/0 14.58/7.29',
    '6D-CLIPort': '28.28/27.53 22.19/18.37 6.42/6.42 17.33/12.33 1.00/1.00 22.40/21.00 6.00/5.00 22.92/15.63',
    '6D-CLIPort, true orientation': '28.03/26.26 26.53/26.02 17.91/16.22 24.00/15.67 3.67/3.67 25.80/25.20 6.00/5.00 23.96/17.71',
    '6D-CLIPort, true position': '83.84/75.25 58.93/50.51 16.89/11.82 18.00/17.33 0.33/0.67 60.20/53.40 27.00/27.00 43.75/52.08',
}
"""By agent, in percent and in the order of `VLMBENCH_TASKS`: seen and unseen."""

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
    for split, text in ARNOLD['PerAct'].items():
        cells = [pair(cell) for cell in text.split()]
        means = tuple(sum(values) / len(values) for values in zip(*cells, strict=True))
        rows.append((split, 'PerAct', *(f'{own:.0f} / {given:.0f}' for own, given in (*cells, means))))
        ours = [rate(r for r in results if (r.task, r.split) == (f'arnold/{task}', split)) for task in ARNOLD_TASKS]
        rows.append(('', 'here', *map(_counts, (*ours, sum(ours, Rate(0, 0))))))
    return ('## Published results', _ABOUT, table(('split', 'whose', *ARNOLD_TASKS, 'mean'), rows))


def pair(cell: str) -> tuple[float, float]:
    """Return the two numbers of a cell."""
    first, _, second = cell.partition('/')
    return float(first), float(second)


def _counts(found: Rate) -> str:
    return f'{found.solved}/{found.total}' if found.total else '–'

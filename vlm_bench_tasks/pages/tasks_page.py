"""The tasks page of docs/: instruction, success condition, scene and the oracle's success rate of each task."""

import json
from pathlib import Path

from vlm_bench_sim.core.timing import CONTROL_HZ
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.episode import Episode, Task
from vlm_bench_tasks.family import family_name
from vlm_bench_tasks.goals.units import words
from vlm_bench_tasks.judging.statistics import Rate
from vlm_bench_tasks.pages.results_page import FOLDER
from vlm_bench_tasks.pages.tables import NONE, literal, table
from vlm_bench_tasks.pages.task_sheet import file
from vlm_bench_tasks.variation.pools import Pools

ROOT = Path(__file__).resolve().parents[2]
FEW = 4
"""Greatest number of values that are listed one by one."""

_INTRODUCTION = """\
Written from the files of `vlm_bench_tasks/suite/`. Sentences, goals and pictures are those of seed 0 of the first split; blanks are
references. Pictures show how an episode begins and how the oracle leaves it (`make gallery`); named areas of the table, which no camera
sees, are outlined in them: white where the goal asks for them, dark where only the sentence does.

*Unit tasks* are VLMbench's: `Control` grasps, `M1` brings to a place, `M2` leads along a path; in brackets the constraints on position
and on orientation. *Alternatives* is the number of other goals that true sentences about the same scene could request. With n
alternatives, a policy that knows the scene but not the sentence is right in one of n + 1 cases. *Lines* is the length of the task's file.
*Level* is ClevrSkills' step from skills (L0) to compositions of them (L1, L2).
Rates of the oracle come from `make sweep`, over every axis and split, with 95 % Wilson intervals."""


def tasks_page(head: str) -> str:
    """Return docs/tasks.md, with `head` below its title."""
    return '\n\n'.join(['# Tasks', head, _INTRODUCTION, _list(), *(_task(name) for name in catalogue.tasks())]) + '\n'


def _list() -> str:
    rows = []
    for name in catalogue.tasks():
        made_by, episode = catalogue.task(name), _first(name)
        link = f'[{name}](#{name.replace("/", "")})'
        rows.append(
            (link, _about(name), made_by.level or NONE, ', '.join(made_by.axes), _plan(episode), str(len(_source(name).splitlines())))
        )
    return table(('task', 'about', 'level', 'axes', 'unit tasks', 'lines'), rows)


def _task(name: str) -> str:
    made_by, episode = catalogue.task(name), _first(name)
    templates = [literal(template).replace('{', '`<').replace('}', '>`') for template in episode.instruction.templates(episode.scene)]
    facts = [
        ('sentences', '<br>'.join(templates)),
        ('goal', episode.goal.words()),
        ('unit tasks', _plan(episode)),
        ('axes, with the numbers or how many values each split has', _axes(name, made_by)),
        ('alternatives', _alternatives(name, made_by)),
        ('limits', f'{made_by.horizon:g} s of simulated time, {made_by.step_limit or round(made_by.horizon * CONTROL_HZ)} control periods'),
        ('revision', str(made_by.revision)),
        *([('level', made_by.level)] if made_by.level else []),
        ('oracle', _rate(name)),
    ]
    shown = f'![How it begins and how it ends](gallery/{file(name)})'
    return f'## {name}\n\n{_about(name)}\n\n{shown}\n\n' + table(('what', 'value'), facts)


def _first(name: str) -> Episode:
    return catalogue.build(name, catalogue.splits(name)[0], 0)


def _plan(episode: Episode) -> str:
    return words(episode.plan or episode.goal) or NONE


def _axes(name: str, made_by: Task) -> str:
    pools = catalogue.pools(name)
    counts = {axis: [f'`{split}`{_count(name, pools.along(axis, split), axis)}' for split in pools.pools] for axis in made_by.axes}
    return '; '.join(f'{axis}: {", ".join(found)}' for axis, found in counts.items())


def _count(name: str, pools: Pools, axis: str) -> str:
    if axis == 'look':
        return f' ({len({look for looks in pools.look.values() for look in looks})})'
    if axis != 'goal' or not pools.goal:
        return f' ({len(getattr(pools, axis))})' if axis in ('color', 'palette') else ''
    numbers = [f'{number:g}' for number in pools.goals(name.partition('/')[2])]
    return f' ({", ".join(numbers)})' if len(numbers) <= FEW else f' ({len(numbers)} from {numbers[0]} to {numbers[-1]})'


def _alternatives(name: str, made_by: Task) -> str:
    counts = {axis: len(catalogue.build(name, catalogue.splits(name)[0], 0, axis).alternatives) for axis in made_by.axes}
    return ', '.join(f'{axis}: {count or "none"}' for axis, count in counts.items())


def _rate(name: str) -> str:
    path = ROOT / FOLDER / f'{family_name(name)}_oracle.json'
    found = json.loads(path.read_text()).get(name) if path.exists() else None
    return str(Rate(found['solved'], found['total'])) if found else 'not swept'


def _about(name: str) -> str:
    return _source(name).split('"""')[1].strip().splitlines()[0]


def _source(name: str) -> str:
    return (ROOT / 'vlm_bench_tasks' / 'suite' / f'{name}.py').read_text()

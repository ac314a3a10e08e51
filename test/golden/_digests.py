"""How digests are made and compared. Nothing here names a task: what the catalogue holds has digests."""

import json
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from hashlib import sha256
from itertools import product
from math import hypot
from multiprocessing import get_context
from pathlib import Path
from platform import machine
from typing import Any

import numpy as np
import pytest

from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core.codec import dumps
from vlm_bench_sim.core.geometry import Box, Pose
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.matter import Beads, packed
from vlm_bench_sim.core.objects.furniture import furniture
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene, Table
from vlm_bench_sim.core.shapes import kinds, usual_size
from vlm_bench_sim.profiles import robot
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.run import Bench

FILE = Path(__file__).with_name('digests.json')
SEEDS = (0, 100_000)
"""One to train with, one to test with."""

STAGE = 'stage'
WIDE = Table(Box((1.6, 0.0, -0.02), (3.6, 2.0, 0.04)))
_PERIODS, _GAP, _GREY = 20, 0.02, Color('grey', (0.5, 0.5, 0.5))

Digests = dict[str, Any]


def episodes(tasks: Iterable[str]) -> Digests:
    """Return, by task, its revision, and the digests of its episodes: two of its first split and axis, one of every other."""
    return {task: {'revision': catalogue.task(task).revision, 'episodes': _by_seed(task)} for task in tasks}


def _by_seed(task: str) -> dict[str, str]:
    first, *others = product(catalogue.splits(task), catalogue.task(task).axes)
    wanted = [(str(seed), *first, seed) for seed in SEEDS]
    wanted += [(f'{split} {axis} {SEEDS[0]}', split, axis, SEEDS[0]) for split, axis in others]
    built = ((name, catalogue.build(task, split, seed, axis)) for name, split, axis, seed in wanted)
    return {name: sha256(dumps(episode).encode()).hexdigest() for name, episode in built}


def sample(count: int = 2) -> tuple[str, ...]:
    """Return so many tasks of each family, the first and the last among them."""
    families: dict[str, list[str]] = {}
    for task in catalogue.tasks():
        families.setdefault(task.partition('/')[0], []).append(task)
    return tuple(tasks[i * (len(tasks) - 1) // (count - 1)] for tasks in families.values() for i in range(count))


def final(task: str, seed: int | str) -> str:
    """Return the state hash at the end of an episode that the oracle played."""
    bench = Bench(catalogue.task(task).robot)
    run = bench.run(catalogue.build(task, catalogue.splits(task)[0], int(seed)), policy('oracle'))
    bench.close()
    return f'{run.report.verdict.value} {run.hashes[-1]}'


def finals(tasks: Iterable[str], workers: int) -> dict[str, dict[str, str]]:
    """Return, by task and seed, how the oracle's episode ends, played by so many processes."""
    wanted = [(task, seed) for task in tasks for seed in SEEDS]
    with ProcessPoolExecutor(workers, mp_context=get_context('spawn')) as pool:
        ends = list(pool.map(final, *zip(*wanted, strict=True)))
    found: dict[str, dict[str, str]] = {}
    for (task, seed), end in zip(wanted, ends, strict=True):
        found.setdefault(task, {})[str(seed)] = end
    return found


def stage() -> Scene:
    """Return a scene with one of each prop, a chest of drawers, and a mug of water."""
    box, laid = WIDE.box, list[Prop]()
    x, y, depth = box.low[0] + 0.25, box.low[1] + _GAP, 0.0
    for kind in sorted(kinds(), key=lambda kind: (-max(usual_size(kind)[:2]), kind)):
        size = usual_size(kind)
        width = hypot(*size[:2])
        if y + width > box.high[1]:
            x, y, depth = x + depth + _GAP, box.low[1] + _GAP, 0.0
        pose = Pose.from_rpy((x + width / 2, y + width / 2, size[2] / 2 + 5e-4), (0.0, 0.0, 0.5))
        laid.append(Prop(kind, kind, size, _GREY, 0.1, 0.71, pose, ghost=kind == 'zone'))
        y, depth = y + width + _GAP, max(depth, width)
    mug = next(prop for prop in laid if prop.kind == 'mug1')
    water = Beads('water', packed(mug, 40, np.random.default_rng(0)))
    chest = replace(furniture('drawer1', 'chest'), pose=Pose((2.9, 0.0, 0.0)))
    return Scene(tuple(laid), table=WIDE, mechanisms=(chest,), beads=(water,))


def stage_hash() -> str:
    """Return the state hash of the stage after a second."""
    world = BulletWorld(robot('panda'))
    world.load(stage())
    for _ in range(_PERIODS):
        world.step()
    found = world.state_hash()
    world.close()
    return found


def same_machine() -> None:
    """Skip the test where states come out otherwise, as they may on another architecture."""
    if golden()['machine'] != machine():
        made_on = golden()['machine']
        pytest.skip(f'The digests of states were made on {made_on}; this is {machine()}, whose floats may differ in the last bit.')


def golden() -> Digests:
    """Return what was committed."""
    read: Digests = json.loads(FILE.read_text())
    return read


def renew(named: Iterable[str] = (), workers: int = 2) -> None:
    """Write the digests of now: of the tasks and families that are named, the others' as they were; of all and the stage where none is.

    Raises:
        TaskError: there is no such task or family.
    """
    chosen = tuple(dict.fromkeys(task for name in named for task in catalogue.chosen(name)))
    tasks = chosen or catalogue.tasks()
    ends = finals(tasks, workers)
    fresh = {task: one | {'finals': ends[task]} for task, one in episodes(tasks).items()}
    kept = golden() if chosen else {'machine': machine(), STAGE: stage_hash(), 'tasks': {}}
    found = {task: (kept['tasks'] | fresh)[task] for task in catalogue.tasks() if task in kept['tasks'] | fresh}
    FILE.write_text(json.dumps(kept | {'tasks': found}, indent=1) + '\n')


def differences(found: Digests, wanted: Digests, key: str) -> list[str]:
    """Say in words which tasks came to something else than what was committed, under 'episodes' or 'finals'."""
    said = []
    for task, one in found.items():
        if task not in wanted:
            said.append(f'{task} has no golden digests yet. Make them: python -m test.golden')
            continue
        changed = [seed for seed, digest in one[key].items() if wanted[task][key].get(seed) != digest]
        if changed:
            said.append(f'{task} has other {key} than before ({", ".join(changed)}). {_advice(one, wanted[task])}')
    return said + [f'{task} is gone. Renew the digests: python -m test.golden' for task in wanted if task not in found]


def _advice(now: Digests, before: Digests) -> str:
    if now['revision'] > before['revision']:
        return 'Its revision has risen. Renew the digests: python -m test.golden'
    return (
        f'Scores before and after cannot be compared. If it is meant, raise its revision to {before["revision"] + 1} '
        'and renew the digests: python -m test.golden'
    )

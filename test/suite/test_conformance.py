"""Every task must pass this file without being mentioned in it."""

from dataclasses import replace
from functools import singledispatch
from pathlib import Path
from re import DOTALL, search

import numpy as np
import pytest

from vlm_bench_sim import profiles
from vlm_bench_sim.core.geometry import Pose, vector
from vlm_bench_sim.core.snapshot import Body, JointState, Snapshot, pair
from vlm_bench_sim.core.symmetry import symmetry
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.alternatives import at_start
from vlm_bench_tasks.conformance import CHECKS, Subject, check
from vlm_bench_tasks.episode import Task
from vlm_bench_tasks.goals.base import Leaf
from vlm_bench_tasks.goals.filling import Filled
from vlm_bench_tasks.goals.matter import Poured, Wiped
from vlm_bench_tasks.goals.mechanisms import JointAt, JointLeaf, Opened
from vlm_bench_tasks.goals.moving import Leaning, Moved, Raised, Toppled, Toward, Turned
from vlm_bench_tasks.goals.outlines import centroid, outline
from vlm_bench_tasks.goals.placing import At, Inside, On, Within, ground, highest, sticks_out
from vlm_bench_tasks.goals.scales import Carried, Level
from vlm_bench_tasks.goals.touching import Flying, Grasped, Reached, Touching
from vlm_bench_tasks.goals.towers import Tower
from vlm_bench_tasks.goals.units import leaves_of

SEEDS = 2
PAGE = Path(__file__).parents[2] / 'docs' / 'adding_a_task.md'


def example() -> Task:
    """The task that docs/adding_a_task.md writes."""
    block = search(r'```python\n(.*?)```', PAGE.read_text(), DOTALL)
    names: dict[str, object] = {}
    exec(compile(block[1], str(PAGE), 'exec'), names)
    return names['TASK']


TASKS = {name: catalogue.task(name) for name in catalogue.tasks()} | {'vlmbench/example_of_the_docs': example()}
SUBJECTS = {name: Subject(name, task, seeds=SEEDS) for name, task in TASKS.items()}
every_task = pytest.mark.parametrize('name', TASKS)


@singledispatch
def fulfilled(leaf: Leaf, now: Snapshot) -> Snapshot:
    """A snapshot in which the leaf holds: a witness that it is possible. One function a leaf type."""
    raise NotImplementedError(f'Write a witness of {type(leaf).__name__} here.')


@fulfilled.register
def _inside(leaf: Inside, now: Snapshot) -> Snapshot:
    if sticks_out(leaf.prop, leaf.container):
        return _standing(leaf, now)
    cavity, box = leaf.container.solid.cavity, now.pose(leaf.container.name)
    best = None
    for quarter in range(4):
        inside = Pose.from_rpy((cavity.centre[0], cavity.centre[1], cavity.low[2] + leaf.prop.size[2] / 2), (0.0, 0.0, quarter * np.pi / 2))
        seen = replace(now, bodies=now.bodies | {leaf.prop.name: Body(box @ inside)})
        best = seen if best is None or leaf.holds(seen, now) else best
    return best


def _standing(leaf: Inside, now: Snapshot) -> Snapshot:
    """A long prop along y stands upright on the container's floor."""
    cavity, box = leaf.container.solid.cavity, now.pose(leaf.container.name)
    upright = Pose.from_rpy((*cavity.centre[:2], cavity.low[2] + leaf.prop.size[1] / 2), (np.pi / 2, 0.0, 0.0))
    return put(leaf, now, box @ upright)


def put(leaf: Leaf, now: Snapshot, pose: Pose, *touched: str) -> Snapshot:
    """The snapshot with the leaf's prop at a pose, touching others."""
    pairs = tuple(pair(leaf.prop.name, name) for name in touched)
    return replace(now, bodies=now.bodies | {leaf.prop.name: Body(pose)}, touching=now.touching + pairs)


@fulfilled.register
def _on(leaf: On, now: Snapshot) -> Snapshot:
    base = now.pose(leaf.base.name)
    x, y = centroid(outline(leaf.base, base)) - symmetry(leaf.prop.kind, leaf.prop.size).centre[:2]
    return put(leaf, now, Pose((x, y, highest(leaf.base, base) + leaf.prop.size[2] / 2)), leaf.base.name)


@fulfilled.register
def _carried(leaf: Carried, now: Snapshot) -> Snapshot:
    link = leaf.mechanism.link(leaf.links[0])
    plate, full = link.parts[0], leaf.mechanism.full(link.name)
    (x, y, z) = (leaf.mechanism.placed(now.mechanisms)[full] @ plate.pose).position
    return put(leaf, now, Pose((x, y, z + (plate.size[2] + leaf.prop.size[2]) / 2)), full)


@fulfilled.register
def _within(leaf: Within, now: Snapshot) -> Snapshot:
    zone, top = ground(leaf.zone, now)
    return put(leaf, now, Pose((*centroid(zone), top + leaf.prop.size[2] / 2)))


@fulfilled.register
def _tower(leaf: Tower, now: Snapshot) -> Snapshot:
    stands = list(leaf.standing(now))
    if not stands:
        stands = [leaf.levels[0][0]]
        now = _within(leaf.first(stands[0], leaf.place), now)
    for level in leaf.levels[len(stands) :]:
        prop = next(prop for prop in level if prop not in stands)
        now = _on(On(prop, stands[-1]), now)
        stands.append(prop)
    return now


@fulfilled.register
def _at(leaf: At, now: Snapshot) -> Snapshot:
    return put(leaf, now, leaf.pose)


@fulfilled.register
def _poured(leaf: Poured, now: Snapshot) -> Snapshot:
    (centre,) = now.pose(leaf.receiver.name).apply([leaf.receiver.solid.cavity.centre]).tolist()
    return replace(now, beads=now.beads | {leaf.beads.name: (tuple(centre),) * len(leaf.beads.centres)})


@fulfilled.register
def _filled(leaf: Filled, now: Snapshot) -> Snapshot:
    (centre,) = now.pose(leaf.vessel.name).apply([leaf.vessel.solid.cavity.centre]).tolist()
    count, away = round(leaf.share * len(leaf.beads.centres)), (0.0, 0.5, 0.0)
    return replace(now, beads=now.beads | {leaf.beads.name: (tuple(centre),) * count + (away,) * (len(leaf.beads.centres) - count)})


@fulfilled.register
def _wiped(leaf: Wiped, now: Snapshot) -> Snapshot:
    return replace(now, dirt=now.dirt | {leaf.dirt.name: ()})


@fulfilled.register
def _raised(leaf: Raised, now: Snapshot) -> Snapshot:
    return put(leaf, now, now.pose(leaf.prop.name).shifted((0.0, 0.0, leaf.height)))


@fulfilled.register
def _leaning(leaf: Leaning, now: Snapshot) -> Snapshot:
    return put(leaf, now, Pose.from_rpy((0.4, 0.0, 0.3), (leaf.angle, 0.0, 0.0)))


@fulfilled.register
def _moved(leaf: Moved, now: Snapshot) -> Snapshot:
    return put(leaf, now, now.pose(leaf.prop.name).shifted((2.0 * leaf.least, 0.0, 0.0)))


@fulfilled.register
def _toward(leaf: Toward, now: Snapshot) -> Snapshot:
    here, there = (np.asarray(now.pose(prop.name).position) for prop in (leaf.prop, leaf.target))
    return put(leaf, now, now.pose(leaf.prop.name).shifted(vector(0.5 * (there - here))))


@fulfilled.register
def _turned(leaf: Turned, now: Snapshot) -> Snapshot:
    return put(leaf, now, leaf.wanted(now))


@fulfilled.register
def _toppled(leaf: Toppled, now: Snapshot) -> Snapshot:
    return put(leaf, now, now.pose(leaf.prop.name) @ Pose.from_rpy((0.0, 0.0, 0.0), (np.pi / 2, 0.0, 0.0)))


@fulfilled.register
def _grasped(leaf: Grasped, now: Snapshot) -> Snapshot:
    return replace(now, held=leaf.prop.name)


@fulfilled.register
def _touching(leaf: Touching, now: Snapshot) -> Snapshot:
    other = leaf.other if isinstance(leaf.other, str) else leaf.other.name
    return put(leaf, now, now.pose(leaf.prop.name), other)


@fulfilled.register
def _reached(leaf: Reached, now: Snapshot) -> Snapshot:
    return replace(now, tool=leaf.pose)


@fulfilled.register
def _flying(leaf: Flying, now: Snapshot) -> Snapshot:
    here, there = now.tool.position, now.pose(leaf.target.name).position
    body = Body(Pose((here[0] + 0.2, here[1], here[2])), linear=vector(np.subtract(there, (here[0] + 0.2, *here[1:]))))
    return replace(now, bodies=now.bodies | {leaf.prop.name: body})


@fulfilled.register(Opened)
@fulfilled.register(JointAt)
@fulfilled.register(Level)
def _opened(leaf: JointLeaf, now: Snapshot) -> Snapshot:
    return replace(now, mechanisms=now.mechanisms | {leaf.full: JointState(leaf.target)})


@pytest.mark.parametrize('examined', [c for c in CHECKS if not c.plays], ids=lambda c: c.name)
@every_task
def test_a_task_keeps_to_what_every_task_must(name, examined):
    ((_, found),) = check(SUBJECTS[name], (examined,))
    assert not found, '\n'.join(finding.text for finding in found)


@every_task
def test_the_goal_can_be_reached(name):
    """Each leaf has a witness: a snapshot, made by hand, in which it holds."""
    subject = SUBJECTS[name]
    for case in subject.cases:
        episode = subject.episode(case)
        start = now = at_start(episode.scene)
        for leaf in leaves_of(episode.goal):
            now = fulfilled(leaf, now)
            assert leaf.holds(now, start), f'it cannot be that {leaf.words()} ({case})'


@every_task
def test_the_limits_are_sensible(name):
    task = TASKS[name]
    assert 5.0 <= task.horizon <= 600.0
    assert task.step_limit >= 0
    assert task.revision >= 1
    assert not task.robot or task.robot in profiles.robots()


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize('examined', [c for c in CHECKS if c.plays], ids=lambda c: c.name)
@every_task
def test_a_task_plays_as_every_task_must(name, examined):
    ((_, found),) = check(SUBJECTS[name], (examined,))
    assert not found, '\n'.join(finding.text for finding in found)

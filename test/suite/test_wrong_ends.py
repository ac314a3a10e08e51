"""For each task the ends that look nearly right and must not pass: films of real episodes that stop there, beside one that ends well."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from math import pi, radians

import numpy as np
import pytest

from test.films import numbered
from vlm_bench_sim.core.codes import EventKind, Verdict
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.matter import packed
from vlm_bench_sim.core.objects.sorter import HOLES
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import Body, JointState, Snapshot, pair
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.alternatives import at_start
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.goals.placing import cavity_of
from vlm_bench_tasks.judging.monitor import Limits, judge
from vlm_bench_tasks.judging.report import Event

Ends = dict[str, tuple[Snapshot, ...]]
"""By what is wrong, what is seen one after the other; each but the last lasts 0.4 s. `right` is the one that is not."""

TIPPED = Pose.from_rpy((0.0, 0.0, 0.0), (radians(40.0), 0.0, 0.0))


def seen(now: Snapshot, poses: dict[str, Pose], *touching: tuple[str, str], held: str = '') -> Snapshot:
    """The same with some props elsewhere."""
    pairs = tuple(pair(*two) for two in touching)
    return replace(now, bodies=now.bodies | {n: Body(p) for n, p in poses.items()}, touching=pairs, touched=pairs, held=held)


def within(box: Prop, prop: Prop, turn: Pose = Pose(), *, height: float = 0.0) -> Pose:
    """Where the prop's frame is over the middle of the floor of a container, `height` m above it, turned in its frame."""
    return box.pose @ Pose((0.0, 0.0, float(cavity_of(box).low[2]) + height)) @ turn


def others(episode: Episode, *but: Prop) -> dict[str, list[Prop]]:
    """The props that are not meant, by kind."""
    names = {prop.name for prop in but}
    found: dict[str, list[Prop]] = {}
    for prop in episode.scene.props:
        if prop.name not in names:
            found.setdefault(prop.kind, []).append(prop)
    return found


def pick_place(episode: Episode, now: Snapshot) -> Ends:
    item, box = episode.goal.props()
    rest = others(episode, item, box)
    spare, other, half = rest[box.kind][0], rest[item.kind][0], item.size[2] / 2
    lies, cavity, tipped = within(box, item, height=half), cavity_of(box), box.pose @ TIPPED
    return {
        'right': (seen(now, {item.name: lies}),),
        'held': (seen(now, {item.name: lies}, held=item.name),),
        'half out': (seen(now, {item.name: box.pose @ Pose((float(cavity.high[0]), 0.0, float(cavity.high[2])))}),),
        'another object': (seen(now, {other.name: lies}),),
        'another container': (seen(now, {item.name: within(spare, item, height=half)}),),
        'tipped': (seen(now, {box.name: tipped, item.name: tipped @ (box.pose.inverse() @ lies)}),),
    }


def drop_pencil(episode: Episode, now: Snapshot) -> Ends:
    pencil, box = episode.goal.props()
    rest = others(episode, pencil, box)
    spare, other, half = rest[box.kind][0], rest[pencil.kind][0], max(pencil.size) / 2
    up, deep = Pose.from_rpy((0.0, 0.0, 0.0), (pi / 2, 0.0, 0.0)), float(cavity_of(box).size[2])
    stands, tipped = within(box, pencil, up, height=half), box.pose @ TIPPED
    return {
        'right': (seen(now, {pencil.name: stands}),),
        'held': (seen(now, {pencil.name: stands}, held=pencil.name),),
        'half out': (seen(now, {pencil.name: within(box, pencil, up, height=0.6 * deep + half)}),),
        'across the rim': (seen(now, {pencil.name: within(box, pencil, height=deep + 0.008)}),),
        'beside it': (seen(now, {pencil.name: box.pose @ Pose((box.size[0], 0.0, half - box.size[2] / 2)) @ up}),),
        'another pencil': (seen(now, {other.name: stands}),),
        'another container': (seen(now, {pencil.name: within(spare, pencil, up, height=half)}),),
        'tipped': (seen(now, {box.name: tipped, pencil.name: tipped @ (box.pose.inverse() @ stands)}),),
    }


def shape_sorter(episode: Episode, now: Snapshot) -> Ends:
    block, sorter = episode.goal.props()
    other, half, top = others(episode, block, sorter)[block.kind][0], block.size[2] / 2, sorter.size[2] / 2
    lies = within(sorter, block, height=half)

    def over(hole: str, height: float) -> Pose:
        (x, y), yaw, _ = HOLES[hole]
        return sorter.pose @ Pose.from_rpy((x, y, top + height), (0.0, 0.0, yaw))

    wrong = next(kind for kind in HOLES if kind != block.kind)
    return {
        'right': (seen(now, {block.name: lies}),),
        'held inside': (seen(now, {block.name: lies}, held=block.name),),
        'held in the hole': (seen(now, {block.name: over(block.kind, 0.0)}, held=block.name),),
        'half in the hole': (seen(now, {block.name: over(block.kind, 0.0)}),),
        'stuck in its hole': (seen(now, {block.name: over(block.kind, -half)}),),
        'on the lid': (seen(now, {block.name: over(block.kind, half)}),),
        'stuck in a wrong hole': (seen(now, {block.name: over(wrong, half - 0.01)}),),
        'another block': (seen(now, {other.name: lies}),),
        'beside it': (seen(now, {block.name: sorter.pose @ Pose((sorter.size[0], 0.0, half - top))}),),
    }


def stack(episode: Episode, now: Snapshot) -> Ends:
    lower, both = episode.goal.parts
    base, middle, top = lower.base, lower.prop, both.parts[1].prop
    other = others(episode, base, middle, top)[base.kind][0]

    def tower(*props: Prop, held: str = '', aside: float = 0.0) -> Snapshot:
        """The props on one another, the last of them so far beside the one below."""
        poses = {props[0].name: props[0].pose}
        for below, prop in pairwise(props):
            poses[prop.name] = poses[below.name].shifted((aside if prop is props[-1] else 0.0, 0.0, (below.size[2] + prop.size[2]) / 2))
        return seen(now, poses, *((a.name, b.name) for a, b in pairwise(props)), held=held)

    whole = tower(base, middle, top)
    return {
        'right': (tower(base, middle), whole),
        'held': (tower(base, middle), tower(base, middle, top, held=top.name)),
        'only two of three': (tower(base, middle),),
        'beside it': (tower(base, middle), tower(base, middle, top, aside=0.1)),
        'another on top': (tower(base, middle), tower(base, middle, other)),
        'another at the bottom': (tower(other, middle), tower(other, middle, top)),
        'upside down': (tower(top, middle), tower(top, middle, base)),
        'top and middle exchanged': (tower(base, top), tower(base, top, middle)),
        'fallen': (tower(base, middle), whole, now),
    }


def pour(episode: Episode, now: Snapshot) -> Ends:
    (goal,) = episode.goal.leaves()
    receiver, name, count = goal.receiver, goal.beads.name, len(goal.beads.centres)
    cup = packed(receiver.at(Pose()), count, np.random.default_rng(0))
    source = max(episode.scene.props, key=lambda prop: -prop.pose.distance(Pose(goal.beads.centres[0])))
    third = next(prop for prop in episode.scene.props if prop not in (receiver, source))

    def into(mug: Prop, arrived: int) -> dict[str, tuple[tuple[float, ...], ...]]:
        there = tuple(map(tuple, mug.pose.apply(cup).tolist()))
        return {name: there[:arrived] + goal.beads.centres[arrived:]}

    floor = tuple((x, y, 0.004) for x, y, _ in receiver.pose.shifted((0.1, 0.1, 0.0)).apply(cup).tolist())
    toppled = {receiver.name: receiver.pose.shifted((0.1, 0.0, 0.0)) @ Pose.from_rpy((0, 0, 0), (pi / 2, 0, 0))}
    return {
        'right': (replace(now, beads=into(receiver, goal.needed)),),
        'one bead too few': (replace(now, beads=into(receiver, goal.needed - 1)),),
        'into another mug': (replace(now, beads=into(third, count)),),
        'spilled': (replace(now, beads={name: floor}),),
        'tipped': (seen(replace(now, beads=into(receiver, count)), toppled),),
    }


def wipe(episode: Episode, now: Snapshot) -> Ends:
    (goal,) = episode.goal.leaves()
    other = next(dirt for dirt in episode.scene.dirt if dirt.name != goal.dirt.name)
    moved = {goal.dirt.wiper: goal.area.pose.shifted((0.0, 0.0, 0.02))}
    return {
        'right': (replace(now, dirt=now.dirt | {goal.dirt.name: tuple(range(goal.allowed))}),),
        'one speck too many': (replace(now, dirt=now.dirt | {goal.dirt.name: tuple(range(goal.allowed + 1))}),),
        'another area': (replace(now, dirt=now.dirt | {other.name: ()}),),
        'covered by the sponge': (seen(now, moved),),
    }


def operated(episode: Episode, now: Snapshot, **elsewhere: tuple[str, float]) -> Ends:
    """The ends of a drawer or a door: its link where it shall be, and others that are named."""
    (goal,) = episode.goal.leaves()

    def at(link: str, position: float, velocity: float = 0.0) -> Snapshot:
        return replace(now, mechanisms=now.mechanisms | {goal.mechanism.full(link): JointState(position, velocity)})

    there = at(goal.link, goal.target)
    ends = {
        'right': there,
        'held': replace(there, held=goal.full),
        'touched': seen(there, {}, (goal.full, 'robot')),
        'moving': at(goal.link, goal.target, 0.1),
        'hardly moved': at(goal.link, goal.low - 0.01 if goal.joint.start < goal.low else goal.high + 0.01),
    }
    return {what: (end,) for what, end in (ends | {what.replace('_', ' '): at(*end) for what, end in elsewhere.items()}).items()}


def drawer(episode: Episode, now: Snapshot) -> Ends:
    (goal,) = episode.goal.leaves()
    other = next(link.name for link in goal.mechanism.links if link.joint and link.name != goal.link)
    return operated(episode, now, another_drawer=(other, goal.target), half=(goal.link, goal.target / 2))


def door(episode: Episode, now: Snapshot) -> Ends:
    return operated(episode, now, only_the_handle=('lever', radians(25.0)), too_far=('door', radians(50.0)), half=('door', radians(15.0)))


FILMED: dict[str, tuple[Callable[[Episode, Snapshot], Ends], str, int, tuple[str, ...]]] = {
    'pick_place': (pick_place, 'color', 5, ('held', 'half out', 'another object', 'another container', 'tipped')),
    'stack': (
        stack, 'color', 1,
        ('held', 'only two of three', 'beside it', 'another on top', 'another at the bottom', 'upside down', 'top and middle exchanged',
         'fallen'),
    ),
    'drop_pencil': (
        drop_pencil, 'color', 0,
        ('held', 'half out', 'across the rim', 'beside it', 'another pencil', 'another container', 'tipped'),
    ),
    'shape_sorter': (
        shape_sorter, 'color', 1,
        ('held inside', 'held in the hole', 'half in the hole', 'stuck in its hole', 'on the lid', 'stuck in a wrong hole', 'another block',
         'beside it'),
    ),
    'pour': (pour, 'color', 0, ('one bead too few', 'into another mug', 'spilled', 'tipped')),
    'wipe': (wipe, 'color', 0, ('one speck too many', 'another area', 'covered by the sponge')),
    'drawer': (drawer, 'level', 1, ('held', 'touched', 'moving', 'hardly moved', 'another drawer', 'half')),
    'door': (door, 'amount', 0, ('held', 'touched', 'moving', 'hardly moved', 'only the handle', 'too far', 'half')),
}  # fmt: skip
"""By task: how its ends are made, the axis and seed of the episode, and what is wrong."""

WRONG = [(task, what) for task, (*_, ends) in FILMED.items() for what in ends]


@cache
def laid(task: str) -> tuple[Episode, Snapshot, Ends]:
    ends, axis, seed, _ = FILMED[task]
    episode = catalogue.build(f'vlmbench/{task}', 'seen', seed, axis)
    now = at_start(episode.scene)
    return episode, now, ends(episode, now)


def verdict(task: str, what: str) -> Verdict:
    """What a film is judged to be that ends so."""
    episode, now, ends = laid(task)
    *between, last = ends[what]
    film = numbered([now] * 3 + [frame for one in between for frame in [one] * 8] + [last] * 60)
    return judge(episode.goal, Limits(episode.horizon), film, [Event(len(film) - 55, EventKind.STOP, 'policy')]).verdict


def test_every_task_has_wrong_ends_in_the_table():
    assert {f'vlmbench/{task}' for task in FILMED} == {name for name in catalogue.tasks() if name.startswith('vlmbench/')}
    for task, (*_, what) in FILMED.items():
        assert {'right', *what} == set(laid(task)[2]), task


@pytest.mark.parametrize('task', FILMED)
def test_a_right_end_passes(task):
    assert verdict(task, 'right') is Verdict.SUCCESS


@pytest.mark.parametrize(('task', 'what'), WRONG)
def test_a_wrong_end_fails(task, what):
    assert verdict(task, what) is Verdict.FAILURE

"""Stack the objects of each look on top of each other, in any order (ClevrSkills, SortStack)."""

from vlm_bench_tasks.authoring import Episode, Goal, Prop, Task, all_of, say, tower
from vlm_bench_tasks.suite.clevrskills._family import L2
from vlm_bench_tasks.suite.clevrskills._props import TALL, Draw

MOST = 4
"""Greatest height of a stack, in objects."""


def stacks(groups: list[tuple[Prop, ...]]) -> Goal:
    return all_of(*(tower(*[group] * len(group)) for group in groups if len(group) > 1))


def build(draw: Draw) -> Episode:
    looks = draw.some_looks('base', draw.whole(1, 3))
    more = draw.some_of(looks * (MOST - 1), draw.whole(1, MOST - 1))
    things = draw.things(len(looks) + len(more), 'primitive', looks=(*looks, *more), reach=TALL)
    groups = [tuple(thing for thing in things if thing.look == look) for look in looks]
    mixed = [(*group[:-1], groups[i - 1][-1]) for i, group in enumerate(groups)]
    return Episode(
        scene=draw.table(*things),
        goal=stacks(groups),
        alternatives=(stacks(mixed),) if len(looks) > 1 else (),
        instruction=say(
            'Stack identically textured objects on top of each other.',
            'Place identically textured objects on top of each other.',
            'Build a stack of all objects of one texture, for each texture.',
            'Pile up what looks alike, in any order.',
            'Objects with the same texture belong on one stack.',
        ),
    )


TASK = Task(build, axes=('look',), horizon=180.0, level='L2', due=L2)

"""Touch an object and push it at least 10 cm, without a grasp (ClevrSkills, TouchPush)."""

from vlm_bench_tasks.authoring import Episode, Grasped, Moved, Never, Not, Once, Task, Toppled, Touching, all_of, say
from vlm_bench_tasks.suite.clevrskills._props import LOOSE, Draw, listed

FAR = 0.10
"""Least distance of a push, m."""


def build(draw: Draw) -> Episode:
    count = draw.whole(1, 2)
    things = draw.things(count + 1, 'primitive', spacing=LOOSE)
    meant, others = things[:count], things[count:]
    items, refs = listed(draw, meant)
    return Episode(
        scene=draw.table(*things),
        goal=all_of(
            *(part for item in meant for part in (Moved(item, FAR), Once(Touching(item)), Not(Toppled(item)), Never(Grasped(item)))),
            *(Not(Moved(other, FAR)) for other in others),
        ),
        instruction=say(
            f'Touch and push {items}.',
            f'Shove {items} at least 10 cm aside, without a grasp.',
            f'Reach for {items}, and slide what you touch by at least 10 cm.',
            f'Without a grasp, move {items} over the table by 10 cm or more.',
            f'Push {items} to a place at least 10 cm away.',
            **refs,
        ),
    )


TASK = Task(build, axes=('look', 'shape'), horizon=60.0, luck=0.05, level='L0', revision=2)

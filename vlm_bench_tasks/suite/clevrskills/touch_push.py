"""Touch an object and push it at least 10 cm, without a grasp (ClevrSkills, TouchPush)."""

from vlm_bench_tasks.authoring import Episode, Grasped, Moved, Never, Not, Task, Toppled, all_of, say
from vlm_bench_tasks.suite.clevrskills._props import LOOSE, Draw, listed

FAR = 0.10
"""Least distance of a push, m."""


def build(draw: Draw) -> Episode:
    count = draw.whole(1, 2)
    things = draw.things(count + 1, 'primitive', spacing=LOOSE)
    meant = things[:count]
    items, refs = listed(draw, meant)
    return Episode(
        scene=draw.table(*things),
        goal=all_of(*(part for item in meant for part in (Moved(item, FAR), Not(Toppled(item)), Never(Grasped(item))))),
        instruction=say(
            f'Touch and push {items}.',
            f'Shove {items} aside, without a grasp.',
            f'Reach for {items}, and slide what you touch by at least 10 cm.',
            f'With a closed hand, move {items} over the table.',
            f'Clear the place of {items} by a push.',
            **refs,
        ),
    )


TASK = Task(build, axes=('look', 'shape'), horizon=60.0, luck=0.05, level='L0')

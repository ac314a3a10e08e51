"""Touch an object and push it at least 10 cm, without a grasp (ClevrSkills, TouchPush)."""

from vlm_bench_tasks.authoring import Episode, Goal, Grasped, Moved, Never, Not, Once, Prop, Task, Toppled, Touching, all_of, say
from vlm_bench_tasks.suite.clevrskills._props import LOOSE, Draw, choices, listed

FAR = 0.10
"""Least distance of a push, m."""


def pushed(meant: tuple[Prop, ...], others: tuple[Prop, ...]) -> Goal:
    away = (part for item in meant for part in (Moved(item, FAR), Once(Touching(item)), Not(Toppled(item)), Never(Grasped(item))))
    return all_of(*away, *(Not(Moved(other, FAR)) for other in others))


def build(draw: Draw) -> Episode:
    count = draw.whole(1, 2)
    things = draw.things(count + 1, 'primitive', spacing=LOOSE)
    items, refs = listed(draw, things[:count])
    goals = [pushed(meant, others) for meant, others in choices(things, count)]
    return Episode(
        scene=draw.table(*things),
        goal=goals[0],
        alternatives=tuple(goals),
        instruction=say(
            f'Touch and push {items}.',
            f'Shove {items} at least 10 cm aside, without a grasp.',
            f'Reach for {items}, and slide what you touch by at least 10 cm.',
            f'Without a grasp, move {items} over the table by 10 cm or more.',
            f'Push {items} to a place at least 10 cm away.',
            **refs,
        ),
    )


TASK = Task(build, axes=('look', 'shape'), horizon=60.0, luck=0.05, level='L0', revision=4)

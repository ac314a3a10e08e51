"""Touch one or two of the objects without moving them (ClevrSkills, Touch)."""

from vlm_bench_tasks.authoring import Episode, Goal, Grasped, Moved, Never, Not, Once, Prop, Task, Toppled, Touching, all_of, say
from vlm_bench_tasks.suite.clevrskills._props import LOOSE, Draw, choices, listed

STILL = 0.03
"""Greatest distance by which a touch may move a thing, m (paper, section 3)."""


def touched(meant: tuple[Prop, ...], others: tuple[Prop, ...]) -> Goal:
    lightly = (
        part for item in meant for part in (Once(Touching(item)), Never(Moved(item, STILL)), Not(Toppled(item)), Never(Grasped(item)))
    )
    return all_of(*lightly, *(Never(Touching(other)) for other in others))


def build(draw: Draw) -> Episode:
    count = draw.whole(1, 2)
    things = draw.things(count + 1, 'primitive', spacing=LOOSE)
    items, refs = listed(draw, things[:count])
    goals = [touched(meant, others) for meant, others in choices(things, count)]
    return Episode(
        scene=draw.table(*things),
        goal=goals[0],
        alternatives=tuple(goals),
        instruction=say(
            f'Touch {items}.',
            f'Reach for {items}, but leave everything in its place.',
            f'Come down on {items} until there is contact, without a grasp.',
            f'Touch {items} gently; nothing should move.',
            f'Make contact with {items}, but do not push.',
            **refs,
        ),
    )


TASK = Task(build, axes=('look', 'shape'), horizon=40.0, luck=0.05, level='L0', revision=4)

"""Touch one or two posts so that they fall over, without a grasp (ClevrSkills, TouchTopple)."""

from vlm_bench_tasks.authoring import Episode, Goal, Grasped, Never, Not, Once, Prop, Task, Toppled, Touching, all_of, say
from vlm_bench_tasks.suite.clevrskills._props import Draw, choices, listed


def toppled(meant: tuple[Prop, ...], others: tuple[Prop, ...]) -> Goal:
    over = (part for item in meant for part in (Toppled(item), Once(Touching(item)), Never(Grasped(item))))
    return all_of(*over, *(Not(Toppled(other)) for other in others))


def build(draw: Draw) -> Episode:
    count = draw.whole(1, 2)
    posts = draw.posts(count + 1)
    items, refs = listed(draw, posts[:count])
    goals = [toppled(meant, others) for meant, others in choices(posts, count)]
    return Episode(
        scene=draw.table(*posts),
        goal=goals[0],
        alternatives=tuple(goals),
        instruction=say(
            f'Touch and topple {items}.',
            f'Push {items} over, without a grasp.',
            f'Knock {items} over with the hand.',
            f'I want {items} to lie flat on the table; only push.',
            f'Tip {items} over by a push.',
            **refs,
        ),
    )


TASK = Task(build, axes=('look', 'shape'), horizon=60.0, luck=0.05, level='L0', revision=4)

"""Touch one or two posts so that they fall over, without a grasp (ClevrSkills, TouchTopple)."""

from vlm_bench_tasks.authoring import Episode, Grasped, Never, Once, Task, Toppled, all_of, say
from vlm_bench_tasks.suite.clevrskills._props import Draw, listed


def build(draw: Draw) -> Episode:
    count = draw.whole(1, 2)
    posts = draw.posts(count + 1)
    meant = posts[:count]
    items, refs = listed(draw, meant)
    return Episode(
        scene=draw.table(*posts),
        goal=all_of(*(part for item in meant for part in (Once(Toppled(item)), Never(Grasped(item))))),
        instruction=say(
            f'Touch and topple {items}.',
            f'Push {items} over, without a grasp.',
            f'Tip {items} with a closed hand.',
            f'I want {items} to lie on the side; only push.',
            f'With a closed hand, make sure that {items} cannot stand any longer.',
            **refs,
        ),
    )


TASK = Task(build, axes=('look', 'shape'), horizon=60.0, luck=0.05, level='L0')

"""Push an object towards another, without a grasp (ClevrSkills, Push)."""

from vlm_bench_tasks.authoring import Episode, Grasped, Never, Not, Task, Touching, Toward, all_of, say
from vlm_bench_tasks.suite.clevrskills._props import Draw


def build(draw: Draw) -> Episode:
    item, target = draw.pair_to_push()
    return Episode(
        scene=draw.table(item, target),
        goal=all_of(Toward(item, target), Not(Touching(item)), Never(Grasped(item))),
        instruction=say(
            'Push {item} towards {target}.',
            'Shove {item} in the direction of {target}.',
            'Slide {item} over the table until it is nearer to {target}.',
            'Without a grasp, bring {item} closer to {target}.',
            'I want {item} to come nearer to {target}; only push it.',
            item=draw.ref(item),
            target=draw.ref(target),
        ),
    )


TASK = Task(build, axes=('look', 'shape'), horizon=40.0, luck=0.05, level='L0', revision=4)

"""Throw the slab in the hand at a post, so that the post falls over (ClevrSkills, Throw with topple)."""

from vlm_bench_tasks.authoring import Episode, Grasped, Never, Not, Once, Task, Toppled, Touching, all_of, say, then
from vlm_bench_tasks.suite.clevrskills._hits import HEAVY, TALL, hit
from vlm_bench_tasks.suite.clevrskills._props import Draw


def build(draw: Draw) -> Episode:
    target = draw.target(TALL, fixed=False)
    item = draw.slab(least=HEAVY)
    return Episode(
        scene=draw.table(target, item),
        goal=all_of(
            then(hit(item, target, Not(Toppled(target))), Once(all_of(Toppled(target), Not(Grasped(item))))),
            Never(Touching(target)),
        ),
        instruction=say(
            'Throw {item} to {target} such that {target} falls over.',
            'Knock {target} over by throwing {item}.',
            'Topple {target}: throw {item} at it.',
            'I want {target} to lie on its side; toss {item} at it.',
            'Swing {item}, let it go and make {target} fall.',
            item=draw.ref(item),
            target=draw.ref(target),
        ),
    )


TASK = Task(build, axes=('look',), horizon=30.0, level='L0', revision=4)

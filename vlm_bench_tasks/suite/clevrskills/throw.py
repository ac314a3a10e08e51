"""Throw the slab in the hand at a plate or a post (ClevrSkills, Throw)."""

from vlm_bench_tasks.authoring import Episode, Grasped, Not, Once, Task, say, then
from vlm_bench_tasks.suite.clevrskills._hits import PLATE, SHORT, hit
from vlm_bench_tasks.suite.clevrskills._props import Draw


def build(draw: Draw) -> Episode:
    flat = draw.one_of('plate', 'post') == 'plate'
    target = draw.target(PLATE if flat else SHORT, fixed=flat)
    item = draw.slab()
    return Episode(
        scene=draw.table(target, item),
        goal=then(hit(item, target), Once(Not(Grasped(item)))),
        instruction=say(
            'Throw {item} to {target}.',
            'Hit {target} with {item}.',
            'Toss {item} so that it touches {target}.',
            'Swing {item} and let it go: it should hit {target}.',
            'Throw {item} at {target}; do not carry it there.',
            item=draw.ref(item),
            target=draw.ref(target),
        ),
    )


TASK = Task(build, axes=('look',), horizon=30.0, level='L0', revision=4)

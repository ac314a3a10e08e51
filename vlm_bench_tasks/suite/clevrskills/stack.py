"""Stack two to four primitives in the order in which they are named (ClevrSkills, SingleStack)."""

from vlm_bench_tasks.authoring import Episode, Task, say
from vlm_bench_tasks.suite.clevrskills._family import L1
from vlm_bench_tasks.suite.clevrskills._props import TALL, Draw
from vlm_bench_tasks.suite.clevrskills._stacks import other_stacks, piled, told
from vlm_bench_tasks.suite.clevrskills._steps import stacked, wanted


def build(draw: Draw) -> Episode:
    things = draw.things(draw.whole(2, 4), 'primitive', looks='base', reach=TALL)
    refs, names, foot, rest, pairs = told(draw, things)
    scene = draw.table(*things)
    return Episode(
        scene=scene,
        goal=piled(things),
        alternatives=other_stacks(things),
        instruction=say(
            f'Stack {", and ".join(pairs)}.',
            f'Put {", then ".join(pairs)}.',
            f'Build a tower of {names}, from the bottom up.',
            f'{foot} is the foot of a tower: pile {", then ".join(rest)} on top.',
            f'Pile up {names} in this order.',
            'Stack the objects as in {tower}.',
            'Build the tower that you see here: {tower}.',
            **refs,
            tower=wanted(scene, *stacked(things)),
        ),
    )


TASK = Task(build, axes=('look', 'shape'), horizon=120.0, level='L1', due=L1, revision=4)

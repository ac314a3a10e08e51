"""Stack two to four primitives in the reverse of the order in which they are named (ClevrSkills, StackReversed)."""

from vlm_bench_tasks.authoring import Episode, Task, say
from vlm_bench_tasks.suite.clevrskills._family import L1
from vlm_bench_tasks.suite.clevrskills._props import TALL, Draw, listed
from vlm_bench_tasks.suite.clevrskills._stacks import other_stacks, piled


def build(draw: Draw) -> Episode:
    things = draw.things(draw.whole(2, 4), 'primitive', looks='base', reach=TALL)
    names, refs = listed(draw, things)
    return Episode(
        scene=draw.table(*things),
        goal=piled(things[::-1]),
        alternatives=other_stacks(things[::-1]),
        instruction=say(
            f'Stack {names} in the reversed order.',
            f'Build a tower of {names}, from the top down.',
            f'Pile up {names}, the last one at the bottom and the first one on top.',
            f'Make one tower of {names}; begin with the one that is named last.',
            f'I want to see a tower; from its top to its foot it should have {names}.',
            **refs,
        ),
    )


TASK = Task(build, axes=('look', 'shape'), horizon=120.0, level='L1', due=L1, revision=4)

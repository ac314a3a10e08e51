"""Stack two to four primitives in order, and topple the stack without a grasp (ClevrSkills, StackTopple)."""

from collections.abc import Sequence

from vlm_bench_tasks.authoring import TABLE, Episode, Goal, Grasped, Never, Prop, Task, Touching, all_of, say, then
from vlm_bench_tasks.suite.clevrskills._family import L2
from vlm_bench_tasks.suite.clevrskills._objects import angular
from vlm_bench_tasks.suite.clevrskills._props import TALL, Draw
from vlm_bench_tasks.suite.clevrskills._stacks import orders, piled, told
from vlm_bench_tasks.suite.clevrskills._steps import stacked, wanted


def toppled(things: Sequence[Prop]) -> Goal:
    down = (part for thing in things for part in (Touching(thing, TABLE), Never(Grasped(thing))))
    return then(piled(things), all_of(*down))


def build(draw: Draw) -> Episode:
    most = 3 if draw.axis == 'shape' else 4  # so many shapes lie where they fall
    things = draw.things(draw.whole(2, most), 'primitive', looks='base', reach=TALL, fit=angular)
    refs, names, foot, rest, pairs = told(draw, things)
    scene = draw.table(*things)
    return Episode(
        scene=scene,
        goal=toppled(things),
        alternatives=tuple(toppled(order) for order in orders(things)),
        instruction=say(
            f'Stack {", and ".join(pairs)} and then topple the stack.',
            f'Put {", then ".join(pairs)}. After that, knock the tower over; do not take it apart.',
            f'Build a tower of {names}, from the bottom up, and push it over.',
            f'{foot} is the foot of a tower: pile {", then ".join(rest)} on top, and then make it fall.',
            f'Pile up {names} in this order, then topple the pile.',
            'Stack the objects as in {tower} and then topple the stack.',
            'Build the tower that you see here: {tower}, and knock it over.',
            **refs,
            tower=wanted(scene, *stacked(things)),
        ),
    )


TASK = Task(build, axes=('look', 'shape'), horizon=150.0, level='L2', due=L2)

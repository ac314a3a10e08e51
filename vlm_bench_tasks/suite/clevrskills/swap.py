"""Let two objects change places (ClevrSkills, Swap)."""

from vlm_bench_tasks.authoring import At, Episode, Goal, Prop, Task, say
from vlm_bench_tasks.suite.clevrskills._family import L1
from vlm_bench_tasks.suite.clevrskills._props import Draw
from vlm_bench_tasks.suite.clevrskills._swaps import NEAR, pairs, swapped


def exchanged(a: Prop, b: Prop) -> Goal:
    return swapped(a, b, lambda item, there: At(item, there, near=NEAR))


def build(draw: Draw) -> Episode:
    things = draw.things(draw.whole(2, 3), 'primitive', looks='base')
    goals = tuple(exchanged(one, other) for one, other in pairs(things))
    a, b, *_ = things
    return Episode(
        scene=draw.table(*things),
        goal=goals[0],
        alternatives=goals,
        instruction=say(
            'Swap positions of {a} and {b}.',
            'Let {a} and {b} change places.',
            'Put {a} where {b} stands, and the other way round.',
            'Move {a} to the place of {b}, and that one to where the first was.',
            'I want {a} and {b} to be exchanged: carry each to where the other is.',
            a=draw.ref(a),
            b=draw.ref(b),
        ),
    )


TASK = Task(build, axes=('look', 'shape'), horizon=120.0, level='L1', due=L1, revision=4)

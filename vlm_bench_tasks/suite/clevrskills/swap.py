"""Let two objects change places (ClevrSkills, Swap)."""

from vlm_bench_tasks.authoring import At, Episode, Prop, Task, all_of, say
from vlm_bench_tasks.suite.clevrskills._family import L1
from vlm_bench_tasks.suite.clevrskills._props import Draw

NEAR = 0.05
"""Greatest distance from the other's place, m."""


def at_place_of(item: Prop, other: Prop) -> At:
    x, y, _ = other.pose.position
    return At(item, item.pose.shifted((x - item.pose.position[0], y - item.pose.position[1], 0.0)), near=NEAR)


def build(draw: Draw) -> Episode:
    things = draw.things(draw.whole(2, 3), 'primitive', looks='base')
    a, b, *others = things
    pairs = [(a, b), *((one, other) for other in others for one in (a, b))]
    goals = tuple(all_of(at_place_of(one, other), at_place_of(other, one)) for one, other in pairs)
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

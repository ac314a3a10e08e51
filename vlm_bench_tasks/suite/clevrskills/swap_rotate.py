"""Let two objects change places, each turned by an angle (ClevrSkills, SwapRotate)."""

from vlm_bench_tasks.authoring import At, Episode, Goal, Prop, Task, Turned, all_of, say
from vlm_bench_tasks.suite.clevrskills._family import L2
from vlm_bench_tasks.suite.clevrskills._objects import angular
from vlm_bench_tasks.suite.clevrskills._props import Draw
from vlm_bench_tasks.suite.clevrskills._swaps import NEAR, pairs, swapped
from vlm_bench_tasks.suite.clevrskills._turns import WITHIN, turn


def exchanged(a: Prop, b: Prop, angle: float) -> Goal:
    return swapped(a, b, lambda item, there: all_of(At(item, there, near=NEAR), Turned(item, angle, WITHIN)))


def carried(a: Prop, b: Prop, angle: float) -> Goal:
    return swapped(a, b, lambda item, there: At(item, there, near=NEAR, turn=WITHIN), angle)


def build(draw: Draw) -> Episode:
    things = draw.things(draw.whole(2, 3), 'primitive', looks='base', fit=angular)
    angle, words = turn(draw, *things)
    a, b, *_ = things
    return Episode(
        scene=draw.table(*things),
        goal=exchanged(a, b, angle),
        plan=carried(a, b, angle),
        alternatives=tuple(carried(one, other, way) for one, other in pairs(things) for way in (angle, -angle)),
        instruction=say(
            f'Swap positions of {{a}} and {{b}} but rotate them by {words}.',
            f'Let {{a}} and {{b}} change places, and turn both {words}.',
            f'Put {{a}} where {{b}} stands and the other way round, each turned {words}.',
            f'{{a}} and {{b}} should be exchanged and rotated {words}.',
            f'Turn {{a}} and {{b}} {words} while you exchange them.',
            a=draw.ref(a),
            b=draw.ref(b),
        ),
    )


TASK = Task(build, axes=('look', 'shape'), horizon=120.0, level='L2', due=L2)

"""Rotate the objects of one look by an angle (ClevrSkills, RotateSymmetry)."""

from vlm_bench_tasks.authoring import Episode, Not, Task, Turned, all_of, look_tile, say
from vlm_bench_tasks.suite.clevrskills._family import L1
from vlm_bench_tasks.suite.clevrskills._objects import angular
from vlm_bench_tasks.suite.clevrskills._props import Draw
from vlm_bench_tasks.suite.clevrskills._turns import turn, turned


def build(draw: Draw) -> Episode:
    (look,) = draw.some_looks('top', 1)
    pair = draw.things(2, looks=(look, look), fit=angular)
    others = draw.things(draw.whole(0, 2), fit=angular)
    angle, words = turn(draw, *pair)
    goals = [all_of(*(turned(prop, way) for prop in pair), *(Not(Turned(prop, way)) for prop in others)) for way in (angle, -angle)]
    return Episode(
        scene=draw.table(*pair, *others),
        goal=goals[0],
        alternatives=tuple(goals),
        instruction=say(
            f'Rotate identically textured objects {words}.',
            f'Turn the two objects that look the same {words}.',
            f'Where two objects have one look, each should be turned {words}.',
            f'Find the objects with the same texture and rotate both of them {words}.',
            f'Take each object with the look of another, turn it {words} and put it back.',
            f'Rotate objects with the texture {{look}} {words}.',
            look=look_tile(look),
        ),
    )


TASK = Task(build, axes=('look',), horizon=80.0, level='L1', due=L1, revision=4)

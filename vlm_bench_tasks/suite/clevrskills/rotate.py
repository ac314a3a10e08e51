"""Rotate one of one to three objects by an angle (ClevrSkills, Rotate)."""

from vlm_bench_tasks.authoring import Episode, Task, say
from vlm_bench_tasks.suite.clevrskills._objects import angular
from vlm_bench_tasks.suite.clevrskills._props import Draw
from vlm_bench_tasks.suite.clevrskills._turns import other_turns, turn, turned


def build(draw: Draw) -> Episode:
    item, *others = draw.things(draw.whole(1, 3), fit=angular)
    angle, words = turn(draw, item)
    return Episode(
        scene=draw.table(item, *others),
        goal=turned(item, angle),
        alternatives=other_turns(item, tuple(others), angle),
        instruction=say(
            f'Rotate {{item}} {words}.',
            f'Turn {{item}} {words}, where it stands.',
            f'{{item}} should be turned {words}.',
            f'Take {{item}}, turn it {words} and put it back.',
            f'Spin {{item}} on the spot, {words}.',
            item=draw.ref(item),
        ),
    )


TASK = Task(build, axes=('look', 'shape'), horizon=40.0, level='L0', revision=4)

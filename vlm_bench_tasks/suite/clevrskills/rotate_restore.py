"""Rotate one of one to three objects by an angle, and then turn it back (ClevrSkills, RotateRestore)."""

from vlm_bench_tasks.authoring import At, Episode, Goal, Prop, Task, say, then
from vlm_bench_tasks.suite.clevrskills._family import L1
from vlm_bench_tasks.suite.clevrskills._objects import angular
from vlm_bench_tasks.suite.clevrskills._props import Draw
from vlm_bench_tasks.suite.clevrskills._turns import NEAR, WITHIN, turn, turned


def there_and_back(item: Prop, angle: float) -> Goal:
    return then(turned(item, angle), At(item, item.pose, near=NEAR, turn=WITHIN))


def build(draw: Draw) -> Episode:
    item, *others = draw.things(draw.whole(1, 3), fit=angular)
    angle, words = turn(draw, item)
    return Episode(
        scene=draw.table(item, *others),
        goal=there_and_back(item, angle),
        alternatives=tuple(there_and_back(prop, way) for prop in (item, *others) for way in (angle, -angle)),
        instruction=say(
            f'Rotate {{item}} {words} and then restore.',
            f'Turn {{item}} {words}, then turn it back.',
            f'{{item}} should be turned {words}, let go, and put back as it was.',
            f'First rotate {{item}} {words}; then bring it back to where it began.',
            f'Take {{item}} and turn it {words}. After that, it must lie as before: undo the turn.',
            item=draw.ref(item),
        ),
    )


TASK = Task(build, axes=('look', 'shape'), horizon=80.0, level='L1', due=L1, revision=4)

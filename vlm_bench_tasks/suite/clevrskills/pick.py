"""Pick up one of one to four objects (ClevrSkills, Pick)."""

from vlm_bench_tasks.authoring import TABLE, Episode, Grasped, Not, Task, Touching, all_of, look_tile, say
from vlm_bench_tasks.suite.clevrskills._props import Draw


def build(draw: Draw) -> Episode:
    item, *others = draw.things(draw.whole(1, 4))
    shown = {'look': look_tile(item.look)} if draw.axis == 'look' else {}
    return Episode(
        scene=draw.table(item, *others),
        goal=all_of(Grasped(item), Not(Touching(item, TABLE)), *(Not(Touching(item, other)) for other in others)),
        instruction=say(
            'Pick up {item}.',
            'Grab {item}.',
            'Lift {item} off the table.',
            'I want {item} to be held in the air.',
            'Take {item} and raise it.',
            *(f'{verb} the object with the texture {{look}}.' for verb in ('Pick up', 'Grab', 'Lift') if shown),
            item=draw.ref(item),
            **shown,
        ),
    )


TASK = Task(build, axes=('look', 'shape'), horizon=30.0, level='L0', revision=4)

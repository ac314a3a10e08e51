"""Put one of one to three objects on one of one to three bases (ClevrSkills, SimpleManipulation)."""

from vlm_bench_tasks.authoring import Episode, On, Task, say
from vlm_bench_tasks.suite.clevrskills._family import L1
from vlm_bench_tasks.suite.clevrskills._props import Draw


def build(draw: Draw) -> Episode:
    bases = draw.things(draw.whole(1, 3), 'base', looks='base', noun='base')
    items = draw.things(draw.whole(1, 3))
    item, base = items[0], bases[0]
    return Episode(
        scene=draw.table(*bases, *items),
        goal=On(item, base),
        instruction=say(
            'Pick and place {item} on {base}.',
            'Put {item} on {base}.',
            'Carry {item} over to {base} and set it down there.',
            '{base} is where {item} belongs: bring it.',
            'Take {item} and let it rest on {base}.',
            item=draw.ref(item),
            base=draw.ref(base),
        ),
    )


TASK = Task(build, axes=('look', 'shape'), horizon=60.0, level='L1', due=L1, revision=4)

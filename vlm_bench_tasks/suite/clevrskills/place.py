"""Put the object in the hand on one of one to three bases (ClevrSkills, Place)."""

from vlm_bench_tasks.authoring import Episode, On, Task, say
from vlm_bench_tasks.suite.clevrskills._props import Draw


def build(draw: Draw) -> Episode:
    bases = draw.things(draw.whole(1, 3), 'base', looks='base', noun='base')
    item, base = draw.carried(), bases[0]
    return Episode(
        scene=draw.table(*bases, item),
        goal=On(item, base),
        instruction=say(
            'Place {item} on {base}.',
            'Put {item} down on {base}.',
            'Set {item} onto {base} and let go.',
            '{base} is where {item} belongs.',
            'Let {item} rest on {base}.',
            item=draw.ref(item),
            base=draw.ref(base),
        ),
    )


TASK = Task(build, axes=('look', 'shape'), horizon=30.0, level='L0', revision=4)

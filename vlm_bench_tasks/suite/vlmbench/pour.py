"""Pour water from one mug into another (VLMbench)."""

from vlm_bench_tasks.authoring import Episode, Poured, Task, say
from vlm_bench_tasks.suite.vlmbench._props import Draw


def build(draw: Draw) -> Episode:
    source, receiver, *others = draw.mugs()
    water = draw.water(source)
    return Episode(
        scene=draw.table(source, receiver, *others, beads=(water,)),
        goal=Poured(water, receiver),
        instruction=say(
            'Pour water from {source} to {receiver}.',
            'Take {source} and tilt it over {receiver} until the water has flowed over.',
            'Fill {receiver} with the water of {source}.',
            'The water in {source} belongs in {receiver}: pour it there.',
            'Transfer the water out of {source} into {receiver}.',
            source=draw.ref(source),
            receiver=draw.ref(receiver),
        ),
    )


TASK = Task(build, axes=('color', 'relative', 'size'), horizon=90.0, needs=('beads',), revision=1)

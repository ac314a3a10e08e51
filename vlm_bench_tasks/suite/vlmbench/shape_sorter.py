"""Put an object through its hole into the shape sorter (VLMbench)."""

from vlm_bench_tasks.authoring import Episode, Inside, Task, say
from vlm_bench_tasks.suite.vlmbench._props import Draw


def build(draw: Draw) -> Episode:
    sorter = draw.sorter()
    item, *others = draw.pieces()
    return Episode(
        scene=draw.table(sorter, item, *others),
        goal=Inside(item, sorter),
        instruction=say(
            'Put {item} into the shape sorter.',
            'Sort {item} into the box with the holes.',
            'Find the hole that {item} fits through and drop it into the shape sorter.',
            '{item} belongs inside the shape sorter.',
            'Pick up {item} and push it through its hole in the shape sorter.',
            item=draw.ref(item),
        ),
    )


TASK = Task(build, axes=('color', 'relative', 'shape'), horizon=60.0, revision=2)

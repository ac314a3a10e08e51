"""Pack an object into a container, which must not be moved."""

from acme_bench.suite.kitchen._packed import Packed

from vlm_bench_tasks.authoring import Draw, Episode, Task, say


def build(draw: Draw) -> Episode:
    (box,) = draw.trays(1)
    item, other = draw.solids(2, scale=(0.8, 1.0))
    return Episode(
        scene=draw.table(box, item, other),
        goal=Packed(item, box),
        instruction=say(
            'Put {item} into {box}.',
            '{item} belongs in {box}.',
            'Carry {item} to {box}.',
            'Into {box} goes {item}.',
            'Find {item} and drop it into {box}.',
            item=draw.ref(item),
            box=draw.ref(box),
        ),
    )


TASK = Task(build, axes=('color',), horizon=60.0)

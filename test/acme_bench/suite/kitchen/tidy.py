"""Put a thing, such as a door stop, into a crate; both shapes are meshes of this extension."""

from acme_bench.suite.kitchen._crates import crate, things

from vlm_bench_tasks.authoring import Draw, Episode, Inside, Task, say


def build(draw: Draw) -> Episode:
    box = crate(draw)
    item, *others = things(draw)
    return Episode(
        scene=draw.table(box, item, *others),
        goal=Inside(item, box),
        instruction=say(
            'Put {item} into the crate.',
            'Lay {item} in the crate.',
            '{item} belongs in the crate.',
            'Tidy up: {item} goes into the crate.',
            'Find {item} and drop it into the crate.',
            item=draw.ref(item),
        ),
    )


TASK = Task(build, axes=('color', 'shape'), horizon=60.0)

"""Pick up an object and place it into a container (VLMbench)."""

from vlm_bench_tasks.authoring import Draw, Episode, Inside, Task, say


def build(draw: Draw) -> Episode:
    box, spare = draw.trays(2)
    item, *others = draw.solids(2, scale=(0.8, 1.2))
    return Episode(
        scene=draw.table(box, spare, item, *others),
        goal=Inside(item, box),
        instruction=say(
            'Pick up {item} and place it into {box}.',
            'Put {item} in {box}.',
            'Move {item} over to {box} and drop it inside.',
            '{box} is where {item} belongs: put it there.',
            'Grasp {item}, carry it to {box} and let it go inside.',
            'I want to find {item} inside {box}.',
            item=draw.ref(item),
            box=draw.ref(box),
        ),
    )


TASK = Task(build, axes=('color', 'relative', 'shape', 'size'), horizon=60.0, revision=2)

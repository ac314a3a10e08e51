"""Put two objects into two containers."""

from vlm_bench_tasks.authoring import Draw, Episode, Inside, Task, all_of, say


def build(draw: Draw) -> Episode:
    first, second = draw.trays(2)
    a, b = draw.solids(2, scale=(0.8, 1.0))
    return Episode(
        scene=draw.table(first, second, a, b),
        goal=all_of(Inside(a, first), Inside(b, second)),
        instruction=say(
            'Put {a} into {first} and {b} into {second}.',
            '{a} belongs in {first}, {b} in {second}.',
            'Sort the objects: {a} goes into {first}, {b} into {second}.',
            'Carry {a} to {first}, then bring {b} to {second}.',
            'Into {first} goes {a}, and into {second} goes {b}.',
            a=draw.ref(a),
            b=draw.ref(b),
            first=draw.ref(first),
            second=draw.ref(second),
        ),
    )


TASK = Task(build, axes=('color',), horizon=90.0)

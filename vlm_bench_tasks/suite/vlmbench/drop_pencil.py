"""Drop a pencil into a container (VLMbench)."""

from vlm_bench_tasks.authoring import Episode, Inside, Task, say
from vlm_bench_tasks.suite.vlmbench._props import Draw


def build(draw: Draw) -> Episode:
    box, spare = draw.baskets(2)
    pencil, *others = draw.pencils(2)
    return Episode(
        scene=draw.table(box, spare, pencil, *others),
        goal=Inside(pencil, box),
        instruction=say(
            'Drop {pencil} into {box}.',
            'Put {pencil} in {box}.',
            'Let {pencil} fall into {box}.',
            'Pick up {pencil} and stand it in {box}.',
            '{box} is where {pencil} belongs: drop it in.',
            'I want to find {pencil} in {box}.',
            pencil=draw.ref(pencil),
            box=draw.ref(box),
        ),
    )


TASK = Task(build, axes=('color', 'relative', 'size'), horizon=60.0, revision=1)

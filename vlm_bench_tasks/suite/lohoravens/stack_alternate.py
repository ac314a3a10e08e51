"""Stack five blocks of two colors in turn on a zone, beginning with the color that is named (LoHoRavens H)."""

from vlm_bench_tasks.authoring import Episode, Task, say, tower
from vlm_bench_tasks.suite.lohoravens._props import Block, Draw


def build(draw: Draw) -> Episode:
    first, second, *_ = draw.colors(3)
    (zone,) = draw.zones(draw.colors(1)[0], tall=True)
    blocks = draw.blocks(*[Block(first)] * 3, *[Block(second)] * 2)
    more, fewer = blocks[:3], blocks[3:]
    begin = first.name
    return Episode(
        scene=draw.table(zone, *blocks),
        goal=tower(more, fewer, more, fewer, more, place=zone),
        instruction=say(
            f'Stack blocks with alternate colors on {{zone}}, starting with the {begin} color.',
            f'Build a tower on {{zone}} whose colors take turns; the lowest block should be {begin}.',
            f'On {{zone}}, pile up all the blocks so that no two of one color touch, a {begin} one first.',
            f'Put a {begin} block on {{zone}}, then a block of the other color, and so on to the top.',
            f'I want one tower to stand on {{zone}}: {begin} at the bottom, and the colors in turn above.',
            zone=draw.ref(zone),
        ),
    )


TASK = Task(build, axes=('color',), horizon=240.0, revision=2)

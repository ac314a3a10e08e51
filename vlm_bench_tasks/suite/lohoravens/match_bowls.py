"""Put each block into the bowl of its color (LoHoRavens B)."""

from vlm_bench_tasks.authoring import Episode, Inside, Task, all_of, say
from vlm_bench_tasks.suite.lohoravens._props import Block, Draw


def build(draw: Draw) -> Episode:
    every = draw.colors(7)
    pairs = draw.whole(5, 7)
    spare = every[pairs : draw.whole(pairs, 7)]  # colors of distractors
    loose = tuple(color for color in spare if draw.one_of('block', 'bowl') == 'bowl')
    bowls = draw.bowls(*every[:pairs], loose=loose)
    blocks = draw.blocks(*(Block(color) for color in every[:pairs] + tuple(set_aside for set_aside in spare if set_aside not in loose)))
    return Episode(
        scene=draw.table(*bowls, *blocks),
        goal=all_of(*(Inside(block, bowl) for block, bowl in zip(blocks[:pairs], bowls, strict=False))),
        instruction=say(
            'Put the blocks in the bowls with matching colors.',
            'Sort the blocks: each belongs in the bowl of its own color.',
            'Every bowl should hold the block that has its color.',
            'Pick up the blocks and drop each into the bowl of the same color.',
            'Fill the bowls with the blocks, color by color.',
        ),
    )


TASK = Task(build, axes=('color',), horizon=300.0, revision=2)

"""Put each block into a bowl of another color (LoHoRavens F)."""

from vlm_bench_tasks.authoring import Episode, Inside, Task, all_of, any_of, say
from vlm_bench_tasks.suite.lohoravens._props import Block, Draw


def build(draw: Draw) -> Episode:
    every = draw.colors(7)
    pairs = draw.whole(5, 7)
    bowls = draw.bowls(*every[:pairs], loose=every[pairs : draw.whole(pairs, 7)])
    blocks = draw.blocks(*(Block(color) for color in every[:pairs]))
    wrong = {block: [bowl for bowl in bowls if bowl.color != block.color] for block in blocks}
    return Episode(
        scene=draw.table(*bowls, *blocks),
        goal=all_of(*(any_of(*(Inside(block, bowl) for bowl in others)) for block, others in wrong.items())),
        plan=all_of(*(Inside(block, bowls[(i + 1) % pairs]) for i, block in enumerate(blocks))),  # one block a bowl
        instruction=say(
            'Put the blocks in the bowls with mismatched colors.',
            'Sort the blocks: none belongs in a bowl of its own color.',
            'Every block should lie in a bowl that has another color.',
            'Pick up the blocks and drop each into a bowl of a different color.',
            'Fill the bowls with the blocks, but never with the same color.',
        ),
    )


TASK = Task(build, axes=('color',), horizon=300.0, revision=2)

"""Stack the blocks of each of three colors, in any order (LoHoRavens K)."""

from vlm_bench_tasks.authoring import Episode, Task, all_of, say, tower
from vlm_bench_tasks.suite.lohoravens._props import Block, Draw


def build(draw: Draw) -> Episode:
    every = draw.colors(7)
    counts = (3, 3, draw.whole(2, 3))
    spare = every[3 : 3 + draw.whole(0, 2)]  # colors of distractors
    colors = [color for color, count in zip(every, counts, strict=False) for _ in range(count)]
    blocks = draw.blocks(*(Block(color) for color in (*colors, *spare)))
    groups = [tuple(block for block in blocks if block.color == color) for color in every[:3]]
    return Episode(
        scene=draw.table(*blocks),
        goal=all_of(*(tower(*[group] * len(group)) for group in groups)),
        instruction=say(
            'Stack all the blocks of the same color together.',
            'Build one tower for each color that has more than one block.',
            'Pile up the blocks color by color.',
            'Put every block on another that has its color.',
            'Sort the blocks into towers of one color.',
        ),
    )


TASK = Task(build, axes=('color',), horizon=240.0, revision=2)

"""Put each smaller block on the bigger block of its color (LoHoRavens C)."""

from vlm_bench_tasks.authoring import Episode, On, Task, all_of, say
from vlm_bench_tasks.suite.lohoravens._props import Block, Draw


def build(draw: Draw) -> Episode:
    every = draw.colors(7)
    pairs = draw.whole(5, 7)
    spare = every[pairs : min(7, pairs + draw.whole(0, 2))]  # colors of distractors
    wanted = [Block(color, size) for size in ('big', 'small') for color in every[:pairs]]
    blocks = draw.blocks(*wanted, *(Block(color, draw.one_of('big', 'small')) for color in spare))
    return Episode(
        scene=draw.table(*blocks),
        goal=all_of(*(On(blocks[pairs + i], blocks[i]) for i in range(pairs))),
        instruction=say(
            'Stack all the smaller blocks over the bigger blocks of the same color.',
            'Put every smaller block on top of the bigger one that has its color.',
            'Each bigger block should carry the smaller block of its color.',
            'Pick up the smaller blocks and set each down on the bigger block with the same color.',
            'Pile the blocks in pairs of one color: the bigger below, the smaller above.',
        ),
    )


TASK = Task(build, axes=('color',), horizon=300.0, revision=2)

"""Stack the blocks of each size, four of one and three of the other, in any order (LoHoRavens G)."""

from vlm_bench_tasks.authoring import Episode, Task, all_of, say, tower
from vlm_bench_tasks.suite.lohoravens._props import Block, Draw


def build(draw: Draw) -> Episode:
    many = draw.one_of('small', 'big')
    few = 'big' if many == 'small' else 'small'
    blocks = draw.blocks(*(Block(color, many if i < 4 else few) for i, color in enumerate(draw.colors(7))))
    four, three = blocks[:4], blocks[4:]
    return Episode(
        scene=draw.table(*blocks),
        goal=all_of(tower(*[four] * 4), tower(*[three] * 3)),
        instruction=say(
            'Stack blocks of the same size.',
            'Build two towers: one of the bigger blocks and one of the smaller ones.',
            'Pile up the blocks of each size.',
            'Put every block on another that has its size, until there is one tower for each size.',
            'Sort the blocks by size into two towers.',
        ),
    )


TASK = Task(build, axes=('color',), horizon=240.0, revision=2)

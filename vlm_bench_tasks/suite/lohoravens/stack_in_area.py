"""Stack all blocks in a named area, where none of them lies yet (LoHoRavens D)."""

from vlm_bench_tasks.authoring import Episode, Task, say, tower
from vlm_bench_tasks.suite.lohoravens._props import Block, Draw

HEIGHT = 5


def build(draw: Draw) -> Episode:
    area, *others = draw.areas(3)
    blocks = draw.blocks(*(Block(color, outside=(area,)) for color in draw.colors(HEIGHT)))
    where = area.words
    return Episode(
        scene=draw.table(*blocks),
        goal=tower(*[blocks] * HEIGHT, place=area),
        alternatives=tuple(tower(*[blocks] * HEIGHT, place=other) for other in others),
        instruction=say(
            f'Stack all the blocks in the {where}.',
            f'Build a tower of all the blocks in the {where}.',
            f'Carry the blocks to the {where} and pile them up there.',
            f'I want to see one tower in the {where}, with every block in it.',
            f'All the blocks belong on one another: put them up in the {where}.',
        ),
    )


TASK = Task(build, axes=('color',), horizon=240.0, revision=2)

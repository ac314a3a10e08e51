"""Move all blocks of one named area to another (LoHoRavens J)."""

from vlm_bench_tasks.authoring import AREAS, Episode, Task, Within, all_of, say
from vlm_bench_tasks.suite.lohoravens._props import Block, Draw

ROOMY = ('top_left', 'top_right')
"""Where eight blocks fit within reach of every robot."""


def build(draw: Draw) -> Episode:
    source = AREAS[draw.one_of(*ROOMY)]
    target, other = draw.areas(2, source, AREAS['center'])  # where there is no room for so many
    moving, staying = draw.whole(5, 8), draw.whole(2, 4)
    colors = [draw.colors(7)[i % 7] for i in range(moving + staying)]
    inside = [Block(color, within=source, outside=(target,)) for color in colors[:moving]]
    blocks = draw.blocks(*inside, *(Block(color, outside=(source, target)) for color in colors[moving:]))
    return Episode(
        scene=draw.table(*blocks),
        goal=all_of(*(Within(block, target) for block in blocks[:moving])),
        alternatives=(all_of(*(Within(block, other) for block in blocks[:moving])),),
        instruction=say(
            f'Move all the blocks in the {source.words} to the {target.words}.',
            f'Carry every block that lies in the {source.words} over to the {target.words}.',
            f'Clear the {source.words}: its blocks belong in the {target.words}.',
            f'Pick up the blocks in the {source.words} and put them down in the {target.words}.',
            f'No block should be left in the {source.words}; bring them to the {target.words}.',
        ),
    )


TASK = Task(build, axes=('color',), horizon=300.0, revision=2)

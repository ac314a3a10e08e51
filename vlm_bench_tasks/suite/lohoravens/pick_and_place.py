"""Three primitives: place by color, by size, or from one named area to another (LoHoRavens A)."""

from vlm_bench_tasks.authoring import AREAS, Episode, Goal, Inside, On, Prop, Task, Within, say
from vlm_bench_tasks.suite.lohoravens._props import Block, Draw

SENTENCES = (
    'Pick up {item} and place it on {base}.',
    'Put {item} on {base}.',
    'Move {item} over to {base} and set it down there.',
    '{base} is where {item} belongs: put it there.',
    'Take {item}, carry it to {base} and let it go.',
)
BETWEEN = (
    'Pick up {{item}} on the {source} and place it on the {target}.',
    'Move {{item}} from the {source} to the {target}.',
    'Take {{item}} out of the {source} and set it down in the {target}.',
    '{{item}} lies in the {source}, but belongs in the {target}: carry it there.',
    'I want to find {{item}} in the {target} instead of the {source}.',
)


def put(item: Prop, base: Prop) -> Goal:
    if base.noun == 'bowl':
        return Inside(item, base)
    return Within(item, base) if base.noun == 'zone' else On(item, base)


def between(draw: Draw) -> Episode:
    (source,) = draw.areas(1, AREAS['center'])  # which every other area meets
    target, *elsewhere = draw.areas(4, source)
    bowls = draw.bowls(*draw.colors(draw.whole(2, 3)), outside=(source, target))
    first, *others = draw.colors(draw.whole(2, 3))
    blocks = draw.blocks(Block(first, within=source, outside=(target,)), *(Block(color, outside=(target,)) for color in others))
    return Episode(
        scene=draw.table(*bowls, *blocks),
        goal=Within(blocks[0], target),
        alternatives=tuple(Within(block, place) for block in blocks for place in (target, *elsewhere)),
        instruction=say(*(one.format(source=source.words, target=target.words) for one in BETWEEN), item=draw.ref(blocks[0])),
    )


def build(draw: Draw) -> Episode:
    if draw.axis == 'region':
        return between(draw)
    colors, place, sized = draw.colors(draw.whole(2, 3)), draw.one_of('block', 'bowl', 'zone'), draw.axis == 'size'
    zones = () if sized else draw.zones(*draw.colors(draw.whole(1, 2)))
    bowls = draw.bowls(*draw.colors(draw.whole(2, 3)))
    blocks = draw.blocks(*(Block(color, size) for color in colors for size in ('small', 'big')[: 1 + sized]))
    item = blocks[draw.whole(0, len(blocks) - 1)]
    others = {'block': [block for block in blocks if block != item], 'bowl': bowls, 'zone': zones}['block' if sized else place]
    base = others[draw.whole(0, len(others) - 1)]
    return Episode(
        scene=draw.table(*zones, *bowls, *blocks),
        goal=put(item, base),
        alternatives=tuple(put(one, other) for one in blocks for other in (*blocks, *bowls, *zones) if other != one),
        instruction=say(*SENTENCES, item=draw.ref(item), base=draw.ref(base)),
    )


TASK = Task(build, axes=('color', 'size', 'region'), horizon=60.0, revision=2)

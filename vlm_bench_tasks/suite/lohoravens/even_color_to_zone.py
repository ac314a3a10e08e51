"""Put the blocks of the colors that have an even number of them into their zones, and no others (LoHoRavens E)."""

from vlm_bench_tasks.authoring import Episode, Not, Task, Within, all_of, say
from vlm_bench_tasks.suite.lohoravens._props import Block, Draw

COUNTS = {'four, two and one': (4, 2, 1), 'four, two and three': (4, 2, 3), 'four, four and one': (4, 4, 1)}


def build(draw: Draw) -> Episode:
    colors = draw.colors(3)
    counts = COUNTS[draw.one_of(*COUNTS)]
    zones = draw.zones(*colors, side=0.15)
    blocks = draw.blocks(*(Block(color) for color, count in zip(colors, counts, strict=True) for _ in range(count)))
    pairs = [(block, next(zone for zone in zones if zone.color == block.color)) for block in blocks]
    even = [Within(block, zone) for block, zone in pairs if zone != zones[2]]
    odd = [Not(Within(block, zone)) for block, zone in pairs if zone == zones[2]]
    return Episode(
        scene=draw.table(*zones, *blocks),
        goal=all_of(*even, *odd),
        instruction=say(
            'Put the blocks of an even number in the zone with the matching color.',
            'Count the blocks of each color and move those of an even number into their zone.',
            'Where a color has an even number of blocks, carry them to the zone of that color.',
            'Every zone should hold the blocks of its color, if their number is even.',
            'Take the colors with an even number of blocks: their zones are where they belong.',
        ),
    )


TASK = Task(build, axes=('color',), horizon=300.0, revision=2)

"""Bring each bigger block to the zone of its color and put the smaller block of that color on it (LoHoRavens I)."""

from vlm_bench_tasks.authoring import Episode, Task, all_of, say, tower
from vlm_bench_tasks.suite.lohoravens._props import Block, Draw


def build(draw: Draw) -> Episode:
    every = draw.colors(7)
    pairs = draw.whole(3, 5)
    spare = every[pairs : pairs + draw.whole(0, 2)]  # colors of distractors
    zones = draw.zones(*every[:pairs], side=0.15)
    wanted = [Block(color, size) for size in ('big', 'small') for color in every[:pairs]]
    blocks = draw.blocks(*wanted, *(Block(color, draw.one_of('big', 'small')) for color in spare))
    towers = [tower((blocks[i],), (blocks[pairs + i],), place=zone) for i, zone in enumerate(zones)]
    return Episode(
        scene=draw.table(*zones, *blocks),
        goal=all_of(*towers),
        instruction=say(
            'Stack all the smaller blocks over the bigger blocks of the same color in the zone with the same color.',
            'Put each bigger block in the zone of its color and the smaller block of that color on top.',
            'Every zone should hold the two blocks of its color, the smaller above the bigger.',
            'Carry the bigger blocks to the zones with their colors, then set the smaller ones down on them.',
            'In each zone build a tower of its color: the bigger block below, the smaller above.',
        ),
    )


TASK = Task(build, axes=('color',), horizon=300.0, revision=2)

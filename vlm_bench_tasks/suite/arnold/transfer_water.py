"""Pour a share of the water of a cup into its empty twin; both are upright in the end (ARNOLD)."""

from vlm_bench_tasks.authoring import ByContent, Episode, Filled, Task, amounts, say, transferred
from vlm_bench_tasks.suite.arnold._props import WATER, Draw, at_rest

EMPTY = 0.0
"""Share of the water in the twin at the start."""

SENTENCES = (
    'Transfer {state} of the water in {cup} to {twin}.',
    'Pour {state} of the water from {cup} into {twin}.',
    'Take {cup} and pour {state} of the water in it into {twin}.',
    'I want {state} of the water in {cup} to be in {twin}.',
    'Give {twin} {state} of the water in {cup}, and spill as little as you can.',
)


def build(draw: Draw) -> Episode:
    _, share, others = draw.start_and_goal('transfer_water', (EMPTY,), apart=Filled.within, within=Filled.within)
    cup, twin = draw.cups(2)
    water = draw.water(cup)
    return Episode(
        scene=draw.table(cup, twin, beads=(water,)),
        goal=at_rest(transferred(water, cup, twin, share)),
        alternatives=tuple(at_rest(transferred(water, cup, twin, other)) for other in others),
        instruction=say(*draw.worded(SENTENCES, amounts(share)), cup=ByContent(cup.name), twin=ByContent(twin.name)),
    )


TASK = Task(build, axes=('goal', 'palette'), horizon=90.0, needs=('beads',), revision=2, due=WATER)

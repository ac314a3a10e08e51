"""Pour a share of the water out of a cup, which is upright in the end (ARNOLD)."""

from vlm_bench_tasks.authoring import ByNoun, Episode, Filled, Task, amounts, poured_out, say
from vlm_bench_tasks.suite.arnold._props import APART, WATER, Draw, at_rest

FULL = 1.0
"""Share of the water in the cup at the start."""

SENTENCES = (
    'Pour {state} of the water out of {cup}.',
    'Take {cup}, tip out {state} of the water and set {cup} upright again.',
    'Tip {state} of the water out of {cup}.',
    'I want {state} of the water to be gone from {cup}.',
    'Tilt {cup} until {state} of its water has flowed out, then set {cup} upright.',
)


def build(draw: Draw) -> Episode:
    _, left, others = draw.start_and_goal('pour_water', (FULL,), apart=APART, within=Filled.within)
    (cup,) = draw.cups(1)
    water = draw.water(cup)
    return Episode(
        scene=draw.table(cup, beads=(water,)),
        goal=at_rest(poured_out(water, cup, left)),
        alternatives=tuple(at_rest(poured_out(water, cup, other)) for other in others),
        instruction=say(*draw.worded(SENTENCES, amounts(FULL - left)), cup=ByNoun(cup.name)),
    )


TASK = Task(build, axes=('goal', 'palette'), horizon=90.0, needs=('beads',), revision=2, due=WATER)

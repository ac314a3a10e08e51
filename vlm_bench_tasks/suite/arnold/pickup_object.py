"""Raise a bottle by a height and hold it there (ARNOLD)."""

from vlm_bench_tasks.authoring import ByNoun, Episode, Raised, Task, lengths, say
from vlm_bench_tasks.suite.arnold._props import Draw, at_rest

SENTENCES = (
    'Raise {bottle} {state} above the ground.',
    'Pick up {bottle} and hold it {state} higher than it stands.',
    'Lift {bottle} by {state}.',
    'I want to see {bottle} {state} above where it is now.',
    'Take {bottle} and bring it up: {state} over the table.',
)


def build(draw: Draw) -> Episode:
    _, height, others = draw.start_and_goal('pickup_object', (0.0,), apart=Raised.within, within=Raised.within)
    bottle = draw.bottle()
    return Episode(
        scene=draw.table(bottle),
        goal=at_rest(Raised(bottle, height)),
        alternatives=tuple(at_rest(Raised(bottle, other)) for other in others),
        instruction=say(*draw.worded(SENTENCES, lengths(height)), bottle=ByNoun(bottle.name)),
    )


TASK = Task(build, axes=('goal', 'palette'), horizon=60.0, revision=2)

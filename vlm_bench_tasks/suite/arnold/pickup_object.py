"""Raise a bottle by a height and hold it there (ARNOLD)."""

from vlm_bench_tasks.authoring import ByNoun, Episode, Raised, Task, lengths, say
from vlm_bench_tasks.suite.arnold._props import Draw, at_rest

WITHIN = 0.05
"""Tolerance, m (ARNOLD, section 3)."""

SENTENCES = (
    'Raise {bottle} {number} above the ground.',
    'Pick up {bottle} and hold it {number} higher than it stands.',
    'Lift {bottle} by {number}.',
    'I want to see {bottle} {number} above where it is now.',
    'Take {bottle} and bring it up: {number} over the table.',
)


def build(draw: Draw) -> Episode:
    height, others = draw.asked('pickup_object', (0.0,), apart=WITHIN, within=WITHIN)[1:]
    bottle = draw.bottle()
    return Episode(
        scene=draw.table(bottle),
        goal=at_rest(Raised(bottle, height, WITHIN)),
        alternatives=tuple(at_rest(Raised(bottle, other, WITHIN)) for other in others),
        instruction=say(*draw.worded(SENTENCES, lengths(height)), bottle=ByNoun(bottle.name)),
    )


TASK = Task(build, axes=('goal',), horizon=60.0)

"""Take a bottle that lies on its side and lean it by an angle from upright (ARNOLD)."""

from math import radians

from vlm_bench_tasks.authoring import ByNoun, Episode, Leaning, Task, angles, say
from vlm_bench_tasks.suite.arnold._props import Draw, at_rest

LYING, WITHIN, APART = 90.0, 15.0, 25.0
"""Angle at the start, tolerance of the paper (section 3), and least difference of the goal from the start, degrees."""

SENTENCES = (
    'Reorient {bottle} {number} away from the up axis.',
    'Take {bottle} and rotate it until it leans {number} from upright.',
    'Turn {bottle} so that its top points {number} away from straight up.',
    'Hold {bottle} tilted by {number} from the vertical.',
    'I want {bottle} to have {number} between its axis and straight up.',
)


def build(draw: Draw) -> Episode:
    angle, others = draw.asked('reorient_object', (LYING,), apart=APART, within=WITHIN)[1:]
    bottle = draw.bottle(lies=True)
    return Episode(
        scene=draw.table(bottle),
        goal=at_rest(Leaning(bottle, radians(angle), radians(WITHIN))),
        alternatives=tuple(at_rest(Leaning(bottle, radians(other), radians(WITHIN))) for other in others),
        instruction=say(*draw.worded(SENTENCES, angles(angle)), bottle=ByNoun(bottle.name)),
    )


TASK = Task(build, axes=('goal',), horizon=60.0)

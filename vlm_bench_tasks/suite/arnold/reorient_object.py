"""Take a bottle that lies on its side and lean it by an angle from upright (ARNOLD)."""

from math import degrees, radians

from vlm_bench_tasks.authoring import ByNoun, Episode, Leaning, Task, angles, say
from vlm_bench_tasks.suite.arnold._props import Draw, at_rest

LYING, APART = 90.0, 25.0
"""Angle at the start, and by how much more than this a goal differs from it, degrees."""

SENTENCES = (
    'Reorient {bottle} {state} away from the up axis.',
    'Take {bottle} and rotate it until it leans {state} from upright.',
    'Turn {bottle} so that its top points {state} away from straight up.',
    'Hold {bottle} tilted by {state} from the vertical.',
    'I want {bottle} to have {state} between its axis and straight up.',
)


def build(draw: Draw) -> Episode:
    _, angle, others = draw.start_and_goal('reorient_object', (LYING,), apart=APART, within=degrees(Leaning.within))
    bottle = draw.bottle(lies=True)
    return Episode(
        scene=draw.table(bottle),
        goal=at_rest(Leaning(bottle, radians(angle))),
        alternatives=tuple(at_rest(Leaning(bottle, radians(other))) for other in others),
        instruction=say(*draw.worded(SENTENCES, angles(angle)), bottle=ByNoun(bottle.name)),
    )


TASK = Task(build, axes=('goal', 'palette'), horizon=60.0, revision=2)

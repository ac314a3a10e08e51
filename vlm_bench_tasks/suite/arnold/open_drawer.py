"""Open a drawer to a share of its range, from closed or further (ARNOLD)."""

from vlm_bench_tasks.authoring import ByLevel, Episode, Task, say
from vlm_bench_tasks.suite.arnold._props import Draw, at_rest, openness

SENTENCES = (
    'Open {drawer} until it is {number}.',
    'Pull {drawer} by its handle, so that it stands {number}.',
    'Slide {drawer} out and leave it {number}.',
    'I want to see {drawer} {number}.',
    '{drawer} must be {number}: draw it out.',
)


def build(draw: Draw) -> Episode:
    chest, goal, others = draw.opening('open_drawer', 'chest')
    return Episode(
        scene=draw.table(mechanisms=(chest,)),
        goal=at_rest(goal),
        alternatives=tuple(map(at_rest, others)),
        instruction=say(*draw.worded(SENTENCES, openness(goal.share)), drawer=ByLevel(goal.full)),
    )


TASK = Task(build, axes=('goal',), horizon=60.0)

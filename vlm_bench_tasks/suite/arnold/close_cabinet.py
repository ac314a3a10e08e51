"""Close a door of a cabinet to a share of its range (ARNOLD)."""

from vlm_bench_tasks.authoring import ByLevel, Episode, Task, say
from vlm_bench_tasks.suite.arnold._props import Draw, at_rest, openness

SENTENCES = (
    'Close {door} until it is {number}.',
    'Push {door} by its handle, so that it stands {number}.',
    'Swing {door} away from you and leave it {number}.',
    'I want to see {door} {number}.',
    '{door} must be {number}: turn it on its hinge.',
)


def build(draw: Draw) -> Episode:
    cabinet, goal, others = draw.closing('close_cabinet', 'cabinet')
    return Episode(
        scene=draw.table(mechanisms=(cabinet,)),
        goal=at_rest(goal),
        alternatives=tuple(map(at_rest, others)),
        instruction=say(*draw.worded(SENTENCES, openness(goal.share)), door=ByLevel(goal.full)),
    )


TASK = Task(build, axes=('goal',), horizon=60.0)

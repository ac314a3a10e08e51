"""Move the tool through two to five marks in the air, each of which turns green when it is the next (ClevrSkills, Trace)."""

from vlm_bench_tasks.authoring import Cue, Episode, Once, Task, say, then
from vlm_bench_tasks.suite.clevrskills._props import DONE, NEXT, WAITING, Draw, reached


def build(draw: Draw) -> Episode:
    marks = draw.marks(draw.whole(2, 5))
    distractor = draw.things(1)
    goals = [Once(reached(mark)) for mark in marks]
    return Episode(
        scene=draw.table(*marks, *distractor),
        goal=then(*goals),
        cues=tuple(Cue(mark.name, goal, waiting=WAITING, next=NEXT, done=DONE) for mark, goal in zip(marks, goals, strict=True)),
        instruction=say(
            'Trace the sequence of goals by moving to the next green goal.',
            'Follow the green ball: move the tool to it, and then to the one that turns green next.',
            'Bring the tool to whichever ball is green, until all are yellow.',
            'Reach each ball once it is green.',
            'Go from green ball to green ball; leave the red ones until they change.',
        ),
    )


TASK = Task(build, axes=('goal',), horizon=40.0, needs=('cues',), level='L0', revision=4)

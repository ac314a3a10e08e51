"""Carry an object to the plate that a picture shows, and back (ClevrSkills, FollowOrderRestore)."""

from vlm_bench_tasks.authoring import PICTURES, Episode, On, Task, say, then
from vlm_bench_tasks.suite.clevrskills._family import L1
from vlm_bench_tasks.suite.clevrskills._steps import Draw, on_top, wanted


def build(draw: Draw) -> Episode:
    first, *others = draw.plates(3)
    item = draw.standing_on(first)
    scene = draw.table(first, *others, item)
    goals = [then(On(item, plate), On(item, first)) for plate in others]
    return Episode(
        scene=scene,
        goal=goals[0],
        alternatives=tuple(goals),
        instruction=say(
            'Follow the motion for {item}: {k1}, and then restore.',
            'Carry {item} as in {k1}. After that, bring it back.',
            'First {item} goes where {k1} shows it, then back to where it began.',
            'Set {item} down as in {k1}, let go, and return it to its own plate.',
            'Repeat with {item} what {k1} shows, and undo it.',
            item=draw.ref(item),
            k1=wanted(scene, on_top(item, others[0])),
        ),
    )


TASK = Task(build, axes=('look', 'shape'), horizon=100.0, level='L1', due=L1, prompts=(PICTURES,), revision=2)

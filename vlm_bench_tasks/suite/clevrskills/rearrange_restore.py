"""Put two to three objects where a picture shows them, and then back (ClevrSkills, RearrangeRestore)."""

from vlm_bench_tasks.authoring import PICTURES, Episode, Task, say, then
from vlm_bench_tasks.suite.clevrskills._family import L1
from vlm_bench_tasks.suite.clevrskills._steps import Draw, at_places, other_places, wanted


def build(draw: Draw) -> Episode:
    things = draw.to_rearrange()
    there = draw.elsewhere(things)
    scene = draw.table(*things)
    back = at_places(tuple(zip(things, things, strict=True)))
    goals = tuple(then(goal, back) for goal in other_places(things, there))
    return Episode(
        scene=scene,
        goal=goals[0],
        alternatives=goals,
        instruction=say(
            'Rearrange to {layout} and then restore.',
            'Put everything where it is in {layout}; after that, back to where it was.',
            'The table should look like {layout} once, and then as it does now.',
            'Carry each object to its place in {layout}, let go, and bring all of them back.',
            'Make the table look like {layout}, then undo it.',
            layout=wanted(scene, *there),
        ),
    )


TASK = Task(build, axes=('look', 'shape'), horizon=200.0, level='L1', due=L1, prompts=(PICTURES,), revision=2)

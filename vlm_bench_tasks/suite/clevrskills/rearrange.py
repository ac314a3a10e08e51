"""Put two to three objects where a picture shows them (ClevrSkills, Rearrange)."""

from vlm_bench_tasks.authoring import PICTURES, Episode, Task, say
from vlm_bench_tasks.suite.clevrskills._family import L1
from vlm_bench_tasks.suite.clevrskills._steps import Draw, other_places, wanted


def build(draw: Draw) -> Episode:
    things = draw.to_rearrange()
    there = draw.elsewhere(things)
    scene = draw.table(*things)
    goals = other_places(things, there)
    return Episode(
        scene=scene,
        goal=goals[0],
        alternatives=goals,
        instruction=say(
            'Rearrange to {layout}.',
            'Put everything where it is in {layout}.',
            'The table should look like {layout}.',
            'Carry each object to its place in {layout}.',
            'Make the table as you see it here: {layout}.',
            layout=wanted(scene, *there),
        ),
    )


TASK = Task(build, axes=('look', 'shape'), horizon=120.0, level='L1', due=L1, prompts=(PICTURES,), revision=2)

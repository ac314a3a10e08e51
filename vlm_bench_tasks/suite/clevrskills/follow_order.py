"""Carry an object over plates as pictures show, in order (ClevrSkills, FollowOrder)."""

from itertools import permutations

from vlm_bench_tasks.authoring import PICTURES, Episode, On, Task, say, then
from vlm_bench_tasks.suite.clevrskills._family import L1
from vlm_bench_tasks.suite.clevrskills._steps import Draw, on_top, wanted


def build(draw: Draw) -> Episode:
    first, *others = draw.plates(draw.whole(3, 4))
    item = draw.standing_on(first)
    scene = draw.table(first, *others, item)
    count = draw.whole(1, len(others))
    goals = [then(*(On(item, plate) for plate in order)) for order in permutations(others, count)]
    steps = {f'k{i}': wanted(scene, on_top(item, plate)) for i, plate in enumerate(others[:count], start=1)}
    shown = ' '.join(f'{{{blank}}}' for blank in steps)
    return Episode(
        scene=scene,
        goal=goals[0],
        alternatives=tuple(goals),
        instruction=say(
            f'Follow the motion for {{item}}: {shown}.',
            f'Carry {{item}} as you see it here: {shown}.',
            f'{{item}} goes from place to place: {shown}. Do the same.',
            f'Repeat with {{item}} what is shown: {shown}.',
            f'Set {{item}} down on one plate after the other, in this order: {shown}.',
            item=draw.ref(item),
            **steps,
        ),
    )


TASK = Task(build, axes=('look', 'shape'), horizon=120.0, level='L1', due=L1, prompts=(PICTURES,), revision=2)

"""Stack objects in sequence (VLMbench): the first named stays where it is, and every other one is put on the one named before it."""

from itertools import permutations

from vlm_bench_tasks.authoring import Episode, Goal, On, Prop, Task, all_of, say, then
from vlm_bench_tasks.suite.vlmbench._props import Draw

TWO = (
    'Stack {a} and {b} in sequence.',
    'Put {b} on top of {a}.',
    'Take {b} and set it down on {a}.',
    'Build a tower: {a} at the bottom, {b} above it.',
    '{b} belongs on {a}: pile them up.',
)
THREE = (
    'Stack {a}, {b} and {c} in sequence.',
    'Put {b} on top of {a}, then {c} on top of {b}.',
    'Build a tower: {a} at the bottom, {b} above it, {c} at the top.',
    'First set {b} down on {a}, and after that {c} on {b}.',
    'Pile up {a}, {b} and {c}, from the bottom to the top.',
)


def stacked(base: Prop, middle: Prop, *top: Prop) -> Goal:
    lower = On(middle, base)
    return then(lower, all_of(lower, On(top[0], middle))) if top else lower


def build(draw: Draw) -> Episode:
    tower, others = draw.tower()
    every = (*tower, *others)
    return Episode(
        scene=draw.table(*every),
        goal=stacked(*tower),
        alternatives=tuple(stacked(*other) for other in permutations(every, len(tower))),
        instruction=say(*(TWO if len(tower) == 2 else THREE), **{blank: draw.ref(prop) for blank, prop in zip('abc', tower, strict=False)}),
    )


TASK = Task(build, axes=('color', 'relative', 'shape', 'size'), horizon=90.0, revision=2)

"""Stack objects in sequence (VLMbench): the first named stays where it is, and every other one is put on the one named before it."""

from vlm_bench_tasks.authoring import Draw, Episode, On, Task, all_of, say, then

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


def build(draw: Draw) -> Episode:
    (base, middle, *top), others = draw.tower()
    lower = On(middle, base)
    words = {'a': draw.ref(base), 'b': draw.ref(middle)}
    scene = draw.table(base, middle, *top, *others)
    if not top:
        return Episode(scene=scene, goal=lower, instruction=say(*TWO, **words))
    both = all_of(lower, On(top[0], middle))
    return Episode(scene=scene, goal=then(lower, both), instruction=say(*THREE, **words, c=draw.ref(top[0])))


TASK = Task(build, axes=('color', 'relative', 'shape', 'size'), horizon=90.0, revision=1)

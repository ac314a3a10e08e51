"""Open a drawer to a share of its range, from closed or further (ARNOLD)."""

from vlm_bench_tasks.authoring import Episode, Task
from vlm_bench_tasks.suite.arnold._props import Draw

SENTENCES = (
    'Open {link} until it is {state}.',
    'Pull {link} by its handle, so that it stands {state}.',
    'Slide {link} out and leave it {state}.',
    'I want to see {link} {state}.',
    'Leave {link} {state}, no more and no less.',
    '{link} must be {state}: draw it out.',
)


def build(draw: Draw) -> Episode:
    return draw.opening('open_drawer', 'chest', SENTENCES)


TASK = Task(build, axes=('goal', 'palette'), horizon=60.0, revision=2)

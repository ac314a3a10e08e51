"""Open a door of a cabinet to a share of its range, from closed or further (ARNOLD)."""

from vlm_bench_tasks.authoring import Episode, Task
from vlm_bench_tasks.suite.arnold._props import Draw

SENTENCES = (
    'Open {link} until it is {state}.',
    'Pull {link} by its handle, so that it stands {state}.',
    'Swing {link} towards you and leave it {state}.',
    'I want to see {link} {state}.',
    'Leave {link} {state}, no more and no less.',
    '{link} must be {state}: turn it on its hinge.',
)


def build(draw: Draw) -> Episode:
    return draw.opening('open_cabinet', 'cabinet', SENTENCES)


TASK = Task(build, axes=('goal', 'palette'), horizon=60.0, revision=2)

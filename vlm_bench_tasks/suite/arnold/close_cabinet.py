"""Close a door of a cabinet to a share of its range (ARNOLD)."""

from vlm_bench_tasks.authoring import Episode, Task
from vlm_bench_tasks.suite.arnold._props import Draw

SENTENCES = (
    'Close {link} until it is {state}.',
    'Push {link} by its handle, so that it stands {state}.',
    'Swing {link} away from you and leave it {state}.',
    'I want to see {link} {state}.',
    'Leave {link} {state}, no more and no less.',
    '{link} must be {state}: turn it on its hinge.',
)


def build(draw: Draw) -> Episode:
    return draw.closing('close_cabinet', 'cabinet', SENTENCES)


TASK = Task(build, axes=('goal', 'palette'), horizon=60.0, luck=0.15, revision=2)

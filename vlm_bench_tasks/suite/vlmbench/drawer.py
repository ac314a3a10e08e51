"""Open or close a drawer of a cabinet, fully or slightly (VLMbench)."""

from vlm_bench_tasks.authoring import EXTENTS, LEVELS, ByLevel, Episode, Task, moved_by, say, shares
from vlm_bench_tasks.suite.vlmbench._props import Draw

AMOUNTS = ('fully', 'slightly')
SENTENCES = {
    'open': (
        '{amount} open {{drawer}}.',
        'Pull {{drawer}} out {far}.',
        'Take {{drawer}} by its handle and draw it out {far}.',
        'I want {{drawer}} to be {amount} open.',
        '{{drawer}} must come out {far}: slide it.',
    ),
    'close': (
        '{amount} close {{drawer}}.',
        'Push {{drawer}} in {far}.',
        'Take {{drawer}} by its handle and press it in {far}.',
        'I want {{drawer}} to be {amount} shut.',
        '{{drawer}} must go in {far}: slide it.',
    ),
}


def build(draw: Draw) -> Episode:
    level, action, amount = draw.one_of(*LEVELS), draw.one_of(*SENTENCES), draw.one_of(*AMOUNTS)
    cabinet = draw.chest(**({level: 1.0} if action == 'close' else {}))
    sentences = (sentence.format(amount=amount, far=EXTENTS[amount]) for sentence in SENTENCES[action])
    return Episode(
        scene=draw.table(mechanisms=(cabinet,)),
        goal=moved_by(cabinet, level, shares(amount)),
        alternatives=tuple(moved_by(cabinet, other, shares(far)) for other in LEVELS for far in AMOUNTS),
        instruction=say(*sentences, drawer=ByLevel(cabinet.full(level))),
    )


TASK = Task(build, axes=('level',), horizon=60.0, revision=1, luck=0.05)

"""Open or close a door, fully or slightly; its handle must be turned before it opens (VLMbench)."""

from math import radians

from vlm_bench_tasks.authoring import DOOR, DOORS, EXTENTS, ByLevel, Episode, Task, moved_by, say
from vlm_bench_tasks.suite.vlmbench._props import Draw

WIDE, AJAR = radians(30.0), 0.5
"""How far VLMbench opens its doors, and which share of their range that is."""

SENTENCES = {
    'open': (
        '{amount} open {{door}}.',
        'Turn the handle of {{door}} and pull it open {far}.',
        'Press its handle, then swing {{door}} towards you {far}.',
        'I want {{door}} to be {amount} open.',
        '{{door}} is shut: move it {far}.',
    ),
    'close': (
        '{amount} close {{door}}.',
        'Take the handle of {{door}} and push it back {far}.',
        'Swing {{door}} away from you {far}.',
        'I want {{door}} to be {amount} shut.',
        '{{door}} stands open: move it back {far}.',
    ),
}


def build(draw: Draw) -> Episode:
    action, amount = draw.one_of(*SENTENCES), draw.one_of(*DOORS)
    door = draw.door(**({DOOR: AJAR} if action == 'close' else {}))
    sentences = (sentence.format(amount=amount, far=EXTENTS[amount]) for sentence in SENTENCES[action])
    return Episode(
        scene=draw.table(mechanisms=(door,)),
        goal=moved_by(door, DOOR, DOORS[amount], WIDE),
        alternatives=tuple(moved_by(door, DOOR, other, WIDE) for other in DOORS.values()),
        instruction=say(*sentences, door=ByLevel(door.full(DOOR))),
    )


TASK = Task(build, axes=('amount',), horizon=60.0, revision=1, luck=0.05)

"""Wipe the dirt off an area with a sponge (VLMbench)."""

from vlm_bench_tasks.authoring import Episode, Task, Wiped, say
from vlm_bench_tasks.suite.vlmbench._props import Draw


def build(draw: Draw) -> Episode:
    sponge, (area, *others) = draw.wiping()
    soiled = {one: draw.dirt(one, sponge) for one in (area, *others)}
    return Episode(
        scene=draw.table(sponge, area, *others, dirt=tuple(soiled.values())),
        goal=Wiped(soiled[area], area),
        alternatives=tuple(Wiped(soiled[other], other) for other in others),
        instruction=say(
            'Wipe {area}.',
            'Clean {area} with the sponge.',
            'Take the sponge and rub the dirt off {area}.',
            '{area} is dirty: wipe it.',
            'Use the sponge to sweep the dirt from {area}.',
            area=draw.ref(area),
        ),
    )


TASK = Task(build, axes=('color', 'relative', 'shape', 'size', 'direction'), horizon=90.0, needs=('dirt',), revision=1)

"""Throw each object onto the area of its own look (ClevrSkills, ThrowSort)."""

from vlm_bench_tasks.authoring import Episode, Flying, Goal, Grasped, Never, On, Prop, Task, all_of, say, then
from vlm_bench_tasks.suite.clevrskills._family import HARD
from vlm_bench_tasks.suite.clevrskills._objects import angular
from vlm_bench_tasks.suite.clevrskills._props import Draw


def thrown(item: Prop, area: Prop) -> Goal:
    return then(Flying(item, area), all_of(On(item, area), Never(Grasped(item))))


def build(draw: Draw) -> Episode:
    areas = draw.far_areas(*draw.some_looks('base', draw.whole(1, 3)))
    owners = draw.some_of(areas * 4, draw.whole(1, 4))
    items = draw.things(len(owners), 'primitive', looks=tuple(area.look for area in owners), fit=angular)
    following = {area: areas[(i + 1) % len(areas)] for i, area in enumerate(areas)}
    right = list(zip(items, owners, strict=True))
    return Episode(
        scene=draw.table(*areas, *items),
        goal=all_of(*(thrown(item, area) for item, area in right)),
        alternatives=(all_of(*(thrown(item, following[area]) for item, area in right)),) if len(areas) > 1 else (),
        instruction=say(
            'Place the objects in the identically textured areas by throwing.',
            'Throw each object onto the area that looks like it.',
            'Sort by throwing: every object belongs in the area of its own texture.',
            'Toss all objects over to where the area has the same texture.',
            'Each area should hold what has its look; throw, do not carry.',
        ),
    )


TASK = Task(build, axes=('look',), horizon=180.0, level='L2', due=HARD)

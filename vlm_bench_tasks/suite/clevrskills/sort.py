"""Put each object on the area of its own look (ClevrSkills, Sort2D)."""

from vlm_bench_tasks.authoring import Episode, On, Task, all_of, say
from vlm_bench_tasks.suite.clevrskills._family import L1
from vlm_bench_tasks.suite.clevrskills._props import Draw, fits_slot, side_by_side


def build(draw: Draw) -> Episode:
    areas = draw.areas(*draw.some_looks('base', draw.whole(1, 3)))
    owners = draw.some_of(areas * 4, draw.whole(1, 4))
    items = draw.things(len(owners), looks=tuple(area.look for area in owners), fit=fits_slot)
    following = {area: areas[(i + 1) % len(areas)] for i, area in enumerate(areas)}
    right = list(zip(items, owners, strict=True))
    return Episode(
        scene=draw.table(*areas, *items),
        goal=all_of(*(On(item, area) for item, area in right)),
        plan=side_by_side(right),
        alternatives=(side_by_side([(item, following[area]) for item, area in right]),) if len(areas) > 1 else (),
        instruction=say(
            'Place each object in the identically textured area.',
            'Sort: each object belongs in the area that looks like it.',
            'Carry every object over to the area of its own texture.',
            'Each area should hold what has its look.',
            'Set every object down where the area has the same texture.',
        ),
    )


TASK = Task(build, axes=('look',), horizon=150.0, level='L1', due=L1, revision=4)

"""Put an object in an area, and then the object that was on one side of it (ClevrSkills, Neighbour)."""

from vlm_bench_tasks.authoring import ByNeighbour, Episode, Goal, On, Prop, Task, all_of, say, then
from vlm_bench_tasks.suite.clevrskills._family import L1
from vlm_bench_tasks.suite.clevrskills._props import side_by_side
from vlm_bench_tasks.suite.clevrskills._steps import NEIGHBOURS, Draw


def build(draw: Draw) -> Episode:
    areas = draw.areas(*draw.some_looks('base', draw.whole(1, 2)), most=2)
    middle, ahead, behind, *others = draw.crossed(draw.whole(2, 3), NEIGHBOURS)
    pairs = draw.some_of([(middle, ahead), (behind, middle)], 2)  # in both, the second is on the same side of the first
    (item, meant), area = pairs[0], areas[0]
    plans = [then(*_both(*pair, where)) for where in areas for pair in pairs]
    return Episode(
        scene=draw.table(*areas, middle, ahead, behind, *others),
        goal=then(On(item, area), all_of(On(item, area), On(meant, area))),
        plan=plans[0],
        alternatives=tuple(plans),
        instruction=say(
            'First put {item} in {area} and then {other} in the same area.',
            'Carry {item} to {area}; {other} follows.',
            'Put {item} in {area}. Then put {other} beside it, in the same area.',
            'Bring {item} to {area}, and after that {other}.',
            'Move {item} to {area}, and next {other}.',
            item=draw.ref(item),
            area=draw.ref(area),
            other=ByNeighbour(meant.name, item.name),
        ),
    )


def _both(item: Prop, other: Prop, area: Prop) -> tuple[Goal, Goal]:
    return side_by_side([(item, area)]), side_by_side([(item, area), (other, area)])


TASK = Task(build, axes=('look',), horizon=100.0, level='L1', due=L1, revision=2)

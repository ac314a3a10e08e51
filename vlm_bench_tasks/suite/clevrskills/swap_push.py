"""Let two objects change places by pushing them, without a grasp (ClevrSkills, SwapPush)."""

from vlm_bench_tasks.authoring import Episode, Goal, Grasped, Never, Prop, Slid, Task, all_of, say
from vlm_bench_tasks.suite.clevrskills._family import HARD
from vlm_bench_tasks.suite.clevrskills._props import LOOSE, ROUND_ABOUT, Draw
from vlm_bench_tasks.suite.clevrskills._swaps import pairs, swapped

NEAR = 0.03
"""Greatest distance from the other's place, m."""


def exchanged(a: Prop, b: Prop, things: tuple[Prop, ...]) -> Goal:
    return all_of(swapped(a, b, lambda item, there: Slid(item, there, near=NEAR)), *(Never(Grasped(thing)) for thing in things))


def build(draw: Draw) -> Episode:
    things = draw.things(draw.whole(2, 3), 'primitive', looks='base', spacing=LOOSE, reach=ROUND_ABOUT)
    a, b, *_ = things
    goals = tuple(exchanged(one, other, things) for one, other in pairs(things))
    return Episode(
        scene=draw.table(*things),
        goal=goals[0],
        alternatives=goals,
        instruction=say(
            'Swap positions of {a} and {b} by pushing.',
            'Push {a} and {b} until they have changed places.',
            'Slide {a} to where {b} stands, and the other way round; do not lift them.',
            'Let {a} and {b} change places; only push.',
            'Without a grasp, move {a} to the place of {b}, and that one to where the first was.',
            a=draw.ref(a),
            b=draw.ref(b),
        ),
    )


TASK = Task(build, axes=('look', 'shape'), horizon=180.0, level='L2', due=HARD)

"""Build towers level by level, from any of the props allowed at each level."""

from math import hypot

import numpy as np

from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.placing import On, Within
from vlm_bench_tasks.goals.towers import Tower
from vlm_bench_tasks.skills.carry import put
from vlm_bench_tasks.skills.clearing import cleared, hands_free
from vlm_bench_tasks.skills.place_poses import EASY
from vlm_bench_tasks.skills.skill import Dropped, Skill, SkillContext, SkillFailed, skill_for
from vlm_bench_tasks.skills.trace import traced

NEAR, HIGH = 0.12, 0.05  # m beside and above the lowest prop, where other things are in the way


@skill_for.register
def build(goal: Tower, now: Snapshot, context: SkillContext) -> Skill:
    """Put one prop after the other on the tower. If it falls, go on with what stands. If a lowest prop fails, try another one.

    Raises:
        SkillFailed: the next level can be put on none of the possible lowest props.
        Dropped: the gripper dropped something on the way.
    """
    hopeless: set[str] = set()
    for _ in range(4 * len(goal.levels)):
        stands = _foot(goal, now, hopeless)
        if len(stands) == len(goal.levels):
            return now
        try:
            now = yield from _next_level(goal, stands, now, context)
        except Dropped:
            raise
        except SkillFailed:
            hopeless.update(prop.name for prop in stands[:1])
            if goal.place or all(prop.name in hopeless for prop in goal.levels[0]):
                raise
            now = yield from hands_free(context)
    return now


def _foot(goal: Tower, now: Snapshot, hopeless: set[str]) -> tuple[Prop, ...]:
    """Return the standing part of the tower. If the place is free and only one prop stands, return the prop easiest to build on.

    Props in `hopeless` are avoided.
    """
    stands = goal.standing(now)
    if goal.place or (len(stands) > 1 and (len(stands) == len(goal.levels) or stands[0].name not in hopeless)):
        return stands
    free = [prop for prop in goal.levels[0] if now.held != prop.name and prop.name not in hopeless] or list(goal.levels[0])
    return (min(free, key=lambda prop: (len(_above(prop, now)), _crowd(prop, now), _far(prop, now))),)


@traced
def _next_level(goal: Tower, stands: tuple[Prop, ...], now: Snapshot, context: SkillContext) -> Skill:
    """Clear the place of the next level and put a prop there, the first that succeeds.

    Raises:
        SkillFailed: no prop can be put there.
        Dropped: the gripper dropped the prop on the way.
    """
    waiting = [prop for prop in goal.levels[len(stands)] if prop not in stands]
    waiting.sort(key=lambda prop: (now.held != prop.name, len(_above(prop, now))))
    causes: list[str] = []
    for prop in waiting:
        try:
            if causes:
                now = yield from hands_free(context)
            aim = _aim(goal, prop, stands)
            now = yield from cleared(aim, now, context)
            return (yield from put(aim, now, context))
        except Dropped:
            raise
        except SkillFailed as failed:
            causes.append(str(failed))
    raise SkillFailed(' '.join(causes) or 'Nothing is left for the next level of the tower.')


def _aim(goal: Tower, prop: Prop, stands: tuple[Prop, ...]) -> On | Within:
    if stands or goal.place is None:
        return On(prop, stands[-1])
    return goal.first(prop, goal.place)


def _above(prop: Prop, now: Snapshot) -> list[str]:
    """Return the props that lie on another."""
    height = now.pose(prop.name).position[2]
    beside = [name for two in now.touching if prop.name in two for name in two if name != prop.name and name in now.bodies]
    return [name for name in beside if now.pose(name).position[2] > height + min(prop.size) / 2]


def _far(prop: Prop, now: Snapshot) -> float:
    x, y, _ = now.pose(prop.name).position
    return abs(hypot(x, y) - EASY)


def _crowd(prop: Prop, now: Snapshot) -> int:
    """Return the number of things near enough to obstruct hand and arm. High ones count twice."""
    at = np.asarray(now.pose(prop.name).position)
    others = [np.asarray(body.pose.position) for name, body in now.bodies.items() if name != prop.name]
    return sum(1 + int(other[2] > at[2] + HIGH) for other in others if hypot(*(other - at)[:2]) < NEAR)

"""Build towers, level by level, of whatever may lie there."""

import numpy as np

from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.placing import On, Within
from vlm_bench_tasks.goals.towers import Tower
from vlm_bench_tasks.skills.carry import put
from vlm_bench_tasks.skills.landings import EASY
from vlm_bench_tasks.skills.skill import Means, Skill, SkillFailed, skill_for


@skill_for.register
def build(goal: Tower, now: Snapshot, means: Means) -> Skill:
    """Put one prop after the other on what stands, and begin again with what is left where it fell."""
    for _ in range(2 * len(goal.levels)):
        stands = _foot(goal, now)
        if len(stands) == len(goal.levels):
            return now
        now = yield from _next_level(goal, stands, now, means)
    return now


def _foot(goal: Tower, now: Snapshot) -> tuple[Prop, ...]:
    """Return what stands; where that is but one prop that may stand anywhere, the one that is easiest to build on."""
    stands = goal.standing(now)
    if goal.place or len(stands) > 1:
        return stands
    free = [prop for prop in goal.levels[0] if now.held != prop.name]
    return (min(free, key=lambda prop: (len(_above(prop, now)), _far(prop, now))),)


def _next_level(goal: Tower, stands: tuple[Prop, ...], now: Snapshot, means: Means) -> Skill:
    """Put the first that can be where the next level is.

    Raises:
        SkillFailed: none can.
    """
    waiting = [prop for prop in goal.levels[len(stands)] if prop not in stands]
    waiting.sort(key=lambda prop: (now.held != prop.name, len(_above(prop, now))))
    causes = []
    for prop in waiting:
        try:
            return (yield from put(_aim(goal, prop, stands), now, means))
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
    return abs(float(np.hypot(x, y)) - EASY)

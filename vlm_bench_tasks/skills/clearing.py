"""Clear the way for a goal: find the things that obstruct it, and put them on free spots of the table."""

from collections.abc import Iterator, Sequence
from functools import singledispatch
from itertools import chain
from math import hypot
from typing import Any

import numpy as np

from vlm_bench_sim.core.areas import WORKSPACE, Area
from vlm_bench_sim.core.command import Wait
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene, footprint
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import PERIOD_S
from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.goals.outlines import gap, outline
from vlm_bench_tasks.goals.placing import SETTLED, At, Inside, On, Slid, Within, highest, lowest
from vlm_bench_tasks.skills.carry import let_go, pick, place
from vlm_bench_tasks.skills.place_poses import EASY, PlacePose, place_poses
from vlm_bench_tasks.skills.skill import Skill, SkillContext, SkillFailed, skill_for
from vlm_bench_tasks.skills.trace import traced

SPOTS = 12
"""Number of free spots that are tried."""

_GRID, _GAP, _ROOM = 0.02, 0.02, 0.05  # m: distance between spots; least distance between things; room beyond which more does not help
_HAND, _RING = 0.07, 0.08  # m: between things of which one is pushed on, from any side; from the distance at which an arm reaches easily


@singledispatch
def in_the_way(_goal: Any, _now: Snapshot, _scene: Scene) -> tuple[str, ...]:
    """Return the names of the things that obstruct the goal, the highest first."""
    return ()


@in_the_way.register
def _on(goal: On, now: Snapshot, _scene: Scene) -> tuple[str, ...]:
    """Return what lies on the prop and on its intended support."""
    return _each(*piled(goal.prop, now), *(name for name in piled(goal.base, now) if name != goal.prop.name))


@in_the_way.register
def _within(goal: Within, now: Snapshot, _scene: Scene) -> tuple[str, ...]:
    return _each(*piled(goal.prop, now))


@in_the_way.register
def _inside(goal: Inside, now: Snapshot, _scene: Scene) -> tuple[str, ...]:
    """Return what lies on the prop, and what is in the container: otherwise the prop might come to lie on that."""
    box, at = goal.container, now.pose(goal.container.name)
    low, rim, (x, y, _) = lowest(box, at), highest(box, at), at.position
    found = []
    for name, body in now.bodies.items():
        there = body.pose.position
        over = hypot(there[0] - x, there[1] - y) < min(box.size[:2]) / 2
        if over and low < there[2] < rim and name not in (goal.prop.name, box.name):
            found += [*_above(name, now, rim), name]
    return _each(*piled(goal.prop, now), *(name for name in found if name != goal.prop.name))


@in_the_way.register
def _at(goal: At, now: Snapshot, scene: Scene) -> tuple[str, ...]:
    """Return what lies on the prop, and what stands where the prop is to go or close by, with what lies on that."""
    there, low, high = outline(goal.prop, goal.pose), lowest(goal.prop, goal.pose), highest(goal.prop, goal.pose)
    found = []
    for other in scene.now(now):
        level = lowest(other, other.pose) < high and highest(other, other.pose) > low + SETTLED
        if other.name != goal.prop.name and not other.ghost and level and gap(outline(other, other.pose), there) < _GAP:
            found += [*piled(other, now), other.name]
    return _each(*piled(goal.prop, now), *(name for name in found if name != goal.prop.name))


def _each(*names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def piled(base: Prop, now: Snapshot) -> list[str]:
    """Return what lies on a thing, the highest first; nothing if the thing is held."""
    return [] if now.held == base.name else _above(base.name, now, now.pose(base.name).position[2] + min(base.size) / 2)


def _above(name: str, now: Snapshot, height: float) -> list[str]:
    """Return what lies on a thing with its middle above `height`, and everything on top of that, the highest first."""
    touching = {other for two in now.touching if name in two for other in two if other != name and other in now.bodies}
    direct = sorted(other for other in touching if now.pose(other).position[2] > height and other != now.held)
    found: list[str] = []
    for other in direct:
        found += [*_above(other, now, now.pose(other).position[2] + 1e-3), other]
    return list(dict.fromkeys(found))


def cleared(goal: Any, now: Snapshot, context: SkillContext, wanted: tuple[Goal, ...] = ()) -> Skill:
    """Put aside everything that obstructs a goal, except fixed things and things that other goals in `wanted` placed there.

    What obstructs a thing that is slid is slid aside, too.

    Raises:
        SkillFailed: there is no free spot for a movable thing.
    """
    kept, taken = _brought(goal, wanted, now, context), [part.prop.at(part.pose) for part in wanted if isinstance(part, At)]
    for name in in_the_way(goal, now, context.scene):
        prop = context.scene.prop(name)
        if not (prop.fixed or prop.ghost or name in kept):
            now = yield from (slid_aside if isinstance(goal, Slid) else put_aside)(prop, now, context, taken=taken)
    return now


def occupied(goal: Any, now: Snapshot, context: SkillContext) -> bool:
    """Return whether something stands at the pose where a goal wants a prop. Where two are exchanged, one must wait elsewhere."""
    return isinstance(goal, At) and bool(in_the_way(goal, now, context.scene))


def _brought(goal: Any, wanted: tuple[Goal, ...], now: Snapshot, context: SkillContext) -> set[str]:
    """Return the things that other goals placed at the goal's support, or at their pose, and what lies on them.

    What lies on the goal's own prop is left out.
    """
    if isinstance(goal, At):
        return {other.prop.name for other in wanted if isinstance(other, At) and other.holds(now, context.start or now)}
    if not isinstance(goal, On | Inside):
        return set()
    alike = [other for other in wanted if isinstance(other, On | Inside) and _support(other) == _support(goal)]
    there = [other.prop for other in alike if other.prop != goal.prop and other.holds(now, context.start or now)]
    return {name for prop in there for name in (prop.name, *piled(prop, now))} - {*piled(goal.prop, now)}


def _support(goal: On | Inside) -> str:
    return goal.base.name if isinstance(goal, On) else goal.container.name


def hands_free(context: SkillContext) -> Skill:
    """Take a new snapshot, and put aside whatever is still held."""
    now = yield Wait(PERIOD_S)
    return (yield from _emptied(now, context))


def _emptied(now: Snapshot, context: SkillContext) -> Skill:
    """Put aside the held prop. A held handle is just released, since it is not a prop."""
    if now.held and now.held not in {prop.name for prop in context.scene.props}:
        return (yield from let_go(now, context))
    return (yield from put_aside(context.scene.prop(now.held), now, context)) if now.held else now


@traced
def put_aside(prop: Prop, now: Snapshot, context: SkillContext, *, taken: Sequence[Prop] = ()) -> Skill:
    """Put a prop, held or not, on a free spot of the table. Any other held prop goes to another free spot first.

    Args:
        prop: the prop.
        now: the newest snapshot.
        context: context of the skill.
        taken: props at poses that are kept free.

    Raises:
        SkillFailed: no free spot is reachable, or the prop cannot be grasped.
    """
    if now.held not in ('', prop.name):
        now = yield from _emptied(now, context)
    ways = [place_poses(At(prop, spot), now) for spot in free_spots(prop, WORKSPACE, context.scene, now, taken=taken)]

    def where(in_tool: Pose) -> Iterator[PlacePose]:
        return chain.from_iterable(way(in_tool) for way in ways)

    if now.held != prop.name:
        now = yield from pick(prop, where, now, context)
    return (yield from place(prop, where, now, context))


@traced
def slid_aside(prop: Prop, now: Snapshot, context: SkillContext, *, taken: Sequence[Prop] = ()) -> Skill:
    """Slide a prop to a free spot of the table, the nearest one to which it can be pushed.

    Args:
        prop: the prop.
        now: the newest snapshot.
        context: context of the skill.
        taken: props at poses that are kept free.

    Raises:
        SkillFailed: it can be pushed to none of them.
    """
    here, causes = now.pose(prop.name), ['no spot is free']
    free = (free_spots(prop, WORKSPACE, context.scene, now, taken=taken, gap=gap, most=None) for gap in (_HAND, _GAP))
    roomy, tight = ([spot for spot in spots if abs(hypot(*spot.position[:2]) - EASY) <= _RING] for spots in free)
    for spot in sorted(roomy or tight, key=lambda spot: round(here.distance(spot), 3))[:SPOTS]:
        try:
            return (yield from skill_for(Slid(prop, spot), now, context))
        except SkillFailed as failed:
            causes.append(str(failed))
            now = yield Wait(PERIOD_S)
    raise SkillFailed(f'Cannot slide {prop.name} aside: {causes[-1].rstrip(".")}.')


def free_spots(
    item: Prop,
    area: Area,
    scene: Scene,
    now: Snapshot,
    *,
    taken: Sequence[Prop] = (),
    gap: float = _GAP,
    most: int | None = SPOTS,
) -> list[Pose]:
    """Return poses of an upright prop in an area, clear of all other things. Roomy spots come first, then spots that are easy to reach.

    Args:
        item: the prop.
        area: the area.
        scene: the scene as it began.
        now: the newest snapshot.
        taken: further props to keep clear of, at their poses.
        gap: least distance from all of them, m.
        most: greatest number of poses; None: all that there are.
    """
    half = [max(0.0, side / 2 - footprint(item)) for side in area.size]
    steps = [np.arange(-int(h / _GRID), int(h / _GRID) + 1) * _GRID for h in half]
    points = area.pose.apply(np.array([(x, y, 0.0) for x in steps[0] for y in steps[1]]))
    room = np.full(len(points), max(_ROOM, gap))
    for other in (*scene.now(now), *taken):
        if other.name != item.name:
            between = np.linalg.norm(points[:, :2] - np.asarray(other.pose.position[:2]), axis=1)
            room = np.minimum(room, between - footprint(other) - footprint(item))
    far = np.abs(np.linalg.norm(points[:, :2], axis=1) - EASY)
    free = [int(i) for i in np.flatnonzero(room >= gap)]
    free.sort(key=lambda i: (-round(float(room[i]), 2), round(float(far[i]), 6)))
    height = scene.table.top + item.size[2] / 2
    return [Pose((float(points[i, 0]), float(points[i, 1]), height)) for i in free[:most]]

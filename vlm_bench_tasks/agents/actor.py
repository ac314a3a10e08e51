"""The actor: carries out one step sentence with the skills of the bench, in one attempt. What went wrong, it answers in a sentence."""

from collections.abc import Generator

import numpy as np

from vlm_bench_sim.core.areas import WORKSPACE, Area
from vlm_bench_sim.core.command import Command, Grip, Seal, Wait
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene, footprint
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.agents.moves import Move, understood
from vlm_bench_tasks.agents.roles import Fault, Problem, StepError
from vlm_bench_tasks.agents.whereabouts import NAMED
from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.goals.placing import At, Inside, On, Within
from vlm_bench_tasks.skills import CommandFailed, Means, Skill, SkillFailed, skill_for

SETTLE = 1.0
"""How long what was lost is left to come to rest, simulated s."""

SPOTS = 12
"""Free spots of an area that are tried."""

EASY = 0.48
"""How far from the robot's base an arm reaches highest, m."""

_GRID, _GAP, _ROOM = 0.02, 0.02, 0.05  # m between spots; between things at least; beyond which more room brings nothing

Deed = Generator[Command, Snapshot, Problem | None]
"""Yields commands, is sent the snapshot after each, and returns what went wrong; None where nothing did."""


def carry_out(step: str, now: Snapshot, means: Means) -> Deed:
    """Carry out a step sentence. Nothing that it says raises; a command that failed is thrown in as `CommandFailed`."""
    try:
        move = understood(step, means.scene, now)
        yield from _first_way(move.item, ways(move, means.scene, now), now, means)
    except StepError as error:
        return error.problem
    except (SkillFailed, CommandFailed) as failed:
        return (yield from _settled(str(failed)))
    except VlmBenchError as error:
        return Problem(Fault.IMPOSSIBLE, str(error))
    return None


def _first_way(item: Prop, goals: tuple[Goal, ...], now: Snapshot, means: Means) -> Generator[Command, Snapshot, None]:
    """Reach the first of the goals that can be begun; once the robot has moved no other is tried.

    Raises:
        SkillFailed: none can, or what was begun failed.
    """
    causes = []
    for goal in goals:
        skill = skill_for(goal, now, means)
        try:
            command = next(skill)
        except StopIteration:
            return
        except SkillFailed as failed:
            causes.append(str(failed))
            continue
        yield from _once(item, skill, command, now)
        return
    raise SkillFailed(causes[0])


def _once(item: Prop, skill: Skill, command: Command, now: Snapshot) -> Generator[Command, Snapshot, None]:
    """Go on with a skill until it ends or the item slips away, which the skill would take up again.

    Raises:
        SkillFailed: it slipped away, or the skill failed.
    """
    while True:
        held = now.held == item.name
        try:
            try:
                now = yield command
            except CommandFailed as failed:
                command = skill.throw(failed)
            else:
                if held and now.held != item.name and not isinstance(command, Grip | Seal):
                    raise SkillFailed(f'{item.name} was lost on the way.')
                command = skill.send(now)
        except StopIteration:
            return


def _settled(text: str) -> Deed:
    """Let what was lost come to rest."""
    try:
        yield Wait(SETTLE)
    except CommandFailed as failed:
        text = f'{text} {failed}'
    return Problem(Fault.IMPOSSIBLE, text)


def ways(move: Move, scene: Scene, now: Snapshot) -> tuple[Goal, ...]:
    """Return the goals of which any is what a move asks for, the best first.

    Raises:
        StepError: the area has no room left.
    """
    target = move.target
    if isinstance(target, str):
        spots = free_spots(move.item, NAMED.get(target, WORKSPACE), scene, now)
        if not spots:
            raise StepError(Fault.IMPOSSIBLE, f'There is no room left in the {target}. Name another place, or clear it.')
        return tuple(At(move.item, pose, near=_GRID) for pose in spots)
    if target.ghost:
        return (Within(move.item, target),)
    return (On(move.item, target) if target.solid.cavity is None else Inside(move.item, target),)


def free_spots(item: Prop, area: Area, scene: Scene, now: Snapshot) -> list[Pose]:
    """Return poses of an upright prop in an area, clear of all other things: the roomiest first, and of those the easiest to reach."""
    half = [max(0.0, side / 2 - footprint(item)) for side in area.size]
    steps = [np.arange(-int(h / _GRID), int(h / _GRID) + 1) * _GRID for h in half]
    at = np.array([(x, y, 0.0) for x in steps[0] for y in steps[1]])
    others = [other for other in scene.now(now) if other.name != item.name]
    points = area.pose.apply(at)
    room = np.full(len(points), _ROOM)
    for other in others:
        between = np.hypot(*(points[:, :2] - np.asarray(other.pose.position[:2])).T)
        room = np.minimum(room, between - footprint(other) - footprint(item))
    far = np.abs(np.hypot(*points[:, :2].T) - EASY)
    free = [int(i) for i in np.flatnonzero(room >= _GAP)]
    free.sort(key=lambda i: (-round(float(room[i]), 2), round(float(far[i]), 6)))
    height = scene.table.top + item.size[2] / 2
    return [Pose((float(points[i, 0]), float(points[i, 1]), height)) for i in free[:SPOTS]]

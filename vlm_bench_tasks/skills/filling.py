"""Pour by the percent: tilt a vessel in small steps while the beads are counted, set it upright, top up what is missing, put it down."""

from collections.abc import Generator, Iterator
from itertools import islice
from math import atan2, cos, hypot, pi, radians, sin

import numpy as np

from vlm_bench_sim.core.command import Command, ToolPose, Wait
from vlm_bench_sim.core.constraint import upright
from vlm_bench_sim.core.matter import inside
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.filling import Filled
from vlm_bench_tasks.goals.matter import seen
from vlm_bench_tasks.goals.moving import leaning
from vlm_bench_tasks.skills.carry import let_go
from vlm_bench_tasks.skills.place_poses import EASY
from vlm_bench_tasks.skills.pour import RISE, tilted
from vlm_bench_tasks.skills.skill import CommandFailed, Skill, SkillContext, SkillFailed, skill_for
from vlm_bench_tasks.skills.tilting import SPOKES, Mouth, Pouring, mouth_of
from vlm_bench_tasks.skills.trace import traced
from vlm_bench_tasks.skills.vessel import CARRIED, TRIES, Work, eased, fullest, level, put_down

BEGUN, STEEPEST = radians(20.0), radians(125.0)
"""Tilt below which nothing flows, and the greatest one, rad."""

COARSE, FINE = radians(2.0), radians(1.0)
"""Steps of the tilt, rad: while many beads are still to flow, and near the goal. With larger ones beads fly too far."""

MANY, CLOSE = 12, 2
"""Beads still to flow beyond which steps are coarse, and up to which it is enough. None flow back, so it stops before the goal."""

LOOKING, STOPPING = 0.1, radians(20.0)
"""Time between two looks at the flowing beads, s, and by how much the vessel is tilted back at once when enough has flowed, rad."""

TOPPED = 4
"""How often the level vessel is looked at, and topped up."""

LESS = radians(4.0)
"""A top-up begins at a tilt smaller than that of the last pour by this, rad."""

ABOVE = 0.03
"""Height over the ground that a vessel which pours there must clear, m."""

ASIDE = tuple(radians(v) for v in (30.0, -30.0, 50.0, -50.0))
"""Bearings at which is poured on the ground, from that of the vessel, rad: beads roll, and must not lie where it stood."""

FREE = 0.01
"""Room between a vessel that is put down and the beads around it, m."""

SPOTS = ((0.0, 0.0), *((r * cos(k * pi / 4), r * sin(k * pi / 4)) for r in (0.06, 0.12, 0.18) for k in range(8)))
"""Where a vessel may be put down, from where it stood, m."""

CHECKED = tuple(radians(v) for v in (0.0, 30.0, 60.0, 90.0))
"""Tilts that are checked beforehand, rad."""

RIGHTED = (0.6, 0.3, 0.0)
"""Shares of the tilt on the way back to upright."""


@skill_for.register
def pour_to(goal: Filled, now: Snapshot, context: SkillContext) -> Skill:
    """Pour out of the vessel, or into it from the fullest other one, until it holds the share, and put down what was poured from.

    What is too much is poured back into the vessel that it came from, if the goal names one, else on the ground.

    Raises:
        SkillFailed: nothing else holds beads, the vessel cannot be grasped or tilted there, it was lost, or it cannot be put down.
    """
    if goal.holds(now, now):
        return now
    out = goal.missing(now) < 0
    vessel = goal.vessel if out else fullest(goal.beads.name, now, context, but=goal.vessel.name)
    if now.held not in ('', vessel.name):
        now = yield from let_go(now, context)
    receivers = goal.but if out else (goal.vessel,)
    mouths = [mouth_of(receiver.at(now.pose(receiver.name))) for receiver in receivers] or _spots(vessel, now, context)
    failed = SkillFailed(f'There is nowhere to pour from {vessel.name}.')
    for mouth in mouths:
        work = Work(goal.beads.name, vessel, mouth, CHECKED, context)
        try:
            if now.held != vessel.name:
                now = yield from work.take(now, [])
            now = yield from _pour(goal, work, now)
        except SkillFailed as error:
            failed = error
            now = yield Wait(LOOKING)
            continue
        return (yield from _stood(work, now))
    raise failed


def _spots(vessel: Prop, now: Snapshot, context: SkillContext) -> Iterator[Mouth]:
    """Yield spots on the ground to pour on, to either side of where the vessel stands, those before the robot first."""
    x, y, _ = now.pose(vessel.name).position
    for bearing in sorted((atan2(y, x) + aside for aside in ASIDE), key=abs):
        yield Mouth((EASY * cos(bearing), EASY * sin(bearing), context.scene.table.top + ABOVE), bearing)


def _more(goal: Filled, work: Work, now: Snapshot) -> int:
    """Return how many beads must still flow."""
    return goal.missing(now) * (-1 if work.vessel.name == goal.vessel.name else 1)


@traced
def _pour(goal: Filled, work: Work, now: Snapshot) -> Skill:
    """Pour from the held vessel until enough has flowed, and set it upright.

    Raises:
        SkillFailed: it cannot be carried there, or tilted far enough; or it was lost.
    """
    now = yield from level(work.vessel, now)
    in_tool = now.tool.inverse() @ now.pose(work.vessel.name)
    for pouring in islice(work.ways(work.vessel.at(in_tool), now, lips=SPOKES), TRIES):
        in_tool = now.tool.inverse() @ now.pose(work.vessel.name)
        try:
            now = yield ToolPose(pouring.pose(0.0) @ in_tool.inverse(), constraint=upright(in_tool), speed=CARRIED)
        except CommandFailed:
            continue
        tilt = BEGUN
        for _ in range(TOPPED):
            now, reached = yield from _tilt(goal, work, pouring, now=now, tilt=tilt)
            now = yield from _righted(work, pouring, now)
            if _more(goal, work, now) <= CLOSE:
                return now
            if reached is None:
                break
            tilt = reached - LESS
    over = work.mouth.name or 'the ground'
    raise SkillFailed(
        f'{work.vessel.name} cannot be tilted over {over} so far that enough flows: {_more(goal, work, now)} beads are missing.'
    )


def _tilt(
    goal: Filled, work: Work, pouring: Pouring, *, now: Snapshot, tilt: float
) -> Generator[Command, Snapshot, tuple[Snapshot, float | None]]:
    """Tilt the vessel from `tilt` on, rad, until enough has flowed, and a little back. Return the tilt reached; None: it can go no further.

    What flows is looked at all the while: one step may set many beads free.
    """
    while True:
        if tilt > STEEPEST or (went := (yield from tilted(pouring, tilt, now))) is None:
            return now, None
        now = went
        before = 1.0
        while (more := _more(goal, work, now)) > CLOSE and (left := work.left(now)) < before:
            before, now = left, (yield Wait(LOOKING))
        if more <= CLOSE:
            return (yield from tilted(pouring, max(0.0, tilt - STOPPING), now)) or now, tilt
        tilt += FINE if more <= MANY else COARSE


def _righted(work: Work, pouring: Pouring, now: Snapshot) -> Skill:
    """Lift the vessel and set it upright."""
    name = work.vessel.name
    now = yield from eased(now.tool.shifted((0.0, 0.0, RISE)), now, allowed=tuple(filter(None, (work.mouth.name,))))
    leant = leaning(now.pose(name))
    for share in RIGHTED:
        in_tool = now.tool.inverse() @ now.pose(name)
        now = yield from eased(pouring.pose(share * leant).shifted((0.0, 0.0, RISE)) @ in_tool.inverse(), now)
    return now


def _stood(work: Work, now: Snapshot) -> Skill:
    """Put the vessel down where it stood, or near there if beads lie there.

    Raises:
        SkillFailed: there is no place.
    """
    vessel, context = work.vessel, work.context
    stood, near = (context.start or now).pose(vessel.name), hypot(*vessel.size[:2]) / 2 + FREE
    centres = np.asarray(seen(now.beads, work.beads))
    outside = centres[~inside(vessel.at(now.pose(vessel.name)), centres)]
    lying = outside[np.abs(outside[:, 2] - context.scene.table.top) < vessel.size[2]]
    others = [(*now.pose(p.name).position[:2], hypot(*p.size[:2]) / 2) for p in context.scene.props if p.name != vessel.name]
    for x, y in SPOTS:
        spot = stood.shifted((x, y, 0.0))
        here = spot.position[:2]
        if (np.hypot(*(lying[:, :2] - here).T) > near).all() and all(hypot(here[0] - u, here[1] - v) > near + r for u, v, r in others):
            try:
                return (yield from put_down(vessel, spot, now, context))
            except CommandFailed:
                continue
    x, y, _ = stood.position
    raise SkillFailed(f'There is no place to put {vessel.name} down near {x:.2f}, {y:.2f}: beads lie there.')

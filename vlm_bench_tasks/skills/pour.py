"""Pour: grasp the vessel by its wall, carry it upright, tilt it over the receiver step by step, tilt it back and put it down."""

from collections.abc import Generator
from itertools import islice
from math import radians

from vlm_bench_sim.core.algebra import arccos
from vlm_bench_sim.core.command import Command, ToolPose, Wait
from vlm_bench_sim.core.constraint import upright
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.protocols import Grasp
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.matter import Poured
from vlm_bench_tasks.skills.carry import let_go
from vlm_bench_tasks.skills.skill import CommandFailed, Skill, SkillContext, SkillFailed, skill_for
from vlm_bench_tasks.skills.tilting import SPOKES, TILTS, Pouring, mouth_of
from vlm_bench_tasks.skills.trace import traced
from vlm_bench_tasks.skills.vessel import CARRIED, LIPS, TRIES, Work, eased, first, fullest, level, put_back

RISE = 0.05  # m that the vessel is lifted off the receiver before it is tilted back, since it has turned slightly in the hand
CHECKED = (0, 1, 2, 5, 8)  # indices of the tilts that are checked beforehand
EMPTY = 0.08  # share of the beads in the vessel below which it counts as empty
FLOWING = 0.25  # s between two looks at the flowing beads
GRIPS = 3  # greatest number of grips
SLIPS = radians(25.0)  # lag of the vessel behind the commanded tilt beyond which it swings between the finger pads
TILTED = 1.0  # share of the arm's speed


@skill_for.register
def pour(goal: Poured, now: Snapshot, context: SkillContext) -> Skill:
    """Pour from the vessel with the most beads until it is empty or cannot be tilted further, and put it back where it stood.

    Raises:
        SkillFailed: no other vessel holds beads, the vessel cannot be grasped or carried there, or it was lost.
    """
    vessel = fullest(goal.beads.name, now, context, but=goal.receiver.name)
    if now.held not in ('', vessel.name):
        now = yield from let_go(now, context)
    tried: list[Grasp] = []
    for grip in range(GRIPS):
        if now.held != vessel.name:
            now = yield from _work(goal, vessel, now, context).take(now, tried)
        now, emptied = yield from _empty(goal, vessel, now, context=context, lips=SPOKES if grip else LIPS)
        now = yield from put_back(vessel, now, context)
        if emptied:
            return now
    raise SkillFailed(f'Cannot pour from {vessel.name} into {goal.receiver.name}: none of {GRIPS} grasps poured enough.')


def _work(goal: Poured, vessel: Prop, now: Snapshot, context: SkillContext) -> Work:
    mouth = mouth_of(goal.receiver.at(now.pose(goal.receiver.name)))
    return Work(goal.beads.name, vessel, mouth, tuple(TILTS[i] for i in CHECKED), context)


@traced
def _empty(
    goal: Poured, vessel: Prop, now: Snapshot, *, context: SkillContext, lips: int
) -> Generator[Command, Snapshot, tuple[Snapshot, bool]]:
    """Carry the vessel upright to the receiver, tilt it while beads flow, and tilt it back. Return whether enough was poured."""
    now = yield from level(vessel, now)
    in_tool = now.tool.inverse() @ now.pose(vessel.name)
    work = _work(goal, vessel, now, context)
    for pouring in islice(work.ways(vessel.at(in_tool), now, lips=lips), TRIES):
        tools = [pouring.pose(tilt) @ in_tool.inverse() for tilt in TILTS]
        try:
            now = yield ToolPose(tools[0], constraint=upright(in_tool), speed=CARRIED)
        except CommandFailed:
            continue
        now, reached, swings = yield from _tilt(work, pouring, now)
        now = yield from eased(now.tool.shifted((0.0, 0.0, RISE)), now, allowed=(goal.receiver.name,))
        for i in sorted({i for i in CHECKED if 0 < i < reached}, reverse=True):
            now = yield from eased(tools[i].shifted((0.0, 0.0, RISE)), now)
        in_tool = now.tool.inverse() @ now.pose(vessel.name)
        now = yield from eased(pouring.pose(0.0).shifted((0.0, 0.0, RISE)) @ in_tool.inverse(), now)
        if goal.holds(now, now) or work.left(now) <= EMPTY:
            return now, True
        if swings:
            break
    return now, False


def _tilt(work: Work, pouring: Pouring, now: Snapshot) -> Generator[Command, Snapshot, tuple[Snapshot, int, bool]]:
    """Tilt the vessel until it is empty or cannot tilt further. Return the tilt index reached, and whether it swings between the pads."""
    reached, behind = 0, 0.0
    for i, tilt in enumerate(TILTS[1:], start=1):
        if (went := (yield from tilted(pouring, tilt, now))) is None:
            break
        now = went
        reached, behind = i, tilt - arccos(float(now.pose(work.vessel.name).rotation[2, 2]))
        now = yield from settled(work, now)
        if work.left(now) <= EMPTY or behind > SLIPS:
            break
    return now, reached, behind > SLIPS


def tilted(pouring: Pouring, tilt: float, now: Snapshot) -> Generator[Command, Snapshot, Snapshot | None]:
    """Tilt the held vessel to an angle, rad, and return the snapshot after it; None if the arm cannot.

    The move uses the vessel's measured pose in the hand, and goes higher if the receiver is in the way.

    Raises:
        SkillFailed: the vessel was lost.
    """
    vessel = pouring.vessel
    if now.held != vessel.name:
        raise SkillFailed(f'{vessel.name} was lost on the way.')
    hung = now.tool.inverse() @ now.pose(vessel.name)
    moves = (ToolPose(higher.pose(tilt) @ hung.inverse(), straight=True, speed=TILTED) for higher in pouring.higher())
    return (yield from first(moves))


def settled(work: Work, now: Snapshot) -> Skill:
    """Wait until no more beads leave the vessel."""
    before = 1.0
    while (left := work.left(now)) < before:
        before, now = left, (yield Wait(FLOWING))
    return now

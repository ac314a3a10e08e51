"""How to make logic words true: by the skills of what they are made of."""

from vlm_bench_sim.core.command import Wait
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.goals.logic import All, Any, Held, Never, Not, Once, Then
from vlm_bench_tasks.goals.towers import Tower
from vlm_bench_tasks.skills.clearing import cleared, hands_free
from vlm_bench_tasks.skills.skill import Dropped, Skill, SkillContext, SkillFailed, skill_for


@skill_for.register
def every_one(goal: All, now: Snapshot, context: SkillContext) -> Skill:
    """Make the parts true that are not, one after the other; what a later one undoes is made true again.

    Lower towers come before higher ones, which leave the arm less room. What lies where a part wants something put is put aside first,
    unless another part wants it there. A part that fails waits until those have been tried that move other things.

    Raises:
        SkillFailed: a part failed, and nothing else is left to do.
        Dropped: the hand let go of something on the way.
    """
    failed: list[Goal] = []
    for _ in range(2 * len(goal.parts)):
        missing = sorted(_missing(goal.parts, now, context), key=_height)
        if not missing:
            break
        part = next((part for part in missing if not any(_share(part, other) for other in failed)), missing[0])
        try:
            now = yield from cleared(part, now, context, goal.parts)
            now = yield from skill_for(part, now, context)
        except Dropped:
            raise
        except SkillFailed:
            failed.append(part)
            if all(any(_share(part, other) for other in failed) for part in missing):
                raise
            now = yield from hands_free(context)
    return now


def _height(goal: Goal) -> float:
    """Return how high the highest tower is that a goal asks for, m; 0 without one."""
    towers = [leaf for leaf in goal.leaves() if isinstance(leaf, Tower)]
    return max((sum(level[0].size[2] for level in tower.levels) for tower in towers), default=0.0)


def _share(one: Goal, other: Goal) -> bool:
    """Return whether two goals speak of one thing that moves."""
    movable = {prop.name for prop in other.props() if not (prop.fixed or prop.ghost)}
    return one == other or any(prop.name in movable for prop in one.props())


@skill_for.register
def either(goal: Any, now: Snapshot, context: SkillContext) -> Skill:
    """Make the first part true that can be.

    Raises:
        SkillFailed: none can.
    """
    causes = []
    for part in goal.parts:
        try:
            return (yield from skill_for(part, now, context))
        except SkillFailed as failed:
            causes.append(str(failed))
    raise SkillFailed(' '.join(causes))


@skill_for.register
def in_turn(goal: Then, now: Snapshot, context: SkillContext) -> Skill:
    """Make the parts true one after the other, going on after the last one that is true already."""
    missing = _missing(goal.parts, now, context)
    done = max((i for i, part in enumerate(goal.parts) if not _gate(part) and part not in missing), default=-1)
    for part in goal.parts[done + 1 :]:
        if not _gate(part):
            now = yield from skill_for(part, now, context)
    return now


@skill_for.register
def for_a_time(goal: Held, now: Snapshot, context: SkillContext) -> Skill:
    """Make it true and wait."""
    now = yield from skill_for(goal.goal, now, context)
    return (yield Wait(goal.seconds))


@skill_for.register
def at_some_time(goal: Once, now: Snapshot, context: SkillContext) -> Skill:
    """Make it true."""
    return (yield from skill_for(goal.goal, now, context))


def _missing(parts: tuple[Goal, ...], now: Snapshot, context: SkillContext) -> list[Goal]:
    return [part for part in parts if not _gate(part) and not part.holds(now, context.start or now)]


def _gate(goal: Goal) -> bool:
    """Return whether nothing can be done for it but to leave it alone."""
    return isinstance(goal, (Not, Never))

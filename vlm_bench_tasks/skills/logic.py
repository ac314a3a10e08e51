"""How to make logic words true: by the skills of what they are made of."""

from vlm_bench_sim.core.command import Wait
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.goals.logic import All, Any, Held, Never, Not, Once, Then
from vlm_bench_tasks.skills.skill import Means, Skill, SkillFailed, skill_for


@skill_for.register
def every_one(goal: All, now: Snapshot, means: Means) -> Skill:
    """Make the parts true that are not, one after the other; what a later one undoes is made true again."""
    for _ in range(2 * len(goal.parts)):
        missing = _missing(goal.parts, now, means)
        if not missing:
            break
        now = yield from skill_for(missing[0], now, means)
    return now


@skill_for.register
def either(goal: Any, now: Snapshot, means: Means) -> Skill:
    """Make the first part true that can be.

    Raises:
        SkillFailed: none can.
    """
    causes = []
    for part in goal.parts:
        try:
            return (yield from skill_for(part, now, means))
        except SkillFailed as failed:
            causes.append(str(failed))
    raise SkillFailed(' '.join(causes))


@skill_for.register
def in_turn(goal: Then, now: Snapshot, means: Means) -> Skill:
    """Make the parts true one after the other, going on after the last one that is true already."""
    missing = _missing(goal.parts, now, means)
    done = max((i for i, part in enumerate(goal.parts) if not _gate(part) and part not in missing), default=-1)
    for part in goal.parts[done + 1 :]:
        if not _gate(part):
            now = yield from skill_for(part, now, means)
    return now


@skill_for.register
def for_a_time(goal: Held, now: Snapshot, means: Means) -> Skill:
    """Make it true and wait."""
    now = yield from skill_for(goal.goal, now, means)
    return (yield Wait(goal.seconds))


@skill_for.register
def at_some_time(goal: Once, now: Snapshot, means: Means) -> Skill:
    """Make it true."""
    return (yield from skill_for(goal.goal, now, means))


def _missing(parts: tuple[Goal, ...], now: Snapshot, means: Means) -> list[Goal]:
    return [part for part in parts if not _gate(part) and not part.holds(now, means.start or now)]


def _gate(goal: Goal) -> bool:
    """Tell whether nothing can be done for it but to leave it alone."""
    return isinstance(goal, (Not, Never))

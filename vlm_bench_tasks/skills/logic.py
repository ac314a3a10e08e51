"""Skills for logic words. They use the skills of their parts."""

from vlm_bench_sim.core.command import Wait
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.goals.logic import All, Any, AtEnd, Held, Never, Not, Once, Then, of_time
from vlm_bench_tasks.goals.towers import Tower
from vlm_bench_tasks.skills.carry import landed
from vlm_bench_tasks.skills.clearing import cleared, hands_free, occupied
from vlm_bench_tasks.skills.progress import shown
from vlm_bench_tasks.skills.skill import Dropped, Skill, SkillContext, SkillFailed, skill_for

WAITS = 5
"""How often a thing is waited for that must stand still."""


@skill_for.register
def every_one(goal: All, now: Snapshot, context: SkillContext) -> Skill:
    """Make the missing parts true one after the other. A part that a later one undoes is made true again.

    What flies or rolls is waited for. Lower towers come before higher ones, which leave the arm less room, and free places before occupied
    ones. Things that obstruct a part are put aside first, unless another part wants them there. After a failure, parts that move other
    things are tried first.

    Raises:
        SkillFailed: a part failed, and nothing else is left to do.
        Dropped: the gripper dropped something on the way.
    """
    failed: list[Goal] = []
    passed: list[Goal] = []  # what happened once: the snapshots after it no longer show it
    for _ in range(2 * len(goal.parts)):
        left = [part for part in _missing(goal.parts, now, context) if part not in passed]
        missing = sorted(left, key=lambda part: (_height(part), occupied(part, now, context)))
        if not missing:
            break
        part = next((part for part in missing if not any(_share(part, other) for other in failed)), missing[0])
        now = yield from landed(part, now)
        if part.holds(now, context.start or now):
            continue
        try:
            now = yield from cleared(part, now, context, goal.parts)
            now = yield from skill_for(part, now, context)
            if isinstance(part, Once):
                passed.append(part)
        except Dropped:
            raise
        except SkillFailed:
            failed.append(part)
            if all(any(_share(part, other) for other in failed) for part in missing):
                raise
            now = yield from hands_free(context)
    return now


def _height(goal: Goal) -> float:
    """Return the height of the highest tower that a goal asks for, m; 0 without one."""
    towers = [leaf for leaf in goal.leaves() if isinstance(leaf, Tower)]
    return max((sum(level[0].size[2] for level in tower.levels) for tower in towers), default=0.0)


def _share(one: Goal, other: Goal) -> bool:
    """Return whether two goals name the same movable thing."""
    movable = {prop.name for prop in other.props() if not (prop.fixed or prop.ghost)}
    return one == other or any(prop.name in movable for prop in one.props())


@skill_for.register
def either(goal: Any, now: Snapshot, context: SkillContext) -> Skill:
    """Make the first feasible part true.

    Raises:
        SkillFailed: no part can be made true.
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
    """Make the parts true one after the other, from the one that is due (`Progress`).

    Raises:
        SkillFailed: a part was carried out and does not hold.
    """
    start = context.start or now
    for index, part in enumerate(goal.parts):
        if index < context.progress.due(goal) or _gate(part):
            continue
        if not shown(part, now, start):
            now = yield from skill_for(part, now, context)
            if not (of_time(part) or part.holds(now, start)):
                raise SkillFailed(f'It was carried out and does not hold: {part.words()}.')
        context.progress.latch(goal, index)
    return now


@skill_for.register
def for_a_time(goal: Held, now: Snapshot, context: SkillContext) -> Skill:
    """Make the goal true and wait. What must stand still all the while is waited for again after it has moved in the hand.

    Raises:
        SkillFailed: it did not come to rest.
    """
    for _ in range(WAITS):
        now = yield from skill_for(goal.goal, now, context)
        since, now = now, (yield Wait(goal.seconds))
        if not goal.still or not any(leaf.strayed(now, since) for leaf in goal.leaves()):
            return now
    raise SkillFailed(f'It did not stand still: {goal.goal.words()}.')


@skill_for.register
def at_the_end(goal: AtEnd, now: Snapshot, context: SkillContext) -> Skill:
    """Make the goal true. The expert stops once its plan holds."""
    return (yield from skill_for(goal.goal, now, context))


@skill_for.register
def at_some_time(goal: Once, now: Snapshot, context: SkillContext) -> Skill:
    """Make the goal true."""
    return (yield from skill_for(goal.goal, now, context))


def _missing(parts: tuple[Goal, ...], now: Snapshot, context: SkillContext) -> list[Goal]:
    return [part for part in parts if not _gate(part) and not part.holds(now, context.start or now)]


def _gate(goal: Goal) -> bool:
    """Return whether the goal is a gate, which needs no action."""
    return isinstance(goal, (Not, Never))

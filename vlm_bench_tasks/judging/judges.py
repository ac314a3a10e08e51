"""Which judge an episode has, by who observes the props."""

from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.judging.fold import Fold, Limits
from vlm_bench_tasks.judging.monitor import Monitor
from vlm_bench_tasks.judging.witness import Witness

TRUTH, TRACKER, PERSON, NOBODY = 'truth', 'tracker', 'person', 'nobody'
"""The words of a report's `judged_by`."""


def judge_for(judged_by: str, goal: Goal, limits: Limits) -> Fold:
    """Return the judge of an episode, before its first snapshot."""
    if judged_by in (PERSON, NOBODY):
        return Witness(goal, limits, person=judged_by == PERSON)
    return Monitor(goal, limits)

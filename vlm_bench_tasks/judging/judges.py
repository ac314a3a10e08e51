"""Which judge an episode has, by who observes the props; every episode has one, also where nobody can judge it."""

from vlm_bench_sim.core.errors import Unobservable, VlmBenchError, quoted
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.judging.asking import asking
from vlm_bench_tasks.judging.fold import Fold, Limits, Unjudgeable
from vlm_bench_tasks.judging.monitor import Monitor
from vlm_bench_tasks.judging.person_judge import PersonJudge

TRUTH, TRACKER, PERSON, NOBODY = 'truth', 'tracker', 'person', 'nobody'
"""The words of a report's `judged_by`."""

_JUDGES = (TRUTH, TRACKER, PERSON, NOBODY)


def judge_for(judged_by: str, goal: Goal, limits: Limits) -> Fold:
    """Return the judge of an episode, before its first snapshot; one that only says why, where the goal cannot be judged."""
    if judged_by not in _JUDGES:
        return Unjudgeable(f'{quoted(judged_by)} was to judge; known are {", ".join(_JUDGES)}')
    try:
        with asking():
            return PersonJudge(goal, limits, person=judged_by == PERSON) if judged_by in (PERSON, NOBODY) else Monitor(goal, limits)
    except Unobservable as error:
        return Unjudgeable(str(error))


def read_episode(text: str, judged_by: str) -> tuple[Episode | None, Fold]:
    """Return the episode that was told as JSON, and its judge; no episode, and a judge that says why, where it cannot be read."""
    try:
        episode = Episode.from_json(text)
    except VlmBenchError as error:
        return None, Unjudgeable(f'the episode cannot be read: {error}')
    return episode, judge_for(judged_by, episode.goal, Limits(episode.horizon, episode.step_limit))

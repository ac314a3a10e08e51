"""Choice of an episode's judge, by who observes the props. Every episode has one, even if it cannot be judged."""

from collections.abc import Callable

from vlm_bench_sim.core.errors import Unobservable, VlmBenchError, quoted
from vlm_bench_sim.core.scene import Scene
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.judging.asking import asking
from vlm_bench_tasks.judging.fold import Fold, Limits, Unjudgeable
from vlm_bench_tasks.judging.monitor import Monitor
from vlm_bench_tasks.judging.person_judge import PersonJudge
from vlm_bench_tasks.judging.tracker_judge import ContactGuess, TrackerJudge

TRUTH, TRACKER, PERSON, NOBODY = 'truth', 'tracker', 'person', 'nobody'
"""The values of a report's `judged_by`."""

_JUDGES = (TRUTH, TRACKER, PERSON, NOBODY)


def judge_for(judged_by: str, goal: Goal, limits: Limits, guess: ContactGuess | None = None) -> Fold:
    """Return the judge of an episode, before its first snapshot. If the goal cannot be judged, it only reports the reason.

    Args:
        judged_by: one of the values of a report's field.
        goal: of the episode.
        limits: of the episode.
        guess: tells contacts where a tracker observes; None: clauses that need contacts are then unobservable.
    """
    if judged_by not in _JUDGES:
        return Unjudgeable(f'there is no judge called {quoted(judged_by)}; known are {", ".join(_JUDGES)}')
    try:
        with asking():
            if judged_by in (PERSON, NOBODY):
                return PersonJudge(goal, limits, person=judged_by == PERSON)
            return TrackerJudge(goal, limits, guess=guess) if judged_by == TRACKER and guess else Monitor(goal, limits)
    except Unobservable as error:
        return Unjudgeable(str(error))


def read_episode(text: str, judged_by: str, guess: Callable[[Scene], ContactGuess] | None = None) -> tuple[Episode | None, Fold]:
    """Return the episode from JSON, and its judge. If it cannot be read: None, and a judge that reports the reason.

    `guess` returns what tells the contacts in a scene, where a tracker observes.
    """
    try:
        episode = Episode.from_json(text)
    except VlmBenchError as error:
        return None, Unjudgeable(f'the episode cannot be read: {error}')
    told = guess(episode.scene) if guess and judged_by == TRACKER else None
    return episode, judge_for(judged_by, episode.goal, Limits(episode.horizon, episode.step_limit), told)

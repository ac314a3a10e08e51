"""Reports of policies that nobody played, and reports that somebody altered."""

from vlm_bench_tasks.evaluation.report import Conditions, EvaluationReport, TaskConditions
from vlm_bench_tasks.evaluation.summary import groups, summed
from vlm_bench_tasks.result import Result

TASK, FIRST = 'vlmbench/pick_place', 100_000


def made(solved: str, policy: str = 'still', *, options=None, code='', isolation='none', **conditions) -> EvaluationReport:
    """A report with an episode for each letter: + solved, - failed, ? unobservable."""
    verdicts = {'+': ('success', ()), '-': ('failure', ('stopped',)), '?': ('unobservable', ('bench: lost',))}
    episodes = tuple(
        Result(
            task=TASK, axis='color', split='seen', seed=FIRST + number, verdict=verdicts[one][0], causes=verdicts[one][1],
            score=100.0 if one == '+' else 0.0, state_hash=f'{number:02}',
        )
        for number, one in enumerate(solved)
    )  # fmt: skip
    task = TaskConditions(task=TASK, revision=2, robot='panda', axes=('color',), splits=('seen',), horizon=60.0, step_limit=0)
    kept = {
        'tasks': (task,), 'seeds': (FIRST, FIRST + len(solved)), 'purpose': 'test', 'cameras': 'none', 'size': '256x256',
        'answer_seconds': 60.0, 'versions': ('vlm_bench=1', 'engine=pybullet', 'renderer=none'),
    }  # fmt: skip
    played = Conditions.model_validate(kept | conditions)
    return EvaluationReport(
        policy=policy, code=code, options=options or {}, isolation=isolation, conditions=played, decides=played.decides,
        groups=groups(episodes), overall=summed(episodes), episodes=episodes, bench='0123456789ab',
    )  # fmt: skip


def altered(report: EvaluationReport, number: int, **update) -> EvaluationReport:
    """The same report with another episode of this number, and sums that follow."""
    episodes = list(report.episodes)
    episodes[number] = Result.model_validate(dict(episodes[number]) | update)
    return report.model_copy(update={'episodes': tuple(episodes), 'groups': groups(episodes), 'overall': summed(episodes)})


def under(report: EvaluationReport, **update) -> EvaluationReport:
    """The same report under other conditions."""
    conditions = report.conditions.model_copy(update=update)
    return report.model_copy(update={'conditions': conditions, 'decides': conditions.decides})

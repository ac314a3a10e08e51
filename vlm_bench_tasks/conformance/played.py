"""Checks that play episodes of a task."""

from collections.abc import Iterator
from math import degrees, radians
from statistics import median

from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.rest import REST
from vlm_bench_sim.core.snapshot import ROBOT
from vlm_bench_sim.core.timing import CONTROL_HZ, PERIOD_S
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.conformance.subject import Subject
from vlm_bench_tasks.judging.statistics import trend

STRAYED, TILTED = 0.01, radians(5.0)
"""Largest distance of a prop from its initial pose, m and rad."""

LOW, RISES = 0.25, 0.8
"""Highest dense reward at the start, and least rank correlation of it with time in the median episode of the expert."""


def settles(subject: Subject) -> Iterator[str]:
    """Check that every scene comes to rest at its initial poses, has not moved a second later, and is not touched by the robot."""
    for case in subject.played:
        scene = subject.episode(case).scene
        try:
            now = subject.bench.world.load(scene)
            for _ in range(CONTROL_HZ):
                before, now = now, subject.bench.world.step()
        except SceneError as error:
            yield f'{error} ({case})'
            continue
        if met := sorted(name for two in now.touching for name in two if ROBOT in two and name not in (ROBOT, now.held)):
            yield f'the robot touches {", ".join(met)} at its home ({case})'
        for prop in scene.props:
            body = now.body(prop.name)
            if not REST.lies_still(body, before.body(prop.name), PERIOD_S):
                yield f'{prop.name} still moves after a second ({case})'
            strayed, turned = body.pose.distance(prop.pose), body.pose.angle(prop.pose)
            if now.held != prop.name and (strayed > STRAYED or turned > TILTED):
                yield f'{prop.name} came to rest {1000 * strayed:.0f} mm and {degrees(turned):.0f}° from its initial pose ({case})'


def solvable(subject: Subject) -> Iterator[str]:
    """Check that the expert succeeds."""
    runs = {case: run for case, (run, _) in subject.solved.items()}
    failed = {case: run for case, run in runs.items() if run.report.verdict is not Verdict.SUCCESS}
    if len(runs) - len(failed) < catalogue.due(subject.task, subject.name).cell * len(runs):
        for case, run in failed.items():
            why = '; '.join((*run.report.causes, *run.failures[-1:]))
            yield f'the oracle fails: {why} ({case})'


def rewarded(subject: Subject) -> Iterator[str]:
    """Check that the dense reward is low at the start, and that it rises in the median of the episodes that the expert solves."""
    runs = {case: run for case, (run, _) in subject.solved.items() if run.report.verdict is Verdict.SUCCESS}
    for case, run in runs.items():
        if run.rewards[0] > LOW:
            yield f'the dense reward is {run.rewards[0]:.2f} before anything is done; at most {LOW:g} is allowed ({case})'
    trends = {case: trend(run.rewards) or 0.0 for case, run in runs.items()}
    if trends and (middle := median(trends.values())) < RISES:
        worst = min(trends, key=lambda case: trends[case])
        found = f'{middle:.2f} in the median episode, and {trends[worst]:.2f} at worst ({worst})'
        yield f'the rank correlation of the dense reward with time is {found}; at least {RISES:g} in the median is required'


def not_by_waiting(subject: Subject) -> Iterator[str]:
    """Check that a policy that stands still never succeeds, and one that moves at random almost never."""
    cases = list(subject.played)
    for by, allowed in (('still', 0.0), ('random', subject.task.luck)):
        won = [case for case in cases if subject.play(case, by).report.verdict is Verdict.SUCCESS]
        if len(won) > allowed * len(cases):
            yield f'the policy {by} succeeds in {len(won)} of {len(cases)} episodes ({won[0]})'


def judged_again(subject: Subject) -> Iterator[str]:
    """Check that judging a recorded episode again from its bag gives the live result."""
    for case, (run, judgement) in subject.solved.items():
        if not judgement.agrees:
            again, live = judgement.report.verdict.value, run.report.verdict.value
            yield f'judging its bag again gives {again} {"; ".join(judgement.report.causes)}; the live result is {live} ({case})'
        elif judgement.hashes != run.hashes:
            yield f'its bag holds other states than the run ({case})'

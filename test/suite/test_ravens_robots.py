"""LoHoRavens on robots other than its own: the expert plays a primitive, a match and a tower on each of them, to the end."""

import pytest

from test.plays import bench
from vlm_bench_sim import profiles
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.policies import policy

OTHERS = ('panda', 'panda_vacuum', 'xarm6', 'fr3')
TASKS = ('pick_and_place', 'match_bowls', 'stack_alternate')
SEED = 100_000


def test_these_are_all_the_others():
    own = {catalogue.task(name).robot for name in catalogue.chosen('lohoravens')}
    assert own | set(OTHERS) == set(profiles.robots())


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize('task', TASKS)
@pytest.mark.parametrize('robot', OTHERS)
def test_the_expert_plays_on_any_robot(robot, task):
    run = bench(robot).run(catalogue.build(f'lohoravens/{task}', 'test', SEED), policy('oracle'))
    assert (run.report.verdict, run.report.score) == (Verdict.SUCCESS, 100.0), run.failures

"""The expert goes on from wherever another has left things: in the middle of another plan, with the wrong thing in its hand.

It clears nothing away: what another plan has let fall across the goal, or against what shall be taken, stays there.
"""

from dataclasses import replace
from functools import cache

import pytest

from test.plays import Film
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.command import Command, Stop
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.policy import Outcome, Player
from vlm_bench_tasks.run import Bench

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@cache
def _bench(robot: str) -> Bench:
    return Bench(robot)


class ChangedMind(Player):
    """Follows the last alternative, of another thing to another place, until it has taken hold of that; then the plan.

    Attributes:
        took_over: simulated s at which the plan's turn came; -1: it has not come.
    """

    privileged = True

    def __init__(self) -> None:
        self.wrong, self.right = Oracle(), Oracle()
        self.took_over = -1.0

    @property
    def failures(self) -> list[str]:
        return self.right.failures

    def reset(self, context) -> None:
        self.right.reset(context)
        plan = (context.privileged_info.plan, *context.privileged_info.alternatives)[-1]
        self.wrong.reset(replace(context, privileged_info=replace(context.privileged_info, plan=plan)))

    def act(self, observation) -> Command:
        if self.took_over < 0:
            command = self.wrong.act(observation)
            if not isinstance(command, Stop) and not observation.truth.held:
                return command
            self.took_over = observation.seconds
            observation = replace(observation, outcome=Outcome())
        return self.right.act(observation)


@pytest.mark.parametrize('task', catalogue.tasks())
def test_a_plan_is_taken_up_in_the_middle_of_another(task):
    player, film = ChangedMind(), Film()
    run = _bench(catalogue.task(task).robot).run(catalogue.build(task, '', 1), player, film)
    assert run.report.verdict is Verdict.SUCCESS, (player.took_over, run.report.causes, run.failures)
    assert player.took_over > 0 and film.snapshots[round(20 * player.took_over)].held, 'it was to have something in its hand'

"""The policies that make a score mean something: none listens, so none may be good."""

from dataclasses import replace

import numpy as np
import pytest

from test.plays import Film, bench, episode
from vlm_bench_sim.core.codec import dumps
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.command import Stop, ToolPose
from vlm_bench_sim.core.errors import TaskError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.profiles import robot
from vlm_bench_tasks.judging.monitor import Limits, judge
from vlm_bench_tasks.policies import policies, policy
from vlm_bench_tasks.policies.language_ablations import first
from vlm_bench_tasks.policies.random_policy import HIGH, LASTS, LOW, STEP, TURN
from vlm_bench_tasks.policy import EpisodeContext, Observation, PrivilegedInfo

NOTHING = Observation(0.0, {}, Pose(), 0.08)


def context(seed: int = 0, **change) -> EpisodeContext:
    given = episode()
    privileged_info = PrivilegedInfo(given.scene, given.goal, bench().planner, given.alternatives)
    return replace(EpisodeContext(given.instruction.text, robot('panda'), privileged_info, seed), **change)


def test_every_policy_has_its_name():
    names = ('oracle', 'still', 'random', 'dawdle', 'oracle_blind', 'language_ignored', 'picture_blind', 'creep', 'stop_and_go')
    assert policies() == names
    assert [name for name in names if not policy(name).privileged] == ['still', 'random']
    with pytest.raises(TaskError, match='Did you mean random'):
        policy('rndom')


def commands(seed: int, count: int = 60, **change) -> list:
    player = policy('random')
    player.reset(context(seed, **change))
    return [player.act(NOTHING) for _ in range(count)]


def test_chance_takes_small_steps_above_the_table_and_the_same_ones_for_the_same_seed():
    tool = Pose.from_rpy((0.5, 0.0, 0.2), (np.pi, 0.0, 0.0))
    player = policy('random')
    player.reset(context(3))
    drawn = [player.act(replace(NOTHING, tool=tool)) for _ in range(60)]
    assert commands(3) == commands(3) != commands(4)
    poses = [command.pose for command in drawn if isinstance(command, ToolPose)]
    assert 20 < len(poses) < 55
    steps = np.array([np.subtract(pose.position, tool.position) for pose in poses])
    assert np.abs(steps).max() <= STEP and np.all(steps.min(axis=0) < -STEP / 2) and np.all(steps.max(axis=0) > STEP / 2)
    assert 0.0 < max(pose.angle(tool) for pose in poses) <= 2 * TURN
    assert {command.opening for command in drawn if isinstance(command, Grip)} == {0.0, 0.08}


def test_chance_does_not_leave_the_table():
    for tool in (Pose((9.0, 9.0, 9.0)), Pose((-9.0, -9.0, -9.0))):
        player = policy('random')
        player.reset(context())
        drawn = [player.act(replace(NOTHING, tool=tool)) for _ in range(9)]
        assert {command.pose.position for command in drawn if isinstance(command, ToolPose)} <= {LOW, HIGH}


def test_chance_sucks_where_the_hand_has_cups():
    assert {command.on for command in commands(0, profile=robot('panda_vacuum')) if isinstance(command, Seal)} == {True, False}


def test_chance_ends():
    player = policy('random')
    player.reset(context())
    assert player.act(replace(NOTHING, seconds=LASTS - 0.05)) != Stop()
    assert player.act(replace(NOTHING, seconds=LASTS)) == Stop()


def test_the_blind_expert_follows_each_alternative_sometimes_and_the_plan_never():
    followed = set()
    for seed in range(40):
        player = policy('oracle_blind')
        player.reset(context(seed))
        followed.add(player._plan)
    assert followed == set(episode().alternatives)


def test_the_blind_expert_does_nothing_where_no_other_sentence_is_true():
    player = policy('oracle_blind')
    player.reset(context(privileged_info=PrivilegedInfo(episode().scene, episode().goal, bench().planner)))
    assert player.act(NOTHING) == Stop()


def test_who_ignores_language_follows_the_first_plan_whichever_was_asked_for():
    every = (episode().goal, *episode().alternatives)
    for i, plan in enumerate(every):
        others = every[:i] + every[i + 1 :]
        assert first((plan, *others)) == min(every, key=dumps)


def test_the_blind_expert_solves_another_sentence():
    film, player = Film(), policy('oracle_blind')
    run = bench().run(replace(episode(), horizon=30.0), player, film)
    assert run.report.verdict is Verdict.FAILURE
    assert run.report.causes == ('stopped',)
    assert judge(player._plan, Limits(30.0), film.snapshots).verdict is Verdict.SUCCESS


def test_chance_fails():
    run = bench().run(replace(episode(), horizon=5.0), policy('random'))
    assert (run.report.verdict, run.report.assistance) == (Verdict.FAILURE, ())


@pytest.mark.parametrize('name', ['creep', 'stop_and_go'])
def test_what_leads_past_a_number_stops_at_once_where_none_is_asked_for(name):
    player = policy(name)
    player.reset(context())
    assert player.act(NOTHING) == Stop()

"""Pick and place by points: what is taken at one point of a surface stands on another afterwards, and no truth is used."""

from dataclasses import replace

import numpy as np
import pytest
from tabletop import table, thing

from test.plays import bench
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.command import Stop
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.perturbation import Perturbation
from vlm_bench_tasks.agents.actor import Doing
from vlm_bench_tasks.agents.points import Touch, carry, seen_at
from vlm_bench_tasks.agents.roles import StepFault
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.goals.placing import At, On
from vlm_bench_tasks.language.sentences import Instruction
from vlm_bench_tasks.policy import Player

RED, BLUE = thing('red block', (0.42, -0.2)).at(Pose.from_rpy((0.42, -0.2, 0.02), (0, 0, 0.6))), thing('big blue block', (0.45, 0.15))
TOP = (0.42, -0.2, 0.04)


class Points(Player):
    """A policy that is told no more than any other, and carries what is at one point to another."""

    def __init__(self, pick, place, height=0.04):
        self.asked = Touch(pick), Touch(place), height

    def reset(self, context):
        assert context.privileged_info is None
        pick, place, height = self.asked
        self.doing = Doing(carry(pick, place, height=height, profile=context.profile), lambda now: now)

    def act(self, now):
        assert now.truth is None
        return self.doing.act(now) or Stop()


def played(policy, goal, robot, **more):
    episode = Episode(table(RED, BLUE), goal, Instruction('Go.'), task='agents/test', split='test', seed=1, horizon=40.0)
    return bench(robot).run(replace(episode, **more), policy).report


@pytest.mark.parametrize('robot', ['panda', 'ur5e'])
def test_a_block_is_put_on_a_point_of_the_table_and_on_a_block(robot):
    beside = Points(TOP, (0.40, 0.0, 0.0))
    report = played(beside, At(RED, Pose((0.40, 0.0, 0.02)), near=0.01), robot)
    assert (report.verdict, beside.doing.problem, report.assistance) == (Verdict.SUCCESS, None, ())
    on_top = Points(TOP, (0.45, 0.15, 0.06))
    assert (played(on_top, On(RED, BLUE), robot).verdict, on_top.doing.problem) == (Verdict.SUCCESS, None)


@pytest.mark.parametrize('robot', ['panda', 'ur5e'])
def test_a_gripper_that_closes_on_nothing_is_noticed_without_truth(robot):
    nothing = Points((0.42, 0.0, 0.04), (0.40, 0.1, 0.0))
    assert played(nothing, On(RED, BLUE), robot).verdict is Verdict.FAILURE
    assert (nothing.doing.problem.fault, 'closed on nothing' in nothing.doing.problem.text) == (StepFault.PICK_FAILED, True)


def test_what_slips_away_on_the_way_is_noticed_without_truth():
    slipping = Points(TOP, (0.45, 0.15, 0.06))
    report = played(slipping, On(RED, BLUE), 'ur5e', perturbation=Perturbation(drop_rate=1.0))
    assert report.drops == 1
    assert slipping.doing.problem.fault is StepFault.LOST


def test_a_point_out_of_reach_is_told_by_where_it_is():
    far, out = Points((1.6, 0.0, 0.04), TOP), Points(TOP, (1.6, 0.0, 0.0))
    assert played(far, On(RED, BLUE), 'ur5e').verdict is played(out, On(RED, BLUE), 'ur5e').verdict is Verdict.FAILURE
    assert (far.doing.problem.fault, out.doing.problem.fault) == (StepFault.PICK_FAILED, StepFault.PLACE_FAILED)


def test_the_table_itself_is_nothing_to_take():
    flat = Points((0.42, 0.0, 0.0), TOP, height=0.0)
    played(flat, On(RED, BLUE), 'ur5e')
    assert flat.doing.problem.fault is StepFault.ABSENT


def test_a_pixel_is_the_point_that_it_shows():
    depth = np.zeros((40, 60), np.float32)
    depth[10, 50] = 0.5
    intrinsics = np.array([[100.0, 0.0, 29.5], [0.0, 100.0, 19.5], [0.0, 0.0, 1.0]])
    camera = Pose.from_rpy((0.5, 0.0, 0.6), (np.pi, 0.0, 0.0))
    seen = seen_at(50, 10, depth, intrinsics=intrinsics, camera=camera)
    assert seen == pytest.approx((0.5 + 20.5 / 100 * 0.5, 9.5 / 100 * 0.5, 0.1))
    for column, row, says in ((0, 0, 'shows nothing'), (60, 0, 'outside'), (-1, 0, 'outside'), (0, 40, '60 x 40')):
        with pytest.raises(CommandError, match=says):
            seen_at(column, row, depth, intrinsics=intrinsics, camera=camera)

"""What a pick-and-place request asks for, in words, by points or both: it is done, and what cannot be understood says so."""

from dataclasses import replace
from math import pi

import pytest
from tabletop import first, table, thing

from test.plays import Film, bench
from vlm_bench_sim.core.areas import WORKSPACE
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.command import Stop
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.scene import RobotStart
from vlm_bench_tasks.agents.moves import item_at, item_said, target_said
from vlm_bench_tasks.agents.points import Touch
from vlm_bench_tasks.agents.requests import Request, Work, doing
from vlm_bench_tasks.agents.roles import StepError, StepFault
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.goals.logic import all_of
from vlm_bench_tasks.goals.placing import At, Inside, On, Within
from vlm_bench_tasks.language.sentences import Instruction
from vlm_bench_tasks.policy import Outcome, Player
from vlm_bench_tasks.skills import SkillContext

RED, BLUE, BOWL = thing('red block', (0.42, -0.2)), thing('blue block', (0.45, 0.05)), thing('red bowl', (0.42, 0.25))
SCENE = table(RED, BLUE, BOWL)
TOP, FREE = Touch((0.42, -0.2, 0.04)), Touch((0.55, -0.1, 0.0))


ON_TOP = Pose.from_rpy((0.0, 0.0, 0.02), (pi, 0.0, 0.0))


def episode(goal, scene=SCENE):
    return Episode(scene, goal, Instruction('Go.'), task='agents/test', split='test', seed=1, horizon=60.0)


class Requested(Player):
    """A policy that does one request and stops; it is told a secret only where words are looked up."""

    def __init__(self, asked):
        self.asked, self.privileged, self.doing = asked, asked.privileged, None

    def reset(self, context):
        self.skill_context = SkillContext(context.profile, SCENE, context.privileged_info.planner if context.privileged_info else None)

    def act(self, now):
        self.doing = self.doing or doing(self.asked, now, self.skill_context)
        return self.doing.act(now) or Stop()


class Twice(Player):
    """Does two requests, one after the other, as the node does, and stops."""

    def __init__(self, *asked):
        self.asked, self.privileged, self.problems = list(asked), any(each.privileged for each in asked), []
        self.work = None

    def reset(self, context):
        self.skill_context = SkillContext(context.profile, SCENE, context.privileged_info.planner if context.privileged_info else None)

    def act(self, now):
        while True:
            self.work = self.work or Work(self.asked.pop(0), self.skill_context, taken=None, closed=lambda: None)
            command = self.work.act(now)
            if command is not None:
                return command
            self.problems.append(self.work.problem and self.work.problem.fault)
            if not self.asked:
                return Stop()
            self.work, now = (
                Work(self.asked.pop(0), self.skill_context, taken=self.work.taken, closed=lambda: None),
                replace(now, outcome=Outcome()),
            )


@pytest.mark.parametrize(
    ('asked', 'goal'),
    [
        (Request('', '', 'Put the red block on the blue block.'), On(RED, BLUE)),
        (Request('The red block', 'the blue block'), On(RED, BLUE)),
        (Request(TOP, 'the blue block'), On(RED, BLUE)),
        (Request('the red block', FREE), At(RED, Pose((0.55, -0.1, 0.02)), near=0.02)),
        (Request(TOP, FREE), At(RED, Pose((0.55, -0.1, 0.02)), near=0.02)),
        (Request(TOP, FREE, height=0.04), At(RED, Pose((0.55, -0.1, 0.02)), near=0.02)),
    ],
    ids=['sentence', 'words', 'point and words', 'words and point', 'points', 'points and height'],
)
def test_the_block_is_brought_there(asked, goal):
    policy = Requested(asked)
    report = bench('ur5e').run(episode(goal), policy).report
    assert (report.verdict, policy.doing.problem) == (Verdict.SUCCESS, None)


def test_what_words_do_not_ask_for_is_put_aside_first():
    held = replace(SCENE, robot=RobotStart(held=RED.name, grasp=ON_TOP))
    goal = all_of(Inside(BLUE, BOWL), Within(RED, WORKSPACE))
    policy = Twice(Request('the blue block', 'the red bowl'))
    report = bench('ur5e').run(episode(goal, held), policy).report
    assert (report.verdict, policy.problems) == (Verdict.SUCCESS, [None])


def test_what_points_could_not_put_down_goes_back_where_it_was_taken_first():
    """Nobody reaches as far as the first request asks."""
    beside = Touch((0.45, 0.05, 0.04)), FREE
    policy, film = Twice(Request(TOP, Touch((1.6, 0.0, 0.0))), Request(*beside)), Film()
    report = bench('ur5e').run(episode(At(BLUE, Pose((0.55, -0.1, 0.02)), near=0.02)), policy, film).report
    assert (report.verdict, policy.problems, report.assistance) == (Verdict.SUCCESS, [StepFault.PLACE_FAILED, None], ())
    assert film.snapshots[-1].pose(RED.name).position == pytest.approx((0.42, -0.2, 0.02), abs=0.01)


def test_words_anywhere_are_a_privilege_and_points_alone_are_none():
    told = [Request('', '', 'x'), Request('a', 'b'), Request('a', FREE), Request(TOP, 'b'), Request(TOP, FREE)]
    assert [asked.privileged for asked in told] == [True, True, True, True, False]


@pytest.mark.parametrize(
    ('text', 'fault'),
    [
        ('', StepFault.EMPTY), ('x' * 400, StepFault.TOO_LONG), ('what is nice and blue', StepFault.NONSENSE),
        ('the golden block', StepFault.ABSENT), ('the block', StepFault.AMBIGUOUS), ('the red bowl', StepFault.IMPOSSIBLE),
    ],
)  # fmt: skip
def test_words_for_no_one_thing_are_told_by_their_kind(text, fault):
    with pytest.raises(StepError) as told:
        item_said(text, SCENE, first(SCENE))
    assert told.value.fault is fault


def test_a_place_is_a_thing_or_a_spot():
    now = first(SCENE)
    assert target_said('the red bowl', SCENE, now) == BOWL
    assert target_said('The top left.', SCENE, now) == 'top left area'
    for text, fault in (('over there somewhere nice', StepFault.NONSENSE), ('the red zone', StepFault.ABSENT)):
        with pytest.raises(StepError) as told:
            target_said(text, SCENE, now)
        assert told.value.fault is fault


def test_a_point_means_the_thing_that_has_it():
    now = first(SCENE)
    assert item_at((0.42, -0.2, 0.04), SCENE, now) == RED
    assert item_at((0.475, 0.05, 0.04), SCENE, now) == BLUE, 'within a centimetre'
    for point in ((0.42, 0.0, 0.04), (0.42, 0.25, 0.01)):
        with pytest.raises(StepError, match='nothing to take at'):
            item_at(point, SCENE, now)

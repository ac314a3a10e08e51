"""A skill starts from any state, and tries another way when a command fails."""

from dataclasses import replace

import numpy as np
import pytest

from test.films import Flag
from test.plays import Hopeless, Spy, bench, episode
from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip
from vlm_bench_sim.core.protocols import Feasibility
from vlm_bench_sim.core.snapshot import Body
from vlm_bench_tasks.skills import CommandFailed, SkillContext, SkillFailed, skill_for
from vlm_bench_tasks.skills.carry import HOPELESS, TRIES
from vlm_bench_tasks.skills.grasping import APPROACH, LIFT
from vlm_bench_tasks.skills.place_poses import ABOVE


@pytest.fixture(scope='module')
def now():
    return bench().world.load(episode().scene)


@pytest.fixture(scope='module')
def skill_context() -> SkillContext:
    return SkillContext(bench().profile, episode().scene, bench().planner)


@pytest.fixture
def goal():
    return episode().goal


def holding(now, name: str):
    """The same state with that prop in the gripper, 10 cm up."""
    tool = Pose.from_rpy((0.45, 0.0, 0.25), (np.pi, 0.0, 0.0))
    held = tool @ Pose((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
    return replace(now, held=name, tool=tool, opening=0.05, bodies=now.bodies | {name: Body(held)})


def test_it_begins_above_the_prop_and_goes_straight_down(now, skill_context, goal):
    skill = skill_for(goal, now, skill_context)
    there = now.pose(goal.prop.name)
    approach = next(skill)
    assert isinstance(approach, ToolPose)
    assert not approach.straight
    assert approach.allowed == ()
    width = skill.send(now)
    assert isinstance(width, Grip)
    down = skill.send(now)
    assert (down.straight, down.allowed) == (True, (goal.prop.name,))
    assert np.allclose((down.pose @ Pose((0.0, 0.0, -APPROACH))).position, approach.pose.position)
    assert down.pose.distance(there) < 0.03
    assert skill.send(now) == Grip(0.0)
    lift = skill.send(replace(now, tool=down.pose, held=goal.prop.name))
    assert lift.pose.position == pytest.approx(down.pose.shifted((0.0, 0.0, LIFT)).position)


def test_what_is_already_held_is_not_picked_again(now, skill_context, goal):
    first = next(skill_for(goal, holding(now, goal.prop.name), skill_context))
    x, y, _ = now.pose(goal.container.name).position
    assert isinstance(first, ToolPose)
    assert np.hypot(first.pose.position[0] - x, first.pose.position[1] - y) < 0.03
    assert first.pose.position[2] > ABOVE


def test_something_else_in_the_gripper_is_let_go_first(now, skill_context, goal):
    skill = skill_for(goal, holding(now, 'object_2'), skill_context)
    opened = next(skill)
    assert opened == Grip(pytest.approx(0.07))
    away = skill.send(holding(now, 'object_2'))
    assert (away.straight, away.allowed) == (True, ('object_2',))
    assert away.pose.position[2] == pytest.approx(0.25 + APPROACH)


def test_a_command_that_failed_makes_it_try_another_grasp(now, skill_context, goal):
    skill = skill_for(goal, now, skill_context)
    tried = [next(skill)]
    for _ in range(TRIES - 1):
        assert skill.throw(CommandFailed('The arm left its path.')) == Grip(bench().profile.gripper.max_opening)
        tried.append(skill.send(now))
    assert len({command.pose for command in tried}) == TRIES
    assert isinstance(skill.throw(CommandFailed('The arm left its path.')), Grip)
    with pytest.raises(SkillFailed, match='Cannot pick up object_1: The arm left its path; '):
        skill.send(now)


def test_a_prop_lost_on_the_way_is_said_to_be_lost(now, skill_context, goal):
    skill = skill_for(goal, holding(now, goal.prop.name), skill_context)
    next(skill)
    with pytest.raises(SkillFailed, match='lost on the way'):
        skill.send(replace(holding(now, goal.prop.name), held=''))


def test_it_gives_up_where_nothing_can_be_put_down(now, goal):
    class Nowhere(Spy):
        def check(self, request, chain):
            return Feasibility(feasible=False, cost=0.0, reason='out of reach')

    skill_context = SkillContext(bench().profile, episode().scene, Nowhere(bench().planner))
    with pytest.raises(SkillFailed, match='0 ways looked feasible'):
        next(skill_for(goal, holding(now, goal.prop.name), skill_context))
    with pytest.raises(SkillFailed, match='out of reach'):
        next(skill_for(goal, now, skill_context))


def test_a_grasp_must_leave_a_way_into_the_container(now, goal):
    """Where every pose over the container is refused, no prop is picked up at all, and few grasps are tried."""
    tried = []

    class ContainerBlocked(Spy):
        def check(self, request, chain):
            blocked = request.held is not None
            tried.extend([] if blocked else [chain])
            return Feasibility(feasible=not blocked, cost=1.0, reason='blocked')

    skill_context = SkillContext(bench().profile, episode().scene, ContainerBlocked(bench().planner))
    with pytest.raises(SkillFailed, match='with this grasp there is no way to put the object down'):
        next(skill_for(goal, now, skill_context))
    assert len(tried) == HOPELESS < len(bench().planner.grasps(goal.prop))


def test_checks_count_the_held_prop_as_held(now, skill_context, goal):
    class Listening(Hopeless):
        def check(self, request, chain):
            self.requests.append((request, chain))
            return Feasibility(feasible=True, cost=1.0)

    ears = Listening(bench().planner)
    asking = SkillContext(skill_context.profile, skill_context.scene, ears)
    chain = (ToolPose(Pose((0.5, 0.0, 0.3)), allowed=('b',)), ToolPose(Pose((0.5, 0.0, 0.2)), allowed=('a',)))
    asking.check(now, chain, held=goal.prop.at(Pose((0.0, 0.0, 0.1))), opening=0.03)
    request, asked = ears.requests[0]
    assert goal.prop.name not in {prop.name for prop in request.obstacles}
    assert request.held.pose.position == (0.0, 0.0, 0.1)
    assert request.opening == 0.03
    assert {target.allowed for target in asked} == {('a', 'b')}


def test_a_goal_without_a_skill_says_so(now, skill_context):
    with pytest.raises(SkillFailed, match='No skill makes Flag true'):
        skill_for(Flag('a'), now, skill_context)

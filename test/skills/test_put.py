"""What a skill does around a prop that it puts down: waits while it rocks, gets away from it, and leans long things the safe way."""

from dataclasses import replace
from math import pi

import numpy as np
import pytest

from test.films import BLUE, CUBE, IN_TRAY, RED, TRAY, snapshot
from vlm_bench_sim import profiles
from vlm_bench_sim.core.command import ToolPose, Wait
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip
from vlm_bench_sim.core.objects.models import model
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.protocols import Feasibility, Grasp
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Body, JointState, pair
from vlm_bench_tasks.goals.placing import Inside
from vlm_bench_tasks.skills import CommandFailed, SkillContext, SkillFailed, carry
from vlm_bench_tasks.skills.carry import LOOK, LOOKS
from vlm_bench_tasks.skills.clearing import hands_free
from vlm_bench_tasks.skills.grasping import APPROACH
from vlm_bench_tasks.skills.place_poses import place_poses


class Willing:
    """A planner that finds everything in reach."""

    def grasps(self, _prop):
        return ()

    def check(self, _request, _chain):
        return Feasibility(True, 1.0)


MEANS = SkillContext(profiles.robot('panda'), Scene((CUBE, TRAY)), Willing())
INSIDE = Inside(CUBE, TRAY)
TOOL = Pose.from_rpy((0.5, 0.2, 0.1), (pi, 0.0, 0.0))


def rocking(i: int, *, by: float = 0.01):
    """The cube in the tray, swaying to and fro."""
    there = snapshot(i * 5, cube=IN_TRAY.shifted((by * (i % 2), 0.0, 0.0)), linear=(0.2, 0.0, 0.0))
    return replace(there, tool=TOOL)


def test_what_lies_still_is_not_waited_for():
    with pytest.raises(StopIteration):
        next(carry.come_to_rest(INSIDE, snapshot(cube=IN_TRAY), MEANS))


def test_what_rocks_is_waited_for_until_it_lies_still():
    waiting = carry.come_to_rest(INSIDE, rocking(0), MEANS)
    assert next(waiting) == Wait(LOOK)
    assert waiting.send(rocking(1)) == Wait(LOOK)
    assert waiting.send(rocking(2)) == Wait(LOOK)
    with pytest.raises(StopIteration):
        waiting.send(rocking(4))  # it has not moved since, whatever the solver says


@pytest.mark.parametrize('done', [True, False])
def test_what_never_stops_is_a_failure_where_nothing_else_is_missing(done):
    goal = INSIDE if done else Inside(CUBE, replace(TRAY, name='other', pose=TRAY.pose.shifted((0.3, 0.0, 0.0))))

    def at(i):
        return replace(rocking(i), bodies=rocking(i).bodies | {'other': Body(TRAY.pose.shifted((0.3, 0.0, 0.0)))})

    waiting = carry.come_to_rest(goal, at(0), MEANS)
    next(waiting)
    for i in range(1, LOOKS):
        waiting.send(at(i))
    with pytest.raises(SkillFailed if done else StopIteration, match='object_1 did not come to rest' if done else None):
        waiting.send(at(LOOKS))


def test_a_hand_that_cannot_withdraw_along_its_approach_tries_less_and_then_up():
    tilted = Pose.from_rpy((0.5, 0.0, 0.2), (pi, 0.5, 0.0))
    now = replace(snapshot(held='object_1'), tool=tilted, opening=0.04)
    going = carry.let_go(now, MEANS)
    assert isinstance(next(going), Grip)
    back = going.send(now)
    less = going.throw(CommandFailed('out of reach'))
    up = going.throw(CommandFailed('out of reach'))
    assert (tilted.inverse() @ back.pose).position == pytest.approx((0.0, 0.0, -APPROACH))
    assert (tilted.inverse() @ less.pose).position == pytest.approx((0.0, 0.0, -APPROACH / 2))
    assert up.pose.position == pytest.approx((0.5, 0.0, 0.2 + APPROACH))
    assert {move.allowed for move in (back, less, up)} == {('object_1',)}
    with pytest.raises(StopIteration) as stuck:
        going.throw(CommandFailed('out of reach'))
    assert stuck.value.value == now


@pytest.mark.parametrize(
    ('touching', 'allowed'),
    [
        ((pair('object_1', 'table'), pair('object_1', 'robot')), ('object_1',)),
        ((pair('object_1', 'container_1'), pair('robot', 'object_1')), ('container_1', 'object_1')),
        ((pair('container_1', 'table'),), ('object_1',)),
    ],
)
def test_what_is_lifted_may_slide_along_what_it_leans_on(touching, allowed):
    now = replace(snapshot(touching=touching), tool=TOOL)
    taking = carry._take(CUBE, Grasp(Pose.from_rpy((0, 0, 0), (pi, 0, 0)), 0.06, 1.0), now, MEANS)
    commands = [next(taking)]
    while not (isinstance(commands[-1], Grip) and commands[-1].opening == 0.0):
        commands.append(taking.send(now))
    lift = taking.send(now)
    assert isinstance(lift, ToolPose) and lift.allowed == allowed


def hanging(robot='panda'):
    """The cube in a hand that points down, 25 cm up."""
    profile, tool = profiles.robot(robot), Pose.from_rpy((0.45, -0.2, 0.25), (pi, 0.0, 0.0))
    held = tool @ Pose((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
    now = snapshot(held='object_1')
    joints = {name: JointState(position, 0.0, 0.0) for name, position in zip(profile.joints, profile.home, strict=True)}
    return replace(now, tool=tool, opening=0.05, joints=joints, bodies=now.bodies | {'object_1': Body(held)})


def test_what_hangs_on_a_cup_is_carried_level_wherever_that_can_be_and_else_slowly():
    now = hanging('ur5e')
    where = place_poses(INSIDE, now)
    first, second, *_ = where(now.tool.inverse() @ now.pose('object_1'))

    class Stiff(Willing):
        """Follows no straight line to the first place pose, as an arm whose wrist would have to turn too far."""

        def check(self, _request, chain):
            stiff = chain[0].straight and any(pose.pose.angle(first.above.pose) < 0.1 for pose in chain)
            return Feasibility(not stiff, 1.0)

    skill_context = SkillContext(profiles.robot('ur5e'), Scene((CUBE, TRAY)), Stiff())
    ways = list(carry._ways(CUBE, where, now, skill_context))
    way, place_pose = ways[0]
    assert place_pose == second
    assert all(pose.straight for pose in way)
    level = [place_pose for way, place_pose in ways if all(pose.straight for pose in way)]
    others = ways[len(level) :]
    assert first not in level and others[0][1] == first
    assert all(pose.speed == carry.GENTLY for way, _ in others for pose in way)
    assert [pose.constraint is None for way, _ in others for pose in way] == [False] * carry.TRIES + [True] * carry.TRIES


@pytest.mark.parametrize(('slip', 'corrected'), [(0.0005, False), (0.004, True)])
def test_what_slips_in_the_hand_is_put_down_where_it_was_meant(slip, corrected):
    now = hanging()
    placing = carry.place(CUBE, place_poses(INSIDE, now), now, MEANS)
    above = next(placing)
    meant = above.pose @ (now.tool.inverse() @ now.pose('object_1'))
    after = above.pose @ Pose((slip, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
    there = replace(now, tool=above.pose, bodies=now.bodies | {'object_1': Body(after)})
    following = placing.send(there)
    if corrected:
        assert following.straight and (following.pose @ (there.tool.inverse() @ after)).position == pytest.approx(meant.position, abs=1e-9)
        assert following.pose.distance(above.pose) == pytest.approx(slip, abs=1e-6)
        following = placing.send(replace(there, tool=following.pose))
    assert following.pose.position[2] < above.pose.position[2] - 0.05


def test_what_slipped_in_a_try_that_failed_is_corrected_in_the_next():
    now = hanging()
    placing = carry.place(CUBE, place_poses(INSIDE, now), now, MEANS)
    next(placing)
    above = placing.throw(CommandFailed('no path'))
    slipped = above.pose @ Pose((0.004, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
    following = placing.send(replace(now, tool=above.pose, bodies=now.bodies | {'object_1': Body(slipped)}))
    assert following.straight and following.pose.position[2] == pytest.approx(above.pose.position[2], abs=1e-3)
    assert following.pose.distance(above.pose) == pytest.approx(0.004, abs=1e-6)


def test_a_handle_that_is_held_is_let_go_and_not_put_aside():
    now = replace(hanging(), held='chest/drawer')
    freeing = hands_free(MEANS)
    assert isinstance(next(freeing), Wait)
    assert isinstance(freeing.send(now), Grip)


@pytest.mark.parametrize('scale', [0.8, 1.0])
def test_a_pencil_leans_along_the_longer_side_of_its_basket_first(scale):
    basket = model('basket').prop('basket', noun='container', color=BLUE, scale=scale)
    basket = basket.at(Pose.from_rpy((0.45, 0.1, basket.size[2] / 2), (0.0, 0.0, 0.4)))
    pencil: Prop = model('pencil').prop('pencil', noun='pencil', color=RED).at(Pose((0.4, -0.2, 0.0075)))
    now = replace(snapshot(), bodies={'basket': Body(basket.pose), 'pencil': Body(pencil.pose)})
    in_tool = Pose.from_rpy((0.0, 0.0, 0.0), (pi, 0.0, pi / 2))
    leans = []
    for place_pose in place_poses(Inside(pencil, basket), now)(in_tool):
        axis = (basket.pose.inverse() @ place_pose.down.pose @ in_tool).rotation[:, 1]
        leans.append('y' if abs(axis[1]) > abs(axis[0]) else 'x')
        assert 0.3 < abs(axis[2]) < 0.95 and np.min(np.abs(axis[:2])) < 1e-6
    assert set(leans) == {'x', 'y'}
    assert leans == sorted(leans, reverse=True)

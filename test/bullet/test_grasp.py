"""Friction grasps hold what the planner grasps, and a grasp means opposed fingers of a gripper that is not fully open."""

import numpy as np
import pytest
from stage import DOWN, PROFILE, around, finish, prop, reach, steps

from vlm_bench_sim.core.command import Joints, ToolPose
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip
from vlm_bench_sim.core.protocols import MotionState, PlanRequest
from vlm_bench_sim.core.scene import RobotStart, Scene

SHAKE = [tuple(axis * way) for axis in np.eye(3) for way in (0.04, -0.04, 0.0)]


class Picker:
    """Plans and moves, with one prop in the world."""

    def __init__(self, world, planner, what) -> None:
        self.world, self.planner = world, planner
        self.prop = what.at(world.load(Scene((what,))).pose(what.name))

    def go(self, target: ToolPose, *, free: bool = False):
        now = self.world.snapshot
        props = (self.prop,) if free else ()
        request = PlanRequest(now.arm(PROFILE.joints), target, props, None, opening=now.opening)
        film = finish(self.world, self.planner.plan(request))
        assert self.world.arm is MotionState.SUCCEEDED
        return film

    def best_grasp(self):
        now = self.world.snapshot
        for grasp in self.planner.grasps(self.prop):
            at = self.prop.pose @ grasp.tool
            chain = (ToolPose(at @ Pose((0.0, 0.0, -0.08)), allowed=('a',)), ToolPose(at, straight=True, allowed=('a',)))
            request = PlanRequest(now.arm(PROFILE.joints), chain[0], (self.prop,), opening=grasp.opening)
            if self.planner.check(request, chain).feasible:
                return grasp, at
        raise AssertionError(f'no grasp of {self.prop} is feasible')

    def pick(self):
        grasp, at = self.best_grasp()
        self.go(ToolPose(at @ Pose((0.0, 0.0, -0.08))), free=True)
        finish(self.world, Grip(grasp.opening))
        self.go(ToolPose(at, straight=True, allowed=('a',)), free=True)
        return finish(self.world, Grip(0.0))


OTHERS = [pytest.param(kind, marks=pytest.mark.slow) for kind in ('triangular_prism', 'cube', 'moon')]


@pytest.mark.parametrize('kind', ['star', 'cylinder', *OTHERS])
def test_a_grasp_holds_through_lifting_shaking_and_waiting(world, planner, kind):
    picker = Picker(world, planner, prop('a', kind, yaw=0.4))
    closing = picker.pick()
    assert [s.grasped for s in closing if s.grasped] == [('a',)]
    assert world.gripper is MotionState.STALLED
    film = picker.go(ToolPose(world.snapshot.tool.shifted((0.0, 0.0, 0.10)), straight=True))
    lifted = world.snapshot
    assert lifted.pose('a').position[2] > 0.10
    assert not lifted.touches('a', 'table')
    for offset in SHAKE:
        film += picker.go(ToolPose(lifted.tool.shifted(offset), straight=True))
    film += steps(world, 40)
    assert {s.held for s in film} == {'a'}
    assert not any(s.released or s.grasped for s in film)
    was, now = (s.tool.inverse() @ s.pose('a') for s in (lifted, film[-1]))
    assert was.distance(now) < 0.003
    assert was.angle(now) < 0.1
    opening = finish(world, Grip(0.08))
    assert [s.released for s in opening if s.released] == [('a',)]
    assert world.snapshot.held == ''


def test_a_prop_as_wide_as_the_open_gripper_is_touched_by_both_fingers_and_not_held(world, planner):
    """Opposed contact, and closing on it changes nothing: the gripper is fully open."""
    world.load(around(planner, prop('a', size=(0.04, 0.0803, 0.042)), 0.08))
    film = [*steps(world, 2), *finish(world, Grip(0.0))]
    assert all(s.touches('a', 'robot') and s.opening > 0.079 for s in film)
    assert {s.held for s in film} == {''}


def test_a_prop_that_is_a_little_narrower_is_held(world, planner):
    world.load(around(planner, prop('a', size=(0.04, 0.076, 0.042)), 0.08))
    film = finish(world, Grip(0.0))
    assert film[-1].held == 'a'
    assert film[-1].opening == pytest.approx(0.076, abs=1e-3)


def test_one_finger_that_pushes_holds_nothing(world, planner):
    """The fingers open from the inside against something that does not give way, which stands beside them."""
    world.load(around(planner, prop('a', y=0.1, fixed=True), 0.02, dy=-0.06))
    film = finish(world, Grip(0.08))
    assert world.gripper is MotionState.STALLED
    assert film[-1].touches('a', 'robot')
    assert 0.02 < film[-1].opening < 0.079
    assert {s.held for s in film} == {''}
    assert not any(s.grasped for s in film)


def test_two_fingers_on_the_same_side_hold_nothing(world, planner):
    """Both finger tips press on the top of a plate."""
    plate = prop('a', size=(0.12, 0.12, 0.04), fixed=True)
    down = Pose((0.5, 0.0, 0.05), DOWN)
    above = reach(planner, down.shifted((0.0, 0.0, 0.03)))
    world.load(Scene((plate,), robot=RobotStart(above, 0.03)))
    film = finish(world, Joints(reach(planner, down.shifted((0.0, 0.0, -0.015)), above)))
    touching = [s for s in film if s.touches('a', 'robot')]
    assert len(touching) > 3
    assert all(0.01 < s.opening < 0.07 for s in touching)
    assert {s.held for s in film} == {''}


def test_what_is_held_falls_when_the_fingers_open_and_is_released_once(world, planner):
    world.load(around(planner, prop('a'), 0.06))
    film = finish(world, Grip(0.0)) + finish(world, Grip(0.06)) + steps(world, 5)
    assert [name for s in film for name in s.grasped] == ['a']
    assert [name for s in film for name in s.released] == ['a']
    held = [s.held for s in film]
    assert held.index('a') == next(i for i, s in enumerate(film) if s.grasped)
    assert held[-1] == ''


def test_a_light_grip_holds_with_its_own_force(world, planner):
    """Each finger pushes with half of it."""
    world.load(around(planner, prop('a'), 0.06))
    for force in (20.0, 60.0):
        finish(world, Grip(0.0, force=force))
        efforts = [abs(world.snapshot.joints[name].effort) for name in PROFILE.gripper.joints]
        assert sum(efforts) == pytest.approx(force, rel=0.15)

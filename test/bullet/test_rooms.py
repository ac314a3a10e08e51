"""What stands near the table is solid: the planner keeps away from it, and an arm that is driven against it is stopped.

The fast suite tries three rooms, in which the nearest neighbour stands beside the table, behind the robot, and on drawers behind it.
"""

from itertools import product

import numpy as np
import pytest
from stage import PROFILE, finish, prop, steps

from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.errors import PlanError
from vlm_bench_sim.core.geometry import Box, Pose
from vlm_bench_sim.core.objects.rooms import PLANS
from vlm_bench_sim.core.objects.rooms.clearance import NEAREST
from vlm_bench_sim.core.protocols import MotionState, PlanRequest, obstacles
from vlm_bench_sim.core.scene import Scene, Table
from vlm_bench_sim.core.snapshot import ROOM

FAST = ('room0', 'room12', 'room17')
ROOMS = [name if name in FAST else pytest.param(name, marks=pytest.mark.slow) for name in PLANS]
DEEP = Table(Box((0.60, 0.0, -0.02), (1.60, 1.80, 0.04)))
INTO = 0.06  # m


def nearest(scene: Scene) -> np.ndarray:
    """The point of the solid things that is nearest to the shoulder."""
    shoulder, found = np.asarray(NEAREST), []
    for solid in scene.neighbours:
        corners = solid.pose.apply(solid.solid.vertices)
        found.append(np.clip(shoulder, corners.min(axis=0), corners.max(axis=0)))
    return min(found, key=lambda point: float(np.linalg.norm(point - shoulder)))


def into(planner, point: np.ndarray):
    """A motion of the arm alone whose tool ends inside the thing at a point, and the pose where it ends."""
    out = point[:2] / np.linalg.norm(point[:2])
    for tilt, roll in product((1.57, 1.9, 2.3, 1.3), (0.0, 1.57, 0.8, -0.8)):
        turn = Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, float(np.arctan2(out[1], out[0]))))
        pose = (
            Pose(tuple(np.array([*(point[:2] + INTO * out), max(float(point[2]), 0.06)]))) @ turn @ Pose.from_rpy((0, 0, 0), (0, tilt, 0))
        )
        pose = pose @ Pose.from_rpy((0, 0, 0), (0, 0, roll))
        try:
            return planner.plan(PlanRequest(PROFILE.home, ToolPose(pose))), pose
        except PlanError:
            continue
    raise AssertionError('no arm position')


@pytest.mark.parametrize('table', [Table(), DEEP], ids=['usual', 'deep'])
@pytest.mark.parametrize('name', ROOMS)
def test_an_arm_that_is_driven_against_a_neighbour_is_stopped_and_the_planner_refuses_it(name, table, world, planner):
    scene = Scene((), room=name, table=table)
    now = world.load(scene)
    blind, pose = into(planner, nearest(scene))
    with pytest.raises(PlanError, match=f'and {ROOM}|{ROOM} and'):
        planner.plan(PlanRequest(PROFILE.home, ToolPose(pose), obstacles(scene, now)[0]))
    film = finish(world, blind)
    assert world.arm in (MotionState.PATH_TOLERANCE, MotionState.GOAL_TOLERANCE)
    assert any(('robot', ROOM) in snapshot.touched for snapshot in film)
    wanted = np.asarray(blind.points[-1].positions)
    assert np.abs(np.asarray(film[-1].arm(PROFILE.joints)) - wanted).max() > PROFILE.goal_tolerance


def test_a_thing_that_falls_beside_the_table_lands_on_the_rooms_floor(world):
    fallen = prop('cube', x=0.4, y=0.0)
    for name, plan in list(PLANS.items())[:3]:
        world.load(Scene((fallen,), room=name))
        world.place('cube', Pose((1.15, 0.0, -0.3)))
        height = steps(world, 40)[-1].pose('cube').position[2]
        assert height == pytest.approx(-plan.drop + fallen.size[2] / 2, abs=0.002)


def test_a_prop_that_touches_a_neighbour_says_so(world):
    scene = Scene((prop('cube', x=0.4),), room='room16', table=DEEP)
    world.load(scene)
    top = max(float(solid.pose.position[2] + solid.size[2] / 2) for solid in scene.neighbours if abs(solid.pose.position[1] + 0.78) < 0.2)
    world.place('cube', Pose((0.18, -0.78, top + 0.03)))
    assert ('cube', ROOM) in steps(world, 20)[-1].touching


@pytest.mark.parametrize('room', ['', 'study'])
def test_without_neighbours_the_world_is_as_it_was(room):
    """Nothing is added to the simulator, so no state changes."""
    world = BulletWorld(PROFILE)
    world.load(Scene((prop('cube'),), room=room))
    assert world._stage.client.getNumBodies() == 4  # table, robot, prop, floor
    world.close()

"""What MuJoCo must do by itself: friction, firm grasps, furniture, and refusals of what it cannot hold."""

from dataclasses import replace
from math import atan, cos, degrees, radians, sin

import pytest
from stage import around, finish, prop, steps

from vlm_bench_sim.core.command import Joints, ToolPose
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Box, Pose
from vlm_bench_sim.core.gripper import Grip
from vlm_bench_sim.core.matter import Beads, Dirt
from vlm_bench_sim.core.objects.furniture import DOOR, LEVER, furniture
from vlm_bench_sim.core.protocols import PlanRequest
from vlm_bench_sim.core.scene import GRAVITY, Scene, Table

SLIDES = ((0.3, 1.0), (0.6, 0.5), (0.8, 0.9))


def tilted(world, degrees_: float) -> None:
    """Turn the direction in which all falls, as if the table were tilted."""
    angle = radians(degrees_)
    world._stage._engine.model.opt.gravity[:] = (GRAVITY * sin(angle), 0.0, -GRAVITY * cos(angle))
    world._stage._engine.wake()


def test_what_rests_sleeps_and_wakes_when_what_carries_it_goes(world):
    """What sleeps does not move by a bit."""
    pillars = [prop(name, x=x, size=(0.06, 0.06, 0.1)) for name, x in (('one', 0.4), ('two', 0.6))]
    world.load(Scene((*pillars, prop('a', x=0.4, z=0.1215), prop('b', x=0.6, z=0.1215))))
    first, last = steps(world, 20)[-1], steps(world, 20)[-1]
    assert all(first.bodies[name] == last.bodies[name] for name in 'ab')
    assert last.bodies['a'].linear == last.bodies['a'].angular == (0.0, 0.0, 0.0)
    assert last.touches('one', 'a') and last.touches('two', 'table')
    world.remove('one')
    world.place('two', Pose((0.6, 0.3, 0.0505)))
    assert all(steps(world, 20)[-1].pose(name).position[2] == pytest.approx(0.021, abs=1e-3) for name in 'ab')


def lifted(world, planner):
    """A cube is held 15 cm above the table, with 40 N, and has not moved for a second."""
    world.load(around(planner, prop('a'), 0.06))
    finish(world, Grip(0.0, 40.0))
    finish(world, planner.plan(PlanRequest(world.commanded, ToolPose(world.snapshot.tool.shifted((0.0, 0.0, 0.15)), straight=True))))
    steps(world, 20)
    assert world.snapshot.held == 'a'


def test_what_was_held_still_and_is_put_into_the_air_falls(world, planner):
    """It has been slow for long, and sleeps only once it is slow where it is now."""
    lifted(world, planner)
    world.place('a', Pose((0.5, 0.3, 0.2)))
    assert steps(world, 40)[-1].pose('a').position[2] == pytest.approx(0.021, abs=1e-3)


def test_efforts_stay_as_they_were_when_a_prop_comes_or_goes(world, planner):
    lifted(world, planner)
    fingers = world.profile.gripper.joints
    before = [world.snapshot.joints[name].effort for name in fingers]
    assert before == pytest.approx([-20.0, -20.0], abs=0.1)
    for now in (world.add(prop('c', x=0.35, y=0.3)), world.remove('c')):
        assert [now.joints[name].effort for name in fingers] == pytest.approx(before, abs=0.1)


@pytest.mark.parametrize(('rough', 'table'), SLIDES)
def test_a_block_slips_within_a_degree_of_the_angle_of_the_product_of_frictions(world, rough, table):
    angle = degrees(atan(rough * table))
    for tilt, slips in ((angle - 1.0, False), (angle + 1.0, True)):
        world.load(Scene((prop('a', friction=rough),), table=replace(Table(), friction=table)))
        tilted(world, tilt)
        before = world.snapshot.pose('a')
        after = steps(world, 20)[-1].pose('a')
        assert (before.distance(after) > 0.02) is slips
        assert slips or before.distance(after) < 1e-4


def test_props_among_themselves_slip_by_the_product_too(world):
    """Two smooth ones are smoother than either."""
    angle = degrees(atan(0.6 * 0.6))
    for tilt, slips in ((angle - 1.0, False), (angle + 1.0, True)):
        lower = prop('lower', size=(0.15, 0.15, 0.03), friction=0.6, fixed=True)
        world.load(Scene((lower, prop('a', friction=0.6, z=0.051 + 5e-4))))
        tilted(world, tilt)
        before = world.snapshot.pose('a')
        assert (before.distance(steps(world, 20)[-1].pose('a')) > 0.02) is slips


@pytest.mark.parametrize(('friction', 'force', 'held'), [(0.71, 0.0, True), (0.71 * 0.002, 0.0, False), (0.71, 0.02, False)])
def test_only_friction_and_force_hold(world, planner, friction, force, held):
    """Neither slippery props nor limp fingers hold anything; what is held neither drifts nor is sunk into."""
    world.load(around(planner, prop('a', friction=friction), 0.06))
    finish(world, Grip(0.0, force))
    before = world.snapshot
    chunk = planner.plan(PlanRequest(world.commanded, ToolPose(before.tool.shifted((0.0, 0.0, 0.15)), straight=True)))
    film = finish(world, chunk)
    assert (film[-1].held == 'a') is held and (film[-1].pose('a').position[2] > 0.1) is held
    if held:
        at = [snapshot.tool.inverse() @ snapshot.pose('a') for snapshot in film]
        assert max(at[0].distance(one) for one in at) < 1.5e-3
        assert -world._stage._engine.data.contact.dist.min() < 2e-4


def pull(world, joint: str, force: float, seconds: float = 1.0) -> float:
    """Pull at a joint of furniture with a force, N or N m; return its position."""
    engine = world._stage._engine
    for _ in range(round(seconds * 240)):
        engine.data.qfrc_applied[engine.velocity((joint,))] = force
        world._stage.advance()
    engine.data.qfrc_applied[:] = 0.0
    return world.step().mechanisms[joint].position


def test_a_latch_holds_the_door_until_the_lever_is_turned(world):
    piece = replace(furniture('door1', 'piece'), pose=Pose((0.85, 0.0, 0.0)))
    door, lever = f'piece/{DOOR}', f'piece/{LEVER}'
    upper = piece.joints[door].upper
    room = Table(Box((0.5, 0.0, -0.02), (1.6, 1.6, 0.04)))
    world.load(Scene((), table=room, mechanisms=(piece,)))
    assert pull(world, door, 20.0) < 0.01 * upper
    world.load(Scene((), table=room, mechanisms=(piece.started(**{LEVER: piece.joints[lever].upper}),)))
    assert pull(world, door, 20.0) > 0.2 * upper


def test_links_of_one_piece_pass_through_one_another_and_stop_at_their_limits(world):
    piece = replace(furniture('drawer1', 'piece'), pose=Pose((0.85, 0.0, 0.0)))
    world.load(Scene((), table=Table(Box((0.5, 0.0, -0.02), (1.6, 1.6, 0.04))), mechanisms=(piece,)))
    top = piece.joints['piece/top']
    assert pull(world, 'piece/top', 30.0) == pytest.approx(top.upper, abs=5e-3)
    assert pull(world, 'piece/top', -30.0) == pytest.approx(top.lower, abs=5e-3)


def test_beads_and_dirt_are_refused_by_name(world):
    with pytest.raises(SceneError, match=r'neither beads nor dirt; the scene has water\. Take the engine pybullet'):
        world.load(Scene((), beads=(Beads('water', ((0.5, 0.0, 0.1),)),)))
    with pytest.raises(SceneError, match='the scene has soil'):
        world.load(Scene((prop('sponge'),), dirt=(Dirt('soil', ((0.5, 0.2, 0.0),), 'sponge'),)))


def test_what_is_fixed_can_be_put_elsewhere_and_is_stood_on_there(world):
    world.load(Scene((prop('shelf', size=(0.1, 0.1, 0.02), z=0.2, fixed=True),)))
    world.place('shelf', Pose((0.4, 0.1, 0.3)))
    world.add(prop('a', x=0.4, y=0.1, z=0.4))
    last = steps(world, 30)[-1]
    assert last.pose('shelf').position == pytest.approx((0.4, 0.1, 0.3))
    assert last.touches('a', 'shelf') and last.pose('a').position[2] == pytest.approx(0.331, abs=1e-3)


def test_all_the_arm_can_give_is_its_joints_effort(world):
    """A fixed block in the arm's way stops it, and no motor gives more than its description says."""
    world.load(Scene(()))
    tip = world.snapshot.tool.position
    world.add(prop('wall', size=(0.3, 0.3, 0.05), x=tip[0], y=tip[1], z=tip[2] - 0.05, fixed=True))
    home = world.commanded
    finish(world, Joints((home[0], home[1] + 0.6, *home[2:])))
    efforts = [abs(world.snapshot.joints[name].effort) for name in world.profile.joints]
    assert max(efforts[:4]) <= 87.0 + 1e-9 and max(efforts[4:]) <= 12.0 + 1e-9

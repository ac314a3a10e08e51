"""Distances between the hulls of things, at poses of any snapshot."""

from dataclasses import replace

import pytest

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.objects.furniture import furniture
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import TABLE, Body, JointState, Snapshot
from vlm_bench_sim.motion.proximity import Proximity

SIDE = 0.04


def snapshot(profile, joints=None, mechanisms=None, **places) -> Snapshot:
    """The robot at home, or elsewhere, and props at places, m."""
    positions = dict(zip(profile.joints, profile.home, strict=True)) | dict.fromkeys(profile.gripper.joints, 0.04) | (joints or {})
    return Snapshot(
        seq=0, step=0, joints={name: JointState(at) for name, at in positions.items()}, tool=Pose(), opening=0.08, held='',
        bodies={name: Body(Pose(at)) for name, at in places.items()}, mechanisms=mechanisms or {}, touching=(), touched=(),
    )  # fmt: skip


def cubes(make_prop, *names) -> Scene:
    return Scene(tuple(make_prop(name, 'cube', (SIDE, SIDE, SIDE), 0.5) for name in names))


def found(near) -> dict:
    return {frozenset((one.first, one.second)): one for one in near}


@pytest.mark.parametrize('gap', [0.003, 0.0005, -0.002])
def test_the_gap_between_two_things_is_that_of_their_surfaces(kinematics, profile, make_prop, gap):
    near = Proximity(kinematics, cubes(make_prop, 'a', 'b'))
    now = snapshot(profile, a=(0.5, 0.0, SIDE / 2 + 0.1), b=(0.5, 0.0, 1.5 * SIDE + gap + 0.1))
    one = found(near.near(now, 0.005))[frozenset('ab')]
    assert one.distance == pytest.approx(gap, abs=1e-6)
    assert one.normal == pytest.approx((0.0, 0.0, 1.0 if one.first == 'a' else -1.0), abs=1e-6)


def test_only_what_is_as_near_as_asked_is_told(kinematics, profile, make_prop):
    near = Proximity(kinematics, cubes(make_prop, 'a', 'b'))
    now = snapshot(profile, a=(0.5, 0.0, SIDE / 2 + 0.002), b=(0.5, SIDE + 0.006, SIDE / 2 + 0.002))
    assert set(found(near.near(now, 0.001))) == set()
    assert set(found(near.near(now, 0.003))) == {frozenset(('a', TABLE)), frozenset(('b', TABLE))}
    assert frozenset('ab') in found(near.near(now, 0.01))


def test_the_robot_is_where_its_joints_are(kinematics, profile, make_prop):
    near = Proximity(kinematics, cubes(make_prop, 'a'))
    tool = kinematics.tool_pose(profile.home)
    between = snapshot(profile, a=tool.position)
    fingers = [one for one in near.near(between, 0.03) if 'finger' in one.first]
    assert len({one.first for one in fingers}) == 2 and all(one.second == 'a' for one in fingers)
    away = snapshot(profile, joints={profile.joints[0]: 1.5}, a=tool.position)
    assert not [one for one in near.near(away, 0.03) if 'robot' in one.first]


def test_links_of_furniture_move_with_their_joints(kinematics, profile, make_prop):
    chest = furniture('chest0', 'chest')
    drawer = next(name for name in chest.joints if 'top' in name)
    scene = replace(cubes(make_prop, 'a'), mechanisms=(replace(chest, pose=Pose((0.7, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0))),))
    upper = chest.joints[drawer].upper
    front, opened = (scene.mechanisms[0].placed({drawer: JointState(at)})[drawer].position for at in (0.0, upper))
    ahead = tuple(there + 0.5 * (there - here) for here, there in zip(front, opened, strict=True))
    near = Proximity(kinematics, scene)
    shut, wide = (found(near.near(snapshot(profile, mechanisms={drawer: JointState(at)}, a=ahead), 1.0)) for at in (0.0, upper))
    between = frozenset(('a', drawer))
    assert shut[between].distance - wide[between].distance == pytest.approx(upper, abs=0.02)


def test_what_never_moves_or_is_one_thing_is_not_compared(kinematics, profile, make_prop):
    """The table is near the room and the robot's base all the time."""
    ghost = replace(make_prop('ghost', 'cube', (SIDE, SIDE, SIDE)), ghost=True)
    scene = Scene((replace(make_prop('a', 'cube', (SIDE, SIDE, SIDE)), fixed=True), ghost))
    now = snapshot(profile, a=(0.5, 0.0, SIDE / 2), ghost=(0.5, 0.0, SIDE / 2))
    assert Proximity(kinematics, scene).near(now, 0.05) == ()

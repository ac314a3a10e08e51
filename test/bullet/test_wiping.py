"""Dirt goes where a wiper in contact slides over it, and nowhere else; what has gone stays gone."""

from dataclasses import replace

import numpy as np
import pytest
from stage import PROFILE, prop

from vlm_bench_sim.bullet.wiping import REACH, WIPES, bottom
from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Box, Pose
from vlm_bench_sim.core.matter import Dirt
from vlm_bench_sim.core.mechanisms import Joint, Link, Mechanism
from vlm_bench_sim.core.scene import Scene, Table
from vlm_bench_sim.core.snapshot import state_hash

WIDE = Table(Box((0.5, 0.0, -0.02), (1.6, 1.6, 0.04)))
SIZE = (0.125, 0.058, 0.033)
ROW = tuple((0.30 + 0.01 * i, 0.1, 0.0005) for i in range(30))


def sponge(x: float, y: float = 0.1, **change):
    return prop('sponge', 'sponge', x, y, size=SIZE, mass=0.119, friction=1.0, **change)


def scene(*props, centres=ROW) -> Scene:
    return Scene(props or (sponge(0.3, -0.2),), dirt=(Dirt('soil', centres, 'sponge'),))


def left(world) -> tuple[int, ...]:
    return world.snapshot.dirt['soil']


def test_dirt_lies_still_while_no_wiper_touches_what_it_lies_on(world):
    world.load(scene())
    for _ in range(5):
        world.step()
    assert left(world) == tuple(range(30))


def test_a_wiper_takes_what_is_under_its_bottom_and_no_more(world):
    world.load(scene())
    world.place('sponge', Pose((0.444, 0.1, SIZE[2] / 2)))
    world.step()
    half = WIPES[0] * SIZE[0] / 2
    assert left(world) == tuple(i for i, (x, _, _) in enumerate(ROW) if abs(x - 0.444) > half)


@pytest.mark.parametrize(
    ('pose', 'why'),
    [
        (Pose((0.44, 0.1, 0.3)), 'in the air'),
        (Pose((0.44, 0.1 + WIPES[1] * SIZE[1] / 2 + 0.003, SIZE[2] / 2)), 'beside it'),
        (Pose.from_rpy((0.44, 0.1, SIZE[2] / 2), (np.pi, 0.0, 0.0)), 'with its back'),
    ],
)
def test_a_wiper_takes_nothing(world, pose, why):
    world.load(scene())
    world.place('sponge', pose)
    world.step()
    assert len(left(world)) == 30, why


def test_other_things_do_not_wipe(world):
    world.load(scene(sponge(0.3, -0.2), prop('cube', 'cube', 0.44, 0.2)))
    world.place('cube', Pose((0.44, 0.1, 0.021)))
    world.step()
    assert len(left(world)) == 30


def test_it_does_not_come_back_and_a_slide_takes_all_it_passes(world):
    world.load(scene())
    counts = [30]
    for x in np.linspace(0.25, 0.65, 9):
        world.place('sponge', Pose((float(x), 0.1, SIZE[2] / 2)))
        world.step()
        counts.append(len(left(world)))
    assert counts == sorted(counts, reverse=True) and counts[-1] == 0
    world.place('sponge', Pose((0.3, -0.2, SIZE[2] / 2)))
    world.step()
    assert left(world) == ()


def test_a_wiper_on_a_plate_does_not_wipe_the_table_beneath(world):
    """What counts is contact with what the speck lies on: here half of them lie on a plate that the wiper stands on."""
    plate = prop('plate', 'cube', 0.5, 0.1, size=(0.20, 0.1, 0.003), fixed=True, z=0.0015)
    centres = ((0.44, 0.1, 0.0005), (0.44, 0.1, 0.0035), (0.36, 0.1, 0.0005), (0.42, 0.1, 0.0035))
    world.load(scene(sponge(0.3, -0.2), plate, centres=centres))
    world.place('sponge', Pose((0.44, 0.1, 0.003 + SIZE[2] / 2)))
    world.step()
    assert left(world) == (0, 2)


def test_it_lies_on_what_cannot_be_touched_as_on_the_table(world):
    area = prop('area', 'round_area', 0.45, 0.1, size=(0.2, 0.2, 0.001), ghost=True, z=0.0005)
    world.load(scene(sponge(0.3, -0.2), area, centres=tuple((x, 0.1, 0.0015) for x in (0.42, 0.45, 0.48))))
    world.place('sponge', Pose((0.45, 0.1, SIZE[2] / 2)))
    world.step()
    assert left(world) == ()


def test_the_wiper_is_a_prop_of_the_scene(world):
    with pytest.raises(SceneError, match="no prop called 'sponge'"):
        world.load(scene(prop('cube', 'cube')))


def cabinet(start: float = 0.0) -> Mechanism:
    """A box with a lid that slides along it, 0.1 m above the table."""
    board = replace(prop('board', 'cube', 0.0, 0.0, size=(0.3, 0.2, 0.1), z=0.05), mass=2.0)
    lid = replace(prop('lid_board', 'cube', 0.0, 0.0, size=(0.3, 0.2, 0.02), z=0.0), mass=0.5)
    slide = Joint('prismatic', Pose((0.0, 0.0, 0.111)), (0.0, 1.0, 0.0), 0.0, 0.3, start, 50.0)
    return Mechanism('chest', (Link('body', (board,)), Link('lid', (lid,), 'body', slide)), Pose((0.5, 0.1, 0.0)))


@pytest.mark.parametrize(('start', 'height'), [(0.0, 0.121), (0.25, 0.1)], ids=['on the lid', 'on the body, the lid pushed back'])
def test_dirt_on_furniture_is_wiped_where_it_lies(world, start, height):
    centres = tuple((x, 0.1, height + 0.0005) for x in (0.48, 0.50, 0.52))
    dirt = (Dirt('soil', centres, 'sponge'),)
    world.load(Scene((sponge(0.3, -0.2),), table=WIDE, mechanisms=(cabinet(start),), dirt=dirt))
    assert left(world) == (0, 1, 2)
    world.place('sponge', Pose((0.5, 0.1, height + SIZE[2] / 2)))
    world.step()
    assert left(world) == ()


def test_nothing_is_wiped_before_the_episode_begins(world):
    assert world.load(scene(sponge(0.44))).dirt['soil'] == tuple(range(30))
    world.step()
    assert 10 < len(left(world)) < 30


@pytest.mark.parametrize('centre', [(0.4, 0.1, 0.1), (0.4, 0.9, 0.0005)], ids=['above the table', 'beside it'])
def test_a_speck_with_nothing_under_it_is_refused(world, centre):
    with pytest.raises(SceneError, match=r"speck of 'soil' at .* lies on nothing within 20 mm below it. Put it"):
        world.load(scene(centres=(*ROW, centre)))


def test_a_speck_may_lie_in_the_surface(world):
    world.load(scene(centres=tuple((x, 0.1, 0.0) for x in (0.42, 0.44, 0.46))))
    world.place('sponge', Pose((0.44, 0.1, SIZE[2] / 2)))
    world.step()
    assert left(world) == ()


def test_a_wiper_that_is_removed_wipes_no_more(world):
    world.load(scene())
    world.remove('sponge')
    world.step()
    assert len(left(world)) == 30


def test_wiping_is_done_again_bit_for_bit_and_the_hash_sees_a_speck(world):
    world.load(scene())
    before = world.state_hash()
    world.place('sponge', Pose((0.44, 0.1, SIZE[2] / 2)))
    world.step()
    saved, now = world.save(), world.state_hash()
    other = BulletWorld(PROFILE)
    assert state_hash(other.restore(saved)) == now
    assert other.snapshot.dirt == world.snapshot.dirt
    other.close()
    assert state_hash(world.load(scene(centres=ROW[:-1]))) != before


def test_the_bottom_is_that_of_the_published_sensor():
    assert bottom(sponge(0.4)).size == pytest.approx((0.10, 0.042, 0.008), abs=3e-4)
    assert bottom(sponge(0.4)).centre[2] == -SIZE[2] / 2 and REACH == 0.004

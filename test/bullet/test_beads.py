"""Beads rest in what holds them, leave it when it is turned over, lie still where they are spilled, and are never lost."""

from dataclasses import replace
from math import pi

import numpy as np
import pytest
from stage import PROFILE, finish, prop

from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip
from vlm_bench_sim.core.matter import Beads, fill, packed
from vlm_bench_sim.core.objects.rooms import FLOOR
from vlm_bench_sim.core.scene import ROOM, Scene
from vlm_bench_sim.core.shapes import usual_size
from vlm_bench_sim.core.snapshot import ROBOT, state_hash

COUNT = 50
CUPS = {'mug1': 0.149, 'mug2': 0.207, 'mug3': 0.314, 'mug4': 0.151, 'mug5': 0.155, 'mug6': 0.243, 'bowl': 0.2, 'basket': 0.409}


def filled(kind: str, *, scale: float = 1.0, count: int = COUNT, seed: int = 0, x: float = 0.5) -> Scene:
    cup = prop('cup', kind, x, size=tuple(scale * extent for extent in usual_size(kind)), mass=CUPS[kind] * scale**3)
    return Scene((cup,), beads=(Beads('water', packed(cup, count, np.random.default_rng(seed))),))


def share(scene: Scene, snapshot) -> float:
    cup = scene.prop('cup')
    return fill(cup.at(snapshot.pose('cup')), snapshot.beads['water'])


def run(world, periods: int) -> list[str]:
    return [state_hash(world.step()) for _ in range(periods)]


def drift(scene: Scene, world, periods: int) -> float:
    """How far the cup moves within so many periods, m; fails when a bead is not where it belongs."""
    before = world.snapshot.pose('cup')
    for _ in range(periods // 10):
        run(world, 10)
        assert share(scene, world.snapshot) == 1.0
    return before.distance(world.snapshot.pose('cup'))


@pytest.mark.parametrize('kind', ['mug1', 'mug3', 'mug4', 'mug5'])
def test_a_full_cup_stands_and_holds_every_bead(world, kind):
    scene = filled(kind)
    assert share(scene, world.load(scene)) == 1.0
    assert drift(scene, world, 20) < 5e-4
    speeds = np.linalg.norm([world._stage.client.getBaseVelocity(number)[0] for number in world._stage.beads._numbers['water']], axis=1)
    assert speeds.max() < 0.01


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize('scale', [0.75, 1.0])
@pytest.mark.parametrize('kind', CUPS)
def test_nothing_leaks_through_a_wall_in_a_minute(world, kind, scale):
    scene = filled(kind, scale=scale)
    world.load(scene)
    assert drift(scene, world, 1200) < 1e-3


def test_a_cup_turned_over_empties_and_its_beads_come_to_rest_around_it(world):
    scene = filled('mug2')
    world.load(scene)
    at = world.snapshot.pose('cup').position
    world.place('cup', Pose.from_rpy((at[0], at[1], 0.2), (2.2, 0.0, 0.0)))
    world.remove('cup')
    cup = scene.prop('cup')
    run(world, 30)
    beads = np.array(world.snapshot.beads['water'])
    assert beads.shape == (COUNT, 3) and np.isfinite(beads).all()
    assert beads[:, 2] == pytest.approx(0.004, abs=1.5e-3)
    assert np.linalg.norm(beads[:, :2] - at[:2], axis=1).max() < 0.35
    assert ('table', 'water') in world.snapshot.touching
    assert fill(cup, beads) == 0.0


def test_what_rolls_off_the_table_lies_on_the_floor_and_is_not_lost(world):
    edge = Beads('water', tuple((1.2, 0.02 * i, 0.3) for i in range(-3, 4)))
    world.load(Scene((), beads=(edge,)))
    run(world, 30)
    heights = np.array(world.snapshot.beads['water'])[:, 2]
    assert len(heights) == 7 and heights == pytest.approx(FLOOR + edge.radius, abs=1e-3)
    assert not any(ROOM in pair for pair in world.snapshot.touching)


def test_a_bead_falls_into_the_cup_and_not_through_its_floor(world):
    cup = filled('mug4', count=1).prop('cup')
    x, y, _ = cup.pose.position
    world.load(Scene((cup,), beads=(Beads('water', tuple((x, y + dy, 0.35 + 0.01 * i) for i, dy in enumerate((-0.012, -0.02, -0.03)))),)))
    run(world, 10)
    assert share(Scene((cup,)), world.snapshot) == 1.0


def test_beads_between_the_fingers_are_no_grasp(world):
    x, y, z = world.load(Scene(())).tool.position
    post = prop('post', 'cube', x, y, size=(0.015, 0.015, 0.1), z=z - 0.07, fixed=True)
    ball = Beads('ball', ((x, y, z + 1e-4),), radius=0.02)
    snapshot = world.load(Scene((post,), beads=(ball,)))
    film = finish(world, Grip(0.0))
    assert min(one.opening for one in film) < 0.041 < snapshot.opening
    assert any(('ball', ROBOT) in one.touched for one in film)
    assert all(one.held == '' and not one.grasped for one in film)


def test_two_groups_keep_their_names(world):
    cup = filled('mug1').prop('cup')
    spots = packed(cup, 20, np.random.default_rng(0))
    snapshot = world.load(Scene((cup,), beads=(Beads('a', spots[:8]), Beads('b', spots[8:]))))
    assert {name: len(centres) for name, centres in snapshot.beads.items()} == {'a': 8, 'b': 12}
    assert {('a', 'cup'), ('b', 'cup')} <= set(snapshot.touching)
    assert ('a', 'b') not in snapshot.touching and not any(ROBOT in pair for pair in snapshot.touching)


def test_a_group_has_a_name_of_its_own(world):
    world.load(filled('bowl', count=3))
    with pytest.raises(SceneError, match="'water'"):
        world.add(prop('water', 'cube', 0.3))


def test_beads_that_do_not_come_to_rest_are_named(world):
    high = Beads('water', tuple((0.5, 0.3, 30.0 + 0.1 * i) for i in range(5)))
    with pytest.raises(SceneError, match='water did not come to rest within 2 s'):
        world.load(Scene((), beads=(high,)))


def test_the_hash_sees_a_bead(world):
    scene = filled('mug1', count=5)
    first = state_hash(world.load(scene))
    (x, y, z), *others = scene.beads[0].centres
    moved = replace(scene, beads=(replace(scene.beads[0], centres=((x, y, z + 1e-9), *others)),))
    assert state_hash(world.load(moved)) != first
    assert state_hash(world.load(scene)) == first


def test_all_of_it_is_done_again_bit_for_bit(world):
    world.load(filled('mug5'))
    run(world, 2)
    at = world.snapshot.pose('cup').position
    world.place('cup', Pose.from_rpy((at[0], at[1], 0.16), (pi / 2, 0.0, 0.0)), (0.1, 0.0, 0.0))
    world.add(prop('block', 'cube', 0.35, 0.2, z=0.1))
    run(world, 8)
    world.remove('cup')
    run(world, 2)
    saved, now = world.save(), world.state_hash()
    after = run(world, 5)
    other = BulletWorld(PROFILE)
    other.load(filled('bowl', count=4))
    assert state_hash(other.restore(codec.loads(codec.dumps(saved)))) == now
    assert run(other, 5) == after
    other.close()
    assert state_hash(world.restore(saved)) == now
    assert run(world, 5) == after

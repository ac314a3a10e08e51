"""Props rest where they are put, fall as they should, and every touch is remembered until the next snapshot."""

import numpy as np
import pytest
import trimesh
from stage import MASSES, PROFILE, SIZES, parade, prop, steps

from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.protocols import obstacles
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.timing import PHYSICS_HZ


def test_every_kind_of_prop_rests_for_ten_seconds(world):
    """Not a millimetre, nor a fraction of a degree; and its underside lies on the table where it is drawn."""
    first = world.load(parade())
    last = steps(world, 200)[-1]
    for name, size in SIZES.items():
        assert first.pose(name).distance(last.pose(name)) < 1e-3, name
        assert first.pose(name).angle(last.pose(name)) < 5e-3, name
        assert abs(last.pose(name).position[2] - size[2] / 2) < 5e-4, name
        assert last.touches(name, 'table')


def test_a_scene_settles_where_it_was_laid(world):
    first = world.load(parade())
    for kind in SIZES:
        assert first.pose(kind).distance(parade().prop(kind).pose) < 2e-3, kind


@pytest.mark.parametrize('kind', ['star', 'moon', 'cube', 'tray'])
def test_a_prop_falls_with_gravity_until_it_lands_on_its_underside(world, kind):
    """The centre of mass of a star or a moon is not the centre of its box; the pose is that of the box."""
    world.load(Scene((prop('a', kind),)))
    world.place('a', Pose((0.5, 0.0, 0.5)))
    first = world.step().body('a')
    assert first.linear[2] == pytest.approx(-9.81 * 0.05, rel=1e-3)
    fallen = 9.81 / PHYSICS_HZ**2 * sum(range(1, 13))
    assert first.pose.position == pytest.approx((0.5, 0.0, 0.5 - fallen), abs=1e-6)
    last = steps(world, 25)[-1].pose('a')
    assert last.position[2] == pytest.approx(SIZES[kind][2] / 2, abs=1e-3)
    assert last.rotation[2, 2] > 0.999


def test_velocities_are_those_of_the_frame_not_of_the_centre_of_mass(world):
    """A moon spins in the air about its centre of mass, which lies 4 mm from the centre of its box: that one goes round in a circle."""
    moon = prop('a', 'moon')
    world.load(Scene((moon,)))
    world.place('a', Pose((0.5, 0.0, 0.8)))
    world._stage.client.resetBaseVelocity(world._stage.props['a'].number, (0, 0, 0), (0, 0, 20.0))
    centre = trimesh.Trimesh(moon.solid.vertices, moon.solid.faces).center_mass
    assert np.hypot(*centre[:2]) > 0.003
    body = world.step().body('a')
    arm = np.subtract(body.pose.position, np.add((0.5, 0.0, 0.8), centre))[:2]
    assert body.angular == pytest.approx((0.0, 0.0, 20.0), abs=1e-6)
    assert body.pose.yaw == pytest.approx(1.0, abs=1e-3)
    assert np.linalg.norm(arm) == pytest.approx(np.hypot(*centre[:2]), rel=1e-3)
    assert body.linear[:2] == pytest.approx((-20.0 * arm[1], 20.0 * arm[0]), abs=1e-4)


def test_a_touch_between_two_snapshots_is_remembered(world):
    """A cube falls past the edge of a block and grazes it: no snapshot finds the two in contact, one knows that they were."""
    world.load(Scene((prop('block', size=(0.1, 0.1, 0.1), fixed=True), prop('a', y=0.3))))
    world.place('a', Pose((0.5, 0.065, 0.3)))
    film = steps(world, 12)
    graze = ('a', 'block')
    assert [s.seq for s in film if graze in s.touched] == [4]
    assert not any(graze in s.touching for s in film)
    assert not film[3].touches('a', 'block')


def test_what_touches_at_the_end_has_touched(world):
    world.load(parade())
    for snapshot in steps(world, 3):
        assert set(snapshot.touching) <= set(snapshot.touched)
        assert {('cube', 'table'), ('star', 'table')} <= set(snapshot.touching)
        assert all(a < b for a, b in snapshot.touched)


def test_the_first_snapshot_remembers_no_touch_of_settling(world):
    first = world.load(Scene((prop('a'),)))
    assert (first.touched, first.grasped, first.released) == ((), (), ())
    assert first.touching == (('a', 'table'),)


@pytest.mark.parametrize(
    ('unsettled', 'says'),
    [(prop('high', z=30.0), 'high did not come to rest'), (prop('beside', y=1.5), r'beside \(0.7\d m\) fell')],
    ids=['falls from 30 m', 'falls beside the table'],
)
def test_a_scene_that_does_not_settle_is_refused(world, unsettled, says):
    with pytest.raises(SceneError, match=f'^{says}'):
        world.load(Scene((prop('still'), unsettled)))


def test_a_world_that_refused_a_scene_takes_another(world):
    fresh = BulletWorld(PROFILE)
    expected = fresh.load(parade())
    fresh.close()
    with pytest.raises(SceneError):
        world.load(Scene((prop('high', z=30.0),)))
    assert world.load(parade()) == expected


def test_a_fixed_prop_does_not_move(world):
    first = world.load(Scene((prop('a', fixed=True, z=0.2), prop('b', z=0.25))))
    last = steps(world, 10)[-1]
    assert last.pose('a') == first.pose('a') == prop('a', z=0.2).pose
    assert last.touches('a', 'b')


def test_a_tray_holds_what_is_dropped_into_it(world):
    """Its walls and floor are solid, its inside is free."""
    world.load(Scene((prop('t', 'tray'), prop('a', y=0.3))))
    world.place('a', Pose((0.5, 0.0, 0.08)))
    last = steps(world, 20)[-1]
    assert last.pose('a').position[2] == pytest.approx(0.004 + 0.021, abs=1e-3)
    assert last.touches('a', 't')
    assert not last.touches('a', 'table')


def test_the_masses_are_those_of_the_scene(world):
    """As the simulator has them, which no snapshot shows."""
    world.load(parade())
    masses = {name: world._stage.client.getDynamicsInfo(body.number, -1)[0] for name, body in world._stage.props.items()}
    assert masses == pytest.approx(MASSES)


def test_a_ghost_is_seen_where_it_is_put_touches_nothing_and_is_no_obstacle(world):
    cloud = prop('cloud', 'cube', z=0.2, ghost=True)
    scene = Scene((cloud, prop('stone')))
    world.load(scene)
    world.place('stone', Pose((0.5, 0.0, 0.5)))
    film = steps(world, 20)
    assert film[-1].pose('stone').position[2] < 0.03, 'it has fallen through'
    assert film[-1].pose('cloud') == cloud.pose
    assert not any('cloud' in pair for now in film for pair in now.touched)
    assert [one.name for one in obstacles(scene, film[-1])[0]] == ['stone']

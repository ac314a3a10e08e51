"""Props that come, go and are put elsewhere while a scene runs; and a replay of all that, bit for bit."""

from dataclasses import replace

import numpy as np
import pytest

from vlm_bench_sim import engines, profiles
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.command import Joints
from vlm_bench_sim.core.errors import CommandError, SceneError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import state_hash

PROFILE = profiles.robot('panda')
RED = Color('red', (1.0, 0.0, 0.0))


def prop(name, kind='cube', x=0.5, y=0.0, z=0.02, **given):
    return Prop(name, kind, (0.04, 0.04, 0.04), RED, 0.05, pose=Pose((x, y, z)), **given)


SCENE = Scene((prop('a', 'star', y=0.2), prop('b', 'cylinder', y=-0.2)))


@pytest.fixture
def world(engine):
    made = engines.world(PROFILE, engine)
    made.load(SCENE)
    yield made
    made.close()


def run(world, periods):
    return [state_hash(world.step()) for _ in range(periods)]


def test_what_is_added_falls_and_comes_to_rest_on_the_table(world):
    snapshot = world.add(prop('c', z=0.12))
    assert snapshot.pose('c').position == pytest.approx((0.5, 0.0, 0.12), abs=1e-9)
    run(world, 20)
    assert world.snapshot.pose('c').position[2] == pytest.approx(0.02, abs=1e-3)
    assert world.snapshot.touches('c', 'table')


@pytest.mark.parametrize('height', [0.55, 0.6, 0.7, 0.8, 0.9])
def test_a_glancing_blow_is_a_touch_however_short_it_is(world, height):
    """What falls onto the edge of a post is thrown off its course, and has touched the post then."""
    world.add(Prop('post', 'cube', (0.03, 0.03, 0.3), RED, 1.0, pose=Pose((0.5, 0.0, 0.15)), fixed=True))
    world.add(Prop('c', 'cube', (0.06, 0.06, 0.02), RED, 0.05, pose=Pose.from_rpy((0.5445, 0.0, height), (0.0, 0.6, 0.0))))
    film = [world.step() for _ in range(15)]
    hit = next(now.seq for now in film if abs(now.bodies['c'].linear[0]) > 0.01)
    assert next(now.seq for now in film if ('c', 'post') in now.touched) <= hit


@pytest.mark.parametrize('change', [{'mass': 0.0}, {'mass': -1.0}, {'mass': float('nan')}, {'friction': float('nan')}], ids=str)
def test_what_cannot_be_weighed_is_refused_and_leaves_nothing_behind(world, change):
    with pytest.raises(SceneError, match="'c' has a mass of"):
        world.add(replace(prop('c', z=0.12), **change))
    with pytest.raises(SceneError, match="'c' has a mass of"):
        world.load(Scene((replace(prop('c'), **change),)))
    assert set(world.snapshot.bodies) == {'a', 'b'} and not world.history
    saved, after = world.save(), run(world, 5)
    world.restore(saved)
    assert run(world, 5) == after


@pytest.mark.parametrize('given', [(float('nan'), 0.0, 0.3), (0.4, 0.0, float('inf'))])
def test_nothing_is_put_nowhere(world, given):
    before = world.snapshot
    with pytest.raises(CommandError, match='finite'):
        world.place('a', Pose(given))
    with pytest.raises(CommandError, match='finite'):
        world.place('a', Pose((0.4, 0.0, 0.3)), (0.0, 0.0, float('nan')))
    assert world.snapshot is before and not world.history


@pytest.mark.filterwarnings('ignore')
def test_a_state_that_blows_up_does_not_begin_anew(engine, tmp_path, monkeypatch):
    """Whatever becomes of it: the arm does not leap to zero, and nothing returns to where it was loaded."""
    monkeypatch.chdir(tmp_path)
    made = engines.world(PROFILE, engine)
    made.load(SCENE)
    arm = made.snapshot.arm(PROFILE.joints)
    made.place('a', Pose((0.5, 0.2, 0.5)), (1e9, 0.0, 1e9), (1e9, 1e9, 0.0))
    film = [made.step() for _ in range(3)]
    made.close()
    for now in film:
        x, y, _ = now.pose('a').position
        assert not abs(x - 0.5) < 0.05 or not abs(y - 0.2) < 0.05
        assert not np.allclose(now.arm(PROFILE.joints), np.zeros(len(arm)), atol=0.05)
    assert not list(tmp_path.iterdir())


def test_what_is_fixed_hangs_where_it_is(world):
    world.add(prop('c', z=0.3, fixed=True))
    run(world, 5)
    assert world.snapshot.pose('c').position[2] == pytest.approx(0.3)


@pytest.mark.parametrize('name', ['a', 'robot', 'table'])
def test_a_name_is_given_once(world, name):
    with pytest.raises(SceneError, match=name):
        world.add(prop(name))


def test_what_is_removed_is_gone_from_everything(world):
    world.add(prop('c', y=0.2, z=0.08))
    run(world, 12)
    assert world.snapshot.touches('a', 'c')
    snapshot = world.remove('a')
    assert 'a' not in snapshot.bodies
    assert not any('a' in pair for pair in (*snapshot.touching, *snapshot.touched))
    run(world, 12)
    assert world.snapshot.pose('c').position[2] == pytest.approx(0.02, abs=1e-3)
    with pytest.raises(SceneError, match="'a'"):
        world.remove('a')
    world.add(prop('a', 'moon', y=0.2, z=0.1))
    run(world, 2)


def test_what_comes_where_something_was_removed_touches_under_its_own_name(world):
    world.add(prop('c'))
    run(world, 5)
    world.remove('c')
    world.add(prop('d'))
    run(world, 5)
    assert world.snapshot.touches('d', 'table')
    assert not any('c' in pair for pair in world.snapshot.touched)


def test_velocities_are_those_of_the_frame(world):
    """A star's centre of mass is not its frame's origin: the spin must not leak into the velocity."""
    snapshot = world.place('a', Pose((0.5, 0.0, 0.5)), (0.3, -0.2, 0.1), (1.0, 2.0, 3.0))
    assert snapshot.body('a').linear == pytest.approx((0.3, -0.2, 0.1), abs=1e-9)
    assert snapshot.body('a').angular == pytest.approx((1.0, 2.0, 3.0), abs=1e-9)
    before = snapshot.pose('a').position
    after = world.step().pose('a').position
    assert after[0] - before[0] == pytest.approx(0.3 * 0.05, abs=2e-3)
    assert world.place('a', Pose((0.5, 0.0, 0.5))).body('a').linear == pytest.approx((0, 0, 0), abs=1e-9)


def test_all_of_it_is_done_again_bit_for_bit(world, engine):
    run(world, 2)
    world.add(prop('c', 'moon', y=0.19, z=0.1))
    world.apply(Joints((0.3, -0.6, 0.0, -2.3, 0.0, 1.6, 0.6)))
    run(world, 5)
    world.place('b', Pose((0.45, 0.1, 0.2)), (0.1, 0.4, 0.0), (0.0, 3.0, 1.0))
    run(world, 3)
    world.remove('a')
    world.add(prop('a', 'tray', x=0.4, y=-0.1, z=0.05))
    world.apply(Grip(0.02))
    run(world, 4)
    world.remove('c')
    saved, now = world.save(), world.state_hash()
    after = run(world, 6)
    text = codec.dumps(saved)
    other = engines.world(PROFILE, engine)
    assert state_hash(other.restore(codec.loads(text))) == now
    assert run(other, 6) == after
    other.close()
    assert state_hash(world.restore(saved)) == now
    assert run(world, 6) == after
    assert set(world.snapshot.bodies) == {'a', 'b'}


def test_a_removed_grasp_is_no_grasp(world):
    """Whatever the hand holds when it is removed, no later snapshot names it."""
    at = world.snapshot.tool
    world.add(Prop('held', 'cube', (0.04, 0.04, 0.04), RED, 0.02, pose=at, fixed=True))
    world.apply(Grip(0.0, 20.0))
    run(world, 12)
    assert world.snapshot.held == 'held'
    snapshot = world.remove('held')
    assert (snapshot.held, snapshot.released) == ('', ())
    after = [world.step() for _ in range(10)]
    assert {(s.held, s.grasped, s.released) for s in after} == {('', (), ())}
    assert after[-1].opening < 0.01


def test_a_removed_seal_is_no_seal(engine):
    """The cups let go before what they hold goes, and can suck again."""
    world = engines.world(profiles.robot('panda_vacuum'), engine)
    tip = world.load(Scene(())).tool.position
    for _ in range(2):
        world.add(Prop('held', 'cube', (0.08, 0.08, 0.04), RED, 0.02, pose=Pose((tip[0], tip[1], tip[2] - 0.0195)), fixed=True))
        world.apply(Seal(True))
        run(world, 4)
        assert world.snapshot.held == 'held'
        assert world.remove('held').held == ''
        run(world, 4)
        assert world.snapshot.held == ''
    world.close()

import gc
import weakref

import numpy as np
import pinocchio as pin
import pytest

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.snapshot import TABLE, pair
from vlm_bench_sim.motion.collision import CollisionModel


@pytest.fixture(scope='module')
def model(kinematics):
    return CollisionModel(kinematics)


def at(kinematics, home, x, y, z, yaw=0.0):
    q = kinematics.solve(Pose.from_rpy((x, y, z), (np.pi, 0, yaw)), home)
    assert q is not None
    return q


def test_home_touches_nothing(model, home):
    assert model.scene().contacts(home, 0.05) == {}


def test_each_pair_is_called_after_the_two_whose_hulls_pinocchio_compares(model, kinematics, make_prop):
    tray, held = make_prop('tray', 'tray', (0.2, 0.125, 0.05), 0.5, 0.2), make_prop('held', 'cube', (0.04, 0.04, 0.04), 0.0, 0.0)
    scene = model.scene([tray], held, allowed=['tray'])
    frames, parts = kinematics.model.frames, scene.geometry.geometryObjects

    def owner(index):
        props = {TABLE, tray.name, held.name}
        name = parts[index].name.partition('/')[0]
        return name if name in props else frames[parts[index].parentFrame].name

    assert scene.owners == [pair(owner(p.first), owner(p.second)) for p in scene.geometry.collisionPairs]
    assert pair('held', TABLE) in scene.owners and pair('tray', 'panda_link5') in scene.owners


def test_a_folded_arm_touches_itself(model, home):
    folded = home.copy()
    folded[3], folded[5] = -3.05, 0.0
    near = model.scene().contacts(folded, 0.0)
    assert near and all(a.startswith('panda_') and b.startswith('panda_') for a, b in near)


def test_distance_to_the_table_is_measured_from_the_fingertips(model, kinematics, home):
    # The pads end 0.0584 + 0.0444 + 0.0094 m from the hand, the tool point lies at 0.1034 m.
    tip = 0.0584 + 0.0444 + 0.0094 - 0.1034
    near = model.scene(opening=0.08).contacts(at(kinematics, home, 0.5, 0.1, 0.015), 0.02)
    assert near[pair('panda_leftfinger', TABLE)] == pytest.approx(0.015 - tip, abs=2e-4)
    deep = model.scene(opening=0.08).contacts(at(kinematics, home, 0.5, 0.1, 0.004), 0.02)
    assert deep[pair('panda_leftfinger', TABLE)] == pytest.approx(0.004 - tip, abs=2e-4)


def test_open_fingers_straddle_a_cube_that_half_open_ones_hit(model, kinematics, home, make_prop):
    cube = make_prop('cube', 'cube', (0.04, 0.04, 0.04), 0.5, 0.0)
    q = at(kinematics, home, 0.5, 0.0, 0.02)
    assert model.scene([cube], opening=0.06).contacts(q, 0.0) == {}
    assert model.scene([cube], opening=0.02).contacts(q, 0.0).keys() == {
        pair('cube', 'panda_leftfinger'),
        pair('cube', 'panda_rightfinger'),
    }
    assert model.scene([cube], opening=0.02, allowed=['cube']).contacts(q, 0.0) == {}


def test_allowed_props_still_stop_the_arm(model, kinematics, home, make_prop):
    tower = make_prop('tower', 'cube', (0.1, 0.1, 0.8), 0.35, 0.0)
    near = model.scene([tower], opening=0.08, allowed=['tower']).contacts(at(kinematics, home, 0.6, 0.0, 0.1), 0.0)
    assert near and all('finger' not in b and 'hand' not in b for _, b in near)


def test_what_is_held_collides_and_moves_with_the_tool(model, kinematics, home, make_prop):
    held = make_prop('held', 'cube', (0.04, 0.04, 0.2)).at(Pose((0.0, 0.0, 0.1)))
    scene = model.scene([], held, 0.04)
    near = scene.contacts(at(kinematics, home, 0.5, 0.0, 0.19), 0.05)
    assert near == {pair('held', TABLE): pytest.approx(-0.01, abs=2e-4)}
    assert scene.contacts(at(kinematics, home, 0.5, 0.0, 0.3), 0.05) == {}


def test_a_tray_is_hollow(model, kinematics, home, make_prop):
    tray = make_prop('tray', 'tray', (0.2, 0.125, 0.05), 0.5, 0.0)
    scene = model.scene([tray], opening=0.0)
    assert scene.contacts(at(kinematics, home, 0.5, 0.0, 0.02), 0.0) == {}
    assert scene.contacts(at(kinematics, home, 0.5, 0.06, 0.02, np.pi / 2), 0.0)


def test_broad_phase_agrees_with_every_pair_checked(model, kinematics, make_prop):
    rng = np.random.default_rng(1)
    kinds = ('star', 'moon', 'tray', 'cylinder')
    props = [make_prop(f'p{i}', kind, (0.06, 0.06, 0.2), rng.uniform(0.3, 0.6), rng.uniform(-0.3, 0.3)) for i, kind in enumerate(kinds)]
    held = make_prop('held', 'cube', (0.04, 0.04, 0.04))
    scene = model.scene(props, held, 0.04)
    checker = scene.checker(0.01, ({pair('p1', 'panda_hand'): -0.004},))
    answers = []
    for _ in range(400):
        q = rng.uniform((-0.8, -0.5, -0.8, -2.9, -1, 1, -1), (0.8, 1.2, 0.8, -1, 1, 3, 2))
        whole = kinematics.positions(q, 0.04)
        brute = pin.computeCollisions(kinematics.model, kinematics.data, scene.geometry, checker.data, whole, True)
        answers.append(checker.free(q))
        assert answers[-1] != brute
    assert 50 < sum(answers) < 350


def test_a_touching_pair_may_stay_so_but_come_no_nearer(model, kinematics, home):
    scene = model.scene(opening=0.08)
    resting = at(kinematics, home, 0.5, 0.0, 0.0078)
    checker = scene.checker(0.01, (scene.contacts(resting, 0.01),))
    assert not scene.checker(0.01).free(resting)
    assert checker.free(resting) and checker.free(at(kinematics, home, 0.5, 0.0, 0.05))
    assert not checker.free(at(kinematics, home, 0.5, 0.0, 0.005))


def test_the_floor_is_as_high_as_the_table(model, kinematics, home):
    q = at(kinematics, home, 0.5, 0.1, 0.055)
    assert model.scene(opening=0.08).contacts(q, 0.0) == {}
    assert {TABLE} <= {name for pair in model.scene(opening=0.08, floor=0.06).contacts(q, 0.0) for name in pair}
    low = at(kinematics, home, 0.5, 0.1, -0.02)
    assert model.scene(opening=0.08).contacts(low, 0.0)
    assert model.scene(opening=0.08, floor=-0.05).contacts(low, 0.0) == {}


def test_a_scene_is_gone_with_its_last_user_and_waits_for_no_garbage_collection(model, home):
    gc.disable()
    try:
        scene = model.scene()
        assert scene.checker(0.0).free(home) and scene.contacts(home, 0.05) == {}
        gone = weakref.ref(scene)
        del scene
        assert gone() is None
    finally:
        gc.enable()

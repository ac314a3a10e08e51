"""Collision in two steps answers as all parts would, and looks at the parts of those things alone that the arm comes near."""

import numpy as np
import pytest

from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.protocols import PlanRequest
from vlm_bench_sim.core.snapshot import pair
from vlm_bench_sim.motion.collision import CollisionModel, CollisionScene
from vlm_bench_sim.motion.rough import RoughScene, surroundings

BOWL, TRAY = (0.12, 0.12, 0.045), (0.2, 0.125, 0.05)


@pytest.fixture(scope='module')
def model(kinematics):
    return CollisionModel(kinematics)


@pytest.fixture
def asked(make_prop, home):
    """A table with three hollow things, a cube and something in the hand."""
    props = (
        make_prop('bowl', 'bowl', BOWL, 0.5, 0.0),
        make_prop('other', 'bowl', BOWL, 0.45, 0.25),
        make_prop('tray', 'tray', TRAY, 0.45, -0.25),
        make_prop('cube', 'cube', (0.05, 0.05, 0.05), 0.35, 0.1),
    )
    held = make_prop('held', 'cube', (0.03, 0.03, 0.03))
    return PlanRequest(tuple(home), ToolPose(Pose()), props, held)


def arms(kinematics, home, count: int):
    """Arm positions with the tool low over the table, many of them in or near something."""
    rng = np.random.default_rng(3)
    while count:
        where = Pose.from_rpy((rng.uniform(0.3, 0.6), rng.uniform(-0.35, 0.35), rng.uniform(0.02, 0.14)), (np.pi, 0, rng.uniform(-1, 1)))
        found = kinematics.solve(where, home)
        if found is not None:
            count -= 1
            yield found


@pytest.mark.parametrize('clearance', [0.0, 0.008])
def test_contacts_are_those_of_all_parts(model, kinematics, home, asked, clearance):
    exact = model.scene(asked.obstacles, asked.held, 0.04, ('cube',))
    rough, seen = surroundings(model, asked, opening=0.04, allowed=('cube',)), set()
    for arm in arms(kinematics, home, 150):
        wanted = exact.contacts(arm, clearance)
        found = rough.contacts(arm, clearance)
        assert list(found) == list(wanted) and found == pytest.approx(wanted, abs=1e-6)
        seen |= {name for two in wanted for name in two}
    assert {'bowl', 'other', 'tray', 'held'} <= seen


@pytest.mark.parametrize('clearance', [0.0, 0.008])
def test_checks_are_those_of_all_parts_and_are_counted(model, kinematics, home, asked, clearance):
    permitted = ({pair('bowl', 'panda_hand'): -0.01, pair('bowl', 'held'): -0.002},)
    exact = model.scene(asked.obstacles, asked.held, 0.04).checker(clearance, permitted)
    rough = surroundings(model, asked, opening=0.04).checker(clearance, permitted)
    answers = [(exact.free(arm), rough.free(arm)) for arm in arms(kinematics, home, 150)]
    assert all(wanted is found for wanted, found in answers)
    assert 20 < sum(wanted for wanted, _ in answers) < 130
    assert rough.checks == exact.checks == 150
    assert rough.all_free([home, home]) and rough.checks == 152


def test_only_what_the_arm_comes_near_is_looked_at_in_parts(model, kinematics, home, asked):
    scene = surroundings(model, asked, opening=0.04)
    assert isinstance(scene, RoughScene)
    few = len(scene.scene.owners)
    scene.contacts(home, 0.008)
    assert len(scene.scene.owners) == few
    into = kinematics.solve(Pose.from_rpy((0.5, 0.0, 0.03), (np.pi, 0, 0)), home)
    scene.contacts(into, 0.008)
    one = len(scene.scene.owners)
    assert few < one < len(model.scene(asked.obstacles, asked.held, 0.04).owners)
    scene.contacts(into, 0.008)
    assert len(scene.scene.owners) == one


def test_where_everything_is_of_one_part_there_is_nothing_to_look_closer_at(model, asked, make_prop, home):
    plain = PlanRequest(tuple(home), ToolPose(Pose()), (make_prop('cube', 'cube', (0.05, 0.05, 0.05)),))
    assert isinstance(surroundings(model, plain, opening=0.04), CollisionScene)

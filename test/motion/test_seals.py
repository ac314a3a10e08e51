"""Where cups seal: where their lips follow the surface, along its normal, within reach of the head."""

from functools import cache

import numpy as np
import pytest

from vlm_bench_sim.core.household import HOUSEHOLD_SIZES
from vlm_bench_sim.core.shapes import solid
from vlm_bench_sim.motion.collision import CollisionModel
from vlm_bench_sim.motion.gripper import GripperBody
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.motion.seals import Cups, SealSampler
from vlm_bench_sim.motion.surface import Surface
from vlm_bench_sim.profiles import robot

CUBE, TRAY = (0.06, 0.06, 0.06), (0.2, 0.125, 0.05)


@pytest.fixture(
    scope='module', params=[pytest.param('panda_vacuum', marks=pytest.mark.slow), 'ur5e', pytest.param('xarm6', marks=pytest.mark.slow)]
)
def cups(request) -> tuple[GripperBody, Cups]:
    profile = robot(request.param)
    body = GripperBody(CollisionModel(Kinematics(profile)))
    return body, Cups(body.tips(profile.gripper.links), profile.gripper)


@pytest.fixture(scope='module')
def sample(cups):
    """What the sampler of one gripper finds; the same shape is only searched once."""
    return cache(SealSampler(*cups).sample)


def gap_under(cup: np.ndarray, kind, size, tool) -> float:
    """Return how far the surface under a cup's rim and middle strays from the plane of its tip, m; infinite where there is none."""
    crossings = Surface(solid(kind).scaled(size)).crossings(tool.apply(cup) - 0.03 * tool.rotation[:, 2] + 1e-6, tool.rotation[:, 2])
    depth = np.min(np.where(np.isnan(crossings), np.inf, crossings), axis=1) - 0.03
    return float(np.abs(depth).max())


@pytest.mark.parametrize(
    ('kind', 'size'), [('cube', CUBE), ('cylinder', CUBE), ('star', (0.066, 0.062, 0.042)), ('triangular_prism', (0.06, 0.052, 0.05))]
)
def test_the_first_cup_lies_flat_and_the_tool_along_the_normal(sample, cups, kind, size):
    lip = cups[1].around()[0]
    for seal in sample(kind, size, 1.0):
        assert gap_under(lip, kind, size, seal.tool) < 1e-3
        aligned = Surface(solid(kind).scaled(size)).normals @ -seal.tool.rotation[:, 2]
        assert aligned.max() > 0.999
        assert seal.opening == 0.0


def test_the_best_seal_is_from_above_over_the_middle(sample):
    best = sample('cube', CUBE, 1.0)[0]
    assert best.tool.position == pytest.approx((0.0, 0.0, 0.03), abs=1e-5)
    assert best.tool.rotation[2, 2] == pytest.approx(-1.0)


def test_every_seal_is_no_better_than_the_one_before_and_differs_from_it(sample):
    seals = sample('cube', CUBE, 1.0)
    assert [s.quality for s in seals] == sorted((s.quality for s in seals), reverse=True)
    assert all(a.tool.distance(b.tool) > 0.006 or a.tool.angle(b.tool) > 0.2 for i, a in enumerate(seals) for b in seals[:i])


def test_a_tray_is_taken_by_its_floor_from_inside(sample):
    inside = [s for s in sample('tray', TRAY, 1.0) if s.tool.rotation[2, 2] < -0.999]
    floor = -TRAY[2] / 2 + 0.004
    assert inside and all(s.tool.position[2] == pytest.approx(floor, abs=1e-6) for s in inside)


def test_the_head_keeps_off_the_prop_and_off_what_it_stands_on(cups, sample):
    seals = sample('tray', TRAY, 1.0)
    reach = np.abs(cups[1].tips[:, :2]).max() + cups[1].profile.radius
    for seal in seals:
        if seal.tool.rotation[2, 2] < -0.999:
            assert abs(seal.tool.position[0]) < TRAY[0] / 2 - 0.004 - reach / 2
        else:
            assert seal.tool.position[2] > -TRAY[2] / 2


@pytest.mark.parametrize('size', [(0.010, 0.010, 0.05), (0.010, 0.010, 0.010)])
def test_what_is_smaller_than_a_cup_has_no_seal(sample, size):
    assert sample('cube', size, 1.0) == ()


def on_the_side(seals) -> list:
    return [seal for seal in seals if abs(seal.tool.rotation[2, 2]) < 0.1]


def test_a_lip_follows_a_round_side_as_far_as_it_travels(sample, cups):
    gripper = cups[1].profile
    closing = 0.9 * gripper.radius
    for radius in np.linspace(0.0055, 0.0115, 7):
        recedes = radius - np.sqrt(radius**2 - closing**2) if radius > closing else np.inf
        if abs(recedes - gripper.lip) > 5e-4:  # the cylinder has flat sides
            assert bool(on_the_side(sample('cylinder', (2 * radius, 2 * radius, 0.12), 1.0))) is bool(recedes < gripper.lip)


@pytest.mark.parametrize(('kind', 'size'), [('ball', (0.066,) * 3), ('bowl', (0.161, 0.161, 0.055)), ('letter_t', (0.06, 0.06, 0.03))])
def test_round_hollow_and_narrow_things_are_taken_from_above(sample, kind, size):
    assert sample(kind, size, 1.0)[0].tool.rotation[2, 2] < -0.98


@pytest.mark.parametrize('kind', ['letter_m', 'letter_o', 'banana', 'padlock', 'wrench', 'medium_clamp', 'scissors', 'peg_board'])
def test_household_things_with_a_hole_or_a_waist_are_taken_from_above(sample, kind):
    assert any(seal.tool.rotation[2, 2] < -0.98 for seal in sample(kind, HOUSEHOLD_SIZES[kind], 1.0))

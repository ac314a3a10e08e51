import numpy as np
import pytest

from vlm_bench_sim.core.bottles import FACET
from vlm_bench_sim.core.objects.instances import BOTTLES
from vlm_bench_sim.motion.collision import CollisionModel
from vlm_bench_sim.motion.grasps import GraspSampler
from vlm_bench_sim.motion.gripper import GripperBody

SIZES = {
    'star': (0.055, 0.052, 0.035),
    'triangular_prism': (0.046, 0.040, 0.039),
    'cylinder': (0.046, 0.046, 0.042),
    'cube': (0.042, 0.042, 0.042),
    'moon': (0.054, 0.055, 0.039),
}


def scaled(scale: float):
    return [(kind, tuple(scale * v for v in size)) for kind, size in SIZES.items()]


CASES = [*scaled(1.2), *[pytest.param(*case, marks=pytest.mark.slow) for case in scaled(0.8)]]


@pytest.fixture(scope='module')
def body(kinematics):
    return GripperBody(CollisionModel(kinematics))


@pytest.fixture(scope='module')
def sampler(body):
    return GraspSampler(body)


def upright(grasps):
    return [g for g in grasps if g.tool.rotation[2, 2] < -0.999]


def test_pads_are_read_from_the_urdf(body):
    # Boxes of 18 × 10 × 18.8 mm, their middle 0.0584 + 0.0444 m from the hand; the tool point at 0.1034 m.
    assert body.pads.width == pytest.approx(0.018)
    assert (body.pads.behind, body.pads.tip) == pytest.approx((-0.0006 - 0.0094, -0.0006 + 0.0094))
    assert -0.045 < body.pads.palm < -0.03


@pytest.mark.parametrize(('kind', 'size'), CASES)
def test_every_shape_has_upright_grasps_first_that_keep_off_the_ground(sampler, body, kind, size):
    grasps = sampler.sample(kind, size, 1.0)
    assert 10 <= len(grasps) <= 40 and len(upright(grasps)) >= 4
    assert grasps[0].tool.rotation[2, 2] < -0.999
    for grasp in upright(grasps):
        assert grasp.tool.position[2] - body.pads.tip > -size[2] / 2 + 0.004 - 1e-6
        assert 0.02 < grasp.opening <= 0.08
    assert all(0 <= g.quality <= 1 for g in grasps) and [g.quality for g in grasps] == sorted((g.quality for g in grasps), reverse=True)


def test_a_cube_is_taken_flat_on_flat_through_its_middle(sampler):
    best = sampler.sample('cube', (0.042, 0.042, 0.042), 1.0)[0]
    assert np.abs(best.tool.position[:2]).max() < 1e-5
    assert np.abs(best.tool.rotation[:, 1]).max() == pytest.approx(1.0)
    assert best.opening == pytest.approx(0.062) and best.quality > 0.95


def test_a_triangular_prism_is_taken_across_a_side_and_the_edge_opposite(sampler):
    size = (0.046, 0.046 * np.sqrt(3) / 2, 0.039)
    axis = sampler.sample('triangular_prism', size, 1.0)[0].tool.rotation[:2, 1]
    sides = [np.array([np.cos(a), np.sin(a)]) for a in np.radians([-90, 30, 150])]
    assert max(abs(axis @ side) for side in sides) > 0.999


def test_half_turned_grasps_are_offered_too(sampler):
    axes = [g.tool.rotation[:, 1] for g in upright(sampler.sample('triangular_prism', SIZES['triangular_prism'], 1.0))]
    assert all(any(np.allclose(a, -b, atol=1e-6) for b in axes) for a in axes)


@pytest.mark.parametrize('kind', [pytest.param(kind, marks=[pytest.mark.slow] * (kind not in ('bottle3', 'bottle8'))) for kind in BOTTLES])
def test_a_bottle_is_taken_from_above_where_it_stands_and_across_wherever_it_lies(sampler, body, kind):
    size = BOTTLES[kind].model.size
    grasps = sampler.sample(kind, size, 0.8)
    assert len(upright(grasps)) >= 4 and len(grasps) <= 80
    assert [g.quality for g in grasps] == sorted((g.quality for g in grasps), reverse=True)
    across = [g.tool for g in grasps if np.abs(g.tool.rotation[2, 1:]).max() < 0.1]
    for roll in FACET + 2 * FACET * np.arange(20):  # on each of its facets
        down = np.array([np.cos(roll), np.sin(roll), 0.0])
        above = [tool for tool in across if tool.rotation[:, 2] @ down > np.cos(FACET) - 1e-6]
        assert above and all(tool.position @ down + body.pads.tip < size[0] / 2 * np.cos(FACET) - 0.004 for tool in above)


def test_what_is_wider_than_the_gripper_has_no_grasp(sampler):
    assert sampler.sample('cube', (0.09, 0.09, 0.09), 1.0) == ()


def test_a_tray_is_taken_by_its_rim(sampler):
    for grasp in sampler.sample('tray', (0.2, 0.125, 0.05), 1.0):
        assert grasp.opening == pytest.approx(0.024, abs=2e-3)


def test_the_same_content_gives_the_same_grasps(sampler, planner, make_prop):
    first = sampler.sample('star', SIZES['star'], 0.7)
    sampler.sample('cube', SIZES['cube'], 0.7)
    assert sampler.sample('star', SIZES['star'], 0.7) == first
    assert planner.grasps(make_prop('a', 'cube', SIZES['cube'])) == planner.grasps(make_prop('b', 'cube', SIZES['cube'], 0.5, 0.2))


def test_grasps_differ_from_each_other(sampler):
    grasps = sampler.sample('cylinder', SIZES['cylinder'], 1.0)
    assert all(a.tool.distance(b.tool) > 0.006 or a.tool.angle(b.tool) > 0.2 for i, a in enumerate(grasps) for b in grasps[:i])

"""Bottles stand, and lie with their axis level."""

from math import asin, degrees, pi

import numpy as np
import pytest
from stage import steps

from vlm_bench_sim.core.bottles import FACET
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.objects.instances import BOTTLES
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.physics.masses import mass_moments

SECOND = 20
SAMPLE = ('bottle3', 'bottle7', 'bottle9')
some = pytest.mark.parametrize('kind', [pytest.param(kind, marks=[pytest.mark.slow] * (kind not in SAMPLE)) for kind in BOTTLES])


def bottle(kind: str, pose: Pose) -> Prop:
    return BOTTLES[kind].prop('bottle', noun='bottle').at(pose)


def lying(kind: str, *, roll: float = 0.0) -> Prop:
    """The bottle on its side, 1 mm above the table, turned by `roll` about its axis."""
    x, _, _ = BOTTLES[kind].model.size
    return bottle(kind, Pose.from_rpy((0.5, 0.0, x / 2 + 1e-3), (0.0, pi / 2, 0.4)) @ Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, roll)))


@pytest.mark.parametrize('kind', BOTTLES)
def test_the_mass_is_well_between_the_bands_that_carry_a_lying_bottle_and_over_a_wide_foot(kind):
    prop = bottle(kind, Pose())
    surface, centre = prop.solid.vertices, mass_moments(kind)[0] * prop.size
    across = np.linalg.norm(surface[:, :2], axis=1)
    band = surface[across > across.max() - 1e-6][:, 2]
    assert band.min() + 0.015 < centre[2] < band.max() - 0.015
    assert np.abs(centre[:2]).max() < 1e-6
    foot = surface[surface[:, 2] < surface[:, 2].min() + 1e-6]
    assert len(foot) == 20 and 2 * np.linalg.norm(foot[:, :2], axis=1).min() >= 0.036


@some
def test_a_standing_bottle_settles_upright_and_stays_for_a_second(world, kind):
    prop = bottle(kind, Pose.from_rpy((0.5, 0.0, BOTTLES[kind].model.size[2] / 2 + 5e-4), (0.0, 0.0, 0.3)))
    before = world.load(Scene((prop,)))
    stays(before, steps(world, SECOND))
    assert before.pose('bottle').rotation[2, 2] > 0.9999


@some
def test_a_bottle_that_is_dropped_by_2_cm_does_not_fall_over_and_stands_still_within_two_seconds(world, kind):
    """A slender one rocks for longer than other props."""
    height = BOTTLES[kind].model.size[2] / 2 + 5e-4
    prop = bottle(kind, Pose.from_rpy((0.5, 0.0, height), (0.0, 0.0, 0.5)))
    world.load(Scene((prop,)))
    world.place('bottle', prop.pose.shifted((0.0, 0.0, 0.02)))
    before = steps(world, 2 * SECOND)[-1]
    stays(before, steps(world, SECOND))
    assert before.pose('bottle').rotation[2, 2] > 0.9999


@some
@pytest.mark.parametrize('roll', [FACET, 0.0], ids=['on a facet', 'on an edge'])
def test_a_lying_bottle_is_level_and_stays_for_a_second(world, kind, roll):
    before = world.load(Scene((lying(kind, roll=roll),)))
    film = steps(world, SECOND)
    if roll == FACET:
        stays(before, film)
    assert np.linalg.norm(film[-1].body('bottle').linear) < 2e-3
    assert abs(degrees(asin(film[-1].pose('bottle').rotation[2, 2]))) < 1.0


def stays(before, film) -> None:
    for now in film:
        assert now.pose('bottle').distance(before.pose('bottle')) < 1e-3
        assert np.linalg.norm(now.body('bottle').linear) < 2e-3

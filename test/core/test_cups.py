"""Cups: of about the same capacity, and with a wall that fingers take."""

import numpy as np
import pytest

from vlm_bench_sim.core.cups import CUPS
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.matter import inside
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.shapes import usual_size

HANDLED = {'cup1', 'cup2', 'cup4', 'cup5', 'cup7', 'cup9'}
STEP = 0.002
every_cup = pytest.mark.parametrize('kind', CUPS)


def cup(kind: str) -> Prop:
    return Prop('cup', kind, usual_size(kind), Color('glass', (0.9, 0.9, 0.9)), 0.2)


def free(prop: Prop, height: float, *, spoke: float = 0.0) -> float:
    """How far from the axis, m, the inside reaches at a height in the prop's frame."""
    reach = np.arange(0.0, 0.05, 1e-4)
    x, y = prop.solid.cavity.centre[:2]
    points = np.column_stack([x + reach * np.cos(spoke), y + reach * np.sin(spoke), np.full(len(reach), height)])
    return float(reach[inside(prop.at(Pose()), points)].max())


@every_cup
def test_the_inside_is_round_and_only_a_handle_makes_a_cup_deeper_than_wide(kind):
    x, y, _ = cup(kind).solid.cavity.size
    assert x == pytest.approx(y, abs=1e-4)
    size = usual_size(kind)
    assert (size[1] > size[0] + 0.02) == (kind in HANDLED)


@every_cup
def test_rim_and_wall_have_the_size_that_fingers_take(kind):
    prop = cup(kind)
    surface, top = prop.solid.vertices, prop.solid.cavity.high[2]
    rim = surface[surface[:, 2] > top - 1e-6][:, :2] - prop.solid.cavity.centre[:2]
    inner, outer = np.unique(np.linalg.norm(rim, axis=1).round(4))
    assert 0.066 <= 2 * inner <= 0.074
    assert outer - inner == pytest.approx(0.003, abs=2e-4)
    assert usual_size(kind)[0] <= 0.080


@every_cup
def test_the_capacity_is_about_a_quarter_of_a_litre(kind):
    prop = cup(kind)
    cavity = prop.solid.cavity
    heights = np.arange(cavity.low[2] + STEP / 2, cavity.high[2], STEP)
    ring = 10 * np.sin(2 * np.pi / 20)  # area of a ring of 20 corners of radius 1
    assert sum(ring * free(prop, height) ** 2 * STEP for height in heights) == pytest.approx(2.45e-4, rel=0.06)


@pytest.mark.parametrize('kind', sorted(HANDLED))
def test_a_handle_stands_off_the_wall_by_a_finger(kind):
    prop = cup(kind)
    x, y, _ = usual_size(kind)
    assert y - x >= 0.025
    surface = prop.solid.vertices
    assert surface[:, 1].argmax() in np.flatnonzero(np.abs(surface[:, 0]) < 0.007), 'it lies at +y'

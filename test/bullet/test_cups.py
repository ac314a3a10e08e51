"""Sixty beads fill a cup to four fifths, and leave it over a wide range of tilts."""

from dataclasses import replace
from math import radians

import numpy as np
import pytest
from stage import steps

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.matter import Beads, fill, packed
from vlm_bench_sim.core.objects.instances import CUPS
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene

COUNT, RADIUS, MASS = 60, 0.007, 1.3e-3
SECOND = 20
SAMPLE = ('cup3', 'cup8', 'cup9')
some = pytest.mark.parametrize('kind', [pytest.param(kind, marks=[pytest.mark.slow] * (kind not in SAMPLE)) for kind in CUPS])


def cup(kind: str, *, above: float = 5e-4) -> Prop:
    prop = CUPS[kind].prop('cup', noun='cup')
    return prop.at(Pose((0.5, 0.0, prop.size[2] / 2 + above)))


def full(prop: Prop, seed: int) -> Scene:
    return Scene((prop,), beads=(Beads('water', packed(prop, COUNT, np.random.default_rng(seed), radius=RADIUS), RADIUS, MASS),))


@some
def test_a_full_cup_stands_still_and_its_water_is_at_three_quarters_to_nine_tenths(world, kind):
    before = world.load(full(cup(kind), 0))
    now = steps(world, SECOND)[-1]
    pose = now.pose('cup')
    assert pose.distance(before.pose('cup')) < 1e-3 and pose.rotation[2, 2] > 0.9999
    assert fill(cup(kind).at(pose), now.beads['water']) == 1.0
    cavity = cup(kind).solid.cavity
    top = pose.inverse().apply(now.beads['water'])[:, 2].max() + RADIUS
    assert 0.75 <= (top - cavity.low[2]) / cavity.size[2] <= 0.90


@some
def test_all_beads_fit_whatever_the_chance(kind):
    for seed in range(10):
        assert len(packed(cup(kind), COUNT, np.random.default_rng(seed), radius=RADIUS)) == COUNT


@some
def test_the_water_leaves_over_twenty_degrees_of_tilt(world, kind):
    held = replace(cup(kind, above=0.25), fixed=True)
    world.load(full(held, 0))
    left = []
    for tilt in np.arange(0.0, 128.5, 0.5):
        tilted = held.at(Pose.from_rpy(held.pose.position, (radians(float(tilt)), 0.0, 0.0)))
        world.place('cup', tilted.pose)
        left.append(fill(tilted, world.step().beads['water']))
    assert left[90] == 1.0 and left[-1] <= 0.1
    assert sum(0.1 < share < 0.95 for share in left) >= 40

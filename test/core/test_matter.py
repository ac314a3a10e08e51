"""Beads fill a cup from its floor up, and are counted in the cup's own frame."""

from dataclasses import replace

import numpy as np
import pytest

from vlm_bench_sim.core.codec import dumps, loads
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.matter import CLEARANCE, RADIUS, Beads, Dirt, fill, inside, packed
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.shapes import usual_size

RED = Color('red', (1.0, 0.0, 0.0))
CUPS = ('mug1', 'mug2', 'mug3', 'mug4', 'mug5', 'mug6', 'bowl', 'basket', 'tray')
TILTED = Pose.from_rpy((0.4, -0.2, 0.3), (0.9, -0.4, 2.0))


def cup(kind: str, *, scale: float = 1.0, pose: Pose = TILTED) -> Prop:
    x, y, z = (scale * extent for extent in usual_size(kind))
    return Prop('cup', kind, (x, y, z), RED, 0.15, pose=pose)


def chance() -> np.random.Generator:
    return np.random.default_rng(5)


def gap(cup: Prop, centre: np.ndarray) -> float:
    """How far a point in the cup's frame is from the surface, over points spread on it."""
    corners = cup.solid.vertices[cup.solid.faces]
    shares = np.random.default_rng(0).dirichlet((0.6, 0.6, 0.6), 60)
    return float(np.linalg.norm((shares @ corners).reshape(-1, 3) - centre, axis=1).min())


@pytest.mark.parametrize('kind', CUPS)
def test_packed_beads_lie_in_the_cup_clear_of_it_and_of_one_another(kind):
    for scale in (0.75, 1.1):
        holder = cup(kind, scale=scale)
        centres = np.array(packed(holder, 50, chance()))
        assert fill(holder, centres) == 1.0
        apart = np.linalg.norm(centres[:, None] - centres, axis=2) + np.eye(50)
        assert apart.min() > 2 * RADIUS
        own = holder.pose.inverse().apply(centres)
        assert min(gap(holder, centre) for centre in own[::5]) > RADIUS + CLEARANCE / 2
        assert own[:, 2].max() < holder.solid.cavity.high[2] - RADIUS


def test_a_narrow_cup_is_packed_without_a_bead_on_its_axis_if_it_holds_more_so():
    """A layer of beads of 14 mm around one on the axis has 7, and one around a gap 12."""
    narrow = Prop('cup', 'cup3', usual_size('cup3'), RED, 0.15)
    centres = np.array(packed(narrow, 60, chance(), radius=0.007))
    assert fill(narrow, centres) == 1.0
    apart = np.linalg.norm(centres[:, None] - centres, axis=2) + np.eye(60)
    assert apart.min() > 0.014
    assert np.linalg.norm(centres[:, :2], axis=1).min() > 0.005
    few = np.array(packed(narrow, 30, chance(), radius=0.007))
    assert np.linalg.norm(few[:, :2], axis=1).min() < 0.001


def test_chance_alone_says_how_they_lie():
    assert packed(cup('mug1'), 40, chance()) == packed(cup('mug1'), 40, chance())
    assert packed(cup('mug1'), 40, np.random.default_rng(6)) != packed(cup('mug1'), 40, chance())


def test_too_many_do_not_fit_and_a_full_thing_holds_none():
    with pytest.raises(SceneError, match=r"900 beads of 8 mm were requested in 'cup' \(bowl\); \d+ fit below its rim"):
        packed(cup('bowl'), 900, chance())
    with pytest.raises(SceneError, match='holds nothing'):
        packed(Prop('cup', 'cube', (0.1, 0.1, 0.1), RED, 0.1), 2, chance())
    with pytest.raises(SceneError, match='holds nothing'):
        fill(Prop('cup', 'cube', (0.1, 0.1, 0.1), RED, 0.1), [(0.0, 0.0, 0.0)])


@pytest.mark.parametrize('kind', CUPS)
def test_only_what_is_between_floor_and_rim_and_within_the_walls_is_inside(kind):
    holder = cup(kind)
    cavity = holder.solid.cavity
    x, y, _ = cavity.centre
    just = {True: [(x, y, cavity.low[2] + 1e-4), (x, y, cavity.high[2] - 1e-4)]}
    just[False] = [(x, y, cavity.low[2] - 1e-4), (x, y, cavity.high[2] + 1e-4), (x + holder.size[0], y, 0.0), (x, y - holder.size[1], 0.0)]
    for expected, points in just.items():
        assert (inside(holder, holder.pose.apply(points)) == expected).all()


def test_a_bead_in_the_bow_of_the_handle_or_beside_a_narrow_foot_is_not_inside():
    mug = cup('mug4')  # whose foot is narrower than its rim
    x, y, _ = mug.solid.cavity.centre
    low, rim = mug.solid.cavity.low[2] + 0.005, mug.solid.cavity.high[2] - 0.002
    handle = (0.0, mug.size[1] / 2 - 0.012, 0.0)
    points = [(x + 0.045, y, rim), (x + 0.045, y, low), handle, (x + 0.025, y, low)]
    assert inside(mug, mug.pose.apply(points)).tolist() == [True, False, False, True]


def test_a_share_counts_beads_and_none_of_none_is_none():
    mug = cup('mug2')
    centres = [*packed(mug, 30, chance()), *[(2.0, 0.0, 0.0)] * 10]
    assert fill(mug, centres) == pytest.approx(0.75)
    assert fill(mug, []) == 0.0
    assert fill(mug.at(Pose((1.0, 0.0, 0.0))), centres) == 0.0


def test_matter_survives_json():
    beads, dirt = Beads('water', packed(cup('bowl'), 3, chance())), Dirt('soil', ((0.1, 0.2, 0.3),), 'sponge')
    assert loads(dumps((beads, dirt))) == (beads, dirt)


@pytest.mark.parametrize(
    ('change', 'says'),
    [
        ({'centres': ()}, "'water' has no beads"),
        ({'radius': 0.0}, 'radius of 0 m'),
        ({'mass': -1.0}, 'a mass of -1 kg. Give values above 0'),
        ({'mass': float('nan')}, 'Give values above 0'),
        ({'name': 'my water'}, "name of a group of beads is made of .*; found 'my water'"),
    ],
)
def test_beads_that_make_no_sense_are_refused(change, says):
    with pytest.raises(SceneError, match=says):
        replace(Beads('water', ((0.4, 0.0, 0.1),)), **change)


def test_a_patch_of_dirt_has_a_name():
    with pytest.raises(SceneError, match=r"name of a patch of dirt is made of .*; found ''"):
        Dirt('', (), 'sponge')

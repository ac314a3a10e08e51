"""Solids are closed, fill the unit box, and are the union of their convex parts."""

import numpy as np
import pytest
import trimesh
from scipy.spatial import ConvexHull

from vlm_bench_sim.core.bottles import BOTTLES
from vlm_bench_sim.core.cups import CUPS
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.figures import rectangle, ribbon
from vlm_bench_sim.core.household import HOUSEHOLD
from vlm_bench_sim.core.objects.sorter import HEIGHT, HOLES, LID, SIDE
from vlm_bench_sim.core.shapes import kinds, solid
from vlm_bench_sim.core.solids import heap

KINDS = kinds()
MUGS = {'mug', *(f'mug{i}' for i in range(1, 7))}
OPEN = MUGS | set(CUPS) | {'bowl', 'plate', 'basket', 'tray', 'shape_sorter'}
AREAS = {'rectangle_area', 'round_area', 'star_area', 'triangle_area', 'cross_area', 'flower_area'}
BLOCKS = {'cube', 'cylinder', 'triangular_prism', 'star', 'moon', 'letter_t', 'cross', 'flower', 'pentagon'}
BOXED = {'tray', 'zone', 'shape_sorter'}  # of boxes that share faces
HEAPS = {'padlock', 'wrench', 'medium_clamp', 'large_clamp', 'extra_large_clamp', 'scissors'}  # of prisms of which some overlap
BENT = {'banana'}
OVERLAPPING = MUGS | set(CUPS) | HEAPS | BENT | BOXED  # a handle's ends lie inside the wall
every_kind = pytest.mark.parametrize('kind', KINDS)


def mesh(kind: str) -> trimesh.Trimesh:
    shape = solid(kind)
    return trimesh.Trimesh(shape.vertices, shape.faces, process=False)


def test_every_shape_is_there():
    assert set(KINDS) == BLOCKS | OPEN | AREAS | set(BOTTLES) | set(HOUSEHOLD) | {'bottle', 'pencil', 'sponge', 'zone', 'ball'}


@every_kind
def test_a_solid_fills_the_unit_box(kind):
    vertices = solid(kind).vertices
    assert np.allclose(vertices.min(axis=0), -0.5)
    assert np.allclose(vertices.max(axis=0), 0.5)


@pytest.mark.parametrize('kind', [k for k in KINDS if k not in BOXED])
def test_its_surface_is_closed_and_faces_outwards(kind):
    surface = mesh(kind)
    assert surface.is_watertight
    assert surface.is_winding_consistent
    assert surface.volume > 0


@pytest.mark.parametrize('kind', [k for k in KINDS if k not in OVERLAPPING])
def test_the_parts_fill_the_surface_exactly(kind):
    """The parts share faces but no volume, so their volumes add up to the one inside the surface."""
    parts = sum(ConvexHull(part).volume for part in solid(kind).parts)
    assert parts == pytest.approx(mesh(kind).volume, rel=1e-7)


@every_kind
def test_each_part_is_convex_and_lies_in_the_unit_box(kind):
    for part in solid(kind).parts:
        assert len(ConvexHull(part).vertices) == len(part)
        assert (np.abs(part) <= 0.5 + 1e-9).all()


@every_kind
def test_the_vertices_of_the_surface_are_those_of_the_parts(kind):
    shape = solid(kind)
    corners = np.concatenate(shape.parts)
    distance = np.linalg.norm(shape.vertices[:, None] - corners[None], axis=2).min(axis=1)
    assert distance.max() < 1e-8


def test_volumes_are_those_of_geometry():
    """Areas of the plane figures, in the box that each is fitted to: worked out by hand."""
    assert mesh('cube').volume == pytest.approx(1.0)
    assert mesh('triangular_prism').volume == pytest.approx(0.5)
    ring = 32 / 2 * np.sin(2 * np.pi / 32)
    assert mesh('cylinder').volume == pytest.approx(ring / 4)
    star = 10 * 0.5 * 1.0 * 0.5 * np.sin(np.pi / 5)
    width, height = 2 * np.cos(np.pi / 10), 1 + np.cos(np.pi / 5)
    assert mesh('star').volume == pytest.approx(star / (width * height))


def test_a_tray_is_a_floor_and_four_walls_that_do_not_overlap():
    boxes = [(part.min(axis=0), part.max(axis=0)) for part in solid('tray').parts]
    assert len(boxes) == 5
    for i, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[:i]:
            shared = np.minimum(high, other_high) - np.maximum(low, other_low)
            assert (shared <= 1e-9).any()


def test_the_cavity_of_a_tray_is_what_its_walls_leave_free():
    tray = solid('tray').scaled((0.20, 0.125, 0.05))
    assert np.allclose(tray.cavity.size, (0.192, 0.117, 0.046))
    assert tray.cavity.high[2] == pytest.approx(0.025)
    assert tray.cavity.low[2] == pytest.approx(-0.021)
    for part in tray.parts:
        low, high = part.min(axis=0), part.max(axis=0)
        assert (np.minimum(high, tray.cavity.high) - np.maximum(low, tray.cavity.low) <= 1e-9).any()


@every_kind
def test_only_containers_have_a_cavity(kind):
    assert (solid(kind).cavity is not None) == (kind in OPEN)


@pytest.mark.parametrize('kind', sorted(OPEN - {'shape_sorter'}))
def test_a_vertical_line_into_a_cavity_meets_the_floor_first_and_no_part_reaches_into_its_middle(kind):
    shape = solid(kind)
    middle, low, high = shape.cavity.centre, shape.cavity.low, shape.cavity.high
    for part in shape.parts:
        hull = ConvexHull(part)
        for z in np.linspace(low[2] + 1e-3, high[2] + 0.1, 20):
            inside = (hull.equations @ [middle[0], middle[1], z, 1.0] < -1e-9).all()
            assert not inside
    floor = [ConvexHull(part) for part in shape.parts]
    assert any((hull.equations @ [middle[0], middle[1], low[2] - 1e-3, 1.0] < 0).all() for hull in floor)


@pytest.mark.parametrize('kind', sorted(MUGS | set(CUPS) | {'bowl', 'plate', 'basket'}))
def test_the_wall_of_a_vessel_has_no_gap(kind):
    """From the middle of the cavity, every direction below the rim meets a part."""
    shape = solid(kind)
    hulls = [ConvexHull(part).equations for part in shape.parts]
    middle = np.asarray(shape.cavity.centre)
    for turn in np.linspace(0, 2 * np.pi, 91):
        way = np.array([np.cos(turn), np.sin(turn), 0.0])
        along = middle + np.linspace(0.2, 0.8, 400)[:, None] * way
        assert any(((eq[:, :3] @ along.T + eq[:, 3:] < 1e-9).all(axis=0)).any() for eq in hulls), turn


@every_kind
def test_scaling_stretches_surface_parts_and_cavity_alike(kind):
    size = (0.06, 0.04, 0.02)
    big, unit = solid(kind).scaled(size), solid(kind)
    assert np.allclose(np.ptp(big.vertices, axis=0), size)
    assert all(np.allclose(a, b * size) for a, b in zip(big.parts, unit.parts, strict=True))
    assert (big.faces == unit.faces).all()


@pytest.mark.parametrize(('letter', 'holes'), [*dict.fromkeys('AOR', 1).items(), *dict.fromkeys('EGLMV', 0).items()])
def test_a_letter_has_as_many_holes_as_in_print(letter, holes):
    assert mesh(f'letter_{letter.lower()}').euler_number == 2 - 2 * holes


def test_a_heap_is_one_closed_surface_for_each_prism_and_its_volume_is_theirs():
    two = heap([([rectangle((0, 0), (1, 1))], 0.0, 1.0), ([rectangle((1, 0), (2, 1))], 0.0, 2.0)])
    assert trimesh.Trimesh(two.vertices, two.faces, process=False).body_count == 2
    assert two.volume == pytest.approx((1 + 2) / 4)


def test_a_ribbon_is_as_wide_as_it_is_told_to_be_around_a_corner_too():
    pieces = ribbon([(0.0, 0.0), (3.0, 0.0), (3.0, 3.0)], [1.0, 1.0, 1.0])
    assert [ConvexHull(piece).volume for piece in pieces] == pytest.approx([3.0, 3.0])
    loop = ribbon([(0.0, 0.0), (3.0, 0.0), (3.0, 3.0), (0.0, 3.0)], [1.0] * 4, closed=True)
    assert sum(ConvexHull(piece).volume for piece in loop) == pytest.approx(4**2 - 2**2)


def test_an_unknown_kind_names_near_ones():
    with pytest.raises(SceneError, match='Did you mean cylinder'):
        solid('cilinder')


def inside(point: tuple[float, float, float], parts: tuple[np.ndarray, ...]) -> bool:
    return any((ConvexHull(part).equations @ [*point, 1.0] < 1e-9).all() for part in parts)


@pytest.mark.parametrize('block', HOLES)
def test_each_block_fits_through_its_hole_with_room_and_not_when_it_is_larger(block):
    """Its outline, put over the hole, meets no piece of the lid; drawn half as large again, it does."""
    parts = solid('shape_sorter').scaled((SIDE, SIDE, HEIGHT)).parts
    (x, y), yaw, size = HOLES[block]
    turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    corners = solid(block).vertices[:, :2] * size

    def blocked(scale: float) -> int:
        return sum(inside((*(turn @ corner * scale + (x, y)), HEIGHT / 2 - LID / 2), parts) for corner in corners)

    assert blocked(1.0) == 0
    assert blocked(1.5) > 0


def test_no_other_block_stands_in_the_way_of_the_lid():
    """The lid is whole between the holes: its pieces and the holes share out its area."""
    parts = [part for part in solid('shape_sorter').scaled((SIDE, SIDE, HEIGHT)).parts if part[:, 2].min() > HEIGHT / 2 - LID - 1e-9]
    lid = sum(ConvexHull(part).volume for part in parts) / LID
    holes = sum(mesh(kind).volume * np.prod(size) * 1.15**2 for kind, (_, _, size) in HOLES.items())
    assert lid + holes == pytest.approx(SIDE**2, rel=0.02)  # the moon's hole is a little larger than a moon

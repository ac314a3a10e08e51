"""Normals are flat where a shape is flat and smooth where it is round."""

import numpy as np

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.shapes import kinds, solid
from vlm_bench_sim.render.mesh import joined, of_kind


def test_a_cube_has_four_corners_a_side_each_with_the_normal_of_its_side() -> None:
    cube = of_kind('cube', (0.1, 0.2, 0.3))
    assert len(cube.vertices) == 24
    assert np.allclose(np.abs(cube.normals).max(axis=1), 1.0)
    a, b, c = cube.vertices[cube.faces].transpose(1, 0, 2)
    outward = np.cross(b - a, c - a)
    outward /= np.linalg.norm(outward, axis=1, keepdims=True)
    assert np.allclose(cube.normals[cube.faces], outward[:, None])


def test_the_wall_of_a_cylinder_is_smooth_and_its_lid_flat() -> None:
    cylinder = of_kind('cylinder', (0.1, 0.1, 0.2))
    wall = np.abs(cylinder.normals[:, 2]) < 0.5
    radial = cylinder.vertices[wall, :2] / np.linalg.norm(cylinder.vertices[wall, :2], axis=1, keepdims=True)
    assert np.allclose(cylinder.normals[wall, :2], radial, atol=0.02)
    assert np.allclose(np.abs(cylinder.normals[~wall, 2]), 1.0)


def test_every_shape_keeps_its_surface() -> None:
    for kind in kinds():
        mesh, shape = of_kind(kind, (0.1, 0.1, 0.1)), solid(kind).scaled((0.1, 0.1, 0.1))
        assert np.allclose(mesh.vertices[mesh.faces], shape.vertices[shape.faces], atol=1e-7), kind
        assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1.0), kind


def test_joining_keeps_each_mesh_where_it_was_put() -> None:
    cube = of_kind('cube', (0.1, 0.1, 0.1))
    moved = cube.at(Pose.from_rpy((1.0, 0.0, 0.0), (0.0, 0.0, np.pi / 2)))
    both = joined([cube, moved])
    assert np.allclose(both.vertices[both.faces[12:]], moved.vertices[moved.faces])
    assert np.allclose(moved.normals[:, 0], -cube.normals[:, 1])

"""Mesh files: made smaller once, without losing form, colors or what shows."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh

from vlm_bench_sim.render import reduction
from vlm_bench_sim.render.mesh import Mesh, shaded
from vlm_bench_sim.render.reduction import FACES, OUTLINE_FACES, PIECE_FACES, PIECES, mesh_file, outline
from vlm_bench_sim.render.visibility import visible

WHITE = (255, 255, 255)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    return tmp_path / 'cache' / 'vlm_bench' / 'meshes'


@pytest.fixture
def two_balls(tmp_path: Path) -> Path:
    """An obj file with a grey ball of radius 1 at the origin and a red one of radius 0.5 at x = 3, 5120 faces each."""
    (tmp_path / 'balls.mtl').write_text('newmtl grey\nKd 0.25 0.25 0.25\n\nnewmtl red\nKd 1 0 0\n')
    lines, start = ['mtllib balls.mtl'], 1
    for name, radius, x in (('grey', 1.0, 0.0), ('red', 0.5, 3.0)):
        ball = trimesh.creation.icosphere(subdivisions=4, radius=radius)
        lines += [f'v {p[0] + x} {p[1]} {p[2]}' for p in ball.vertices]
        lines += [f'usemtl {name}'] + [f'f {a + start} {b + start} {c + start}' for a, b, c in ball.faces]
        start += len(ball.vertices)
    path = tmp_path / 'balls.obj'
    path.write_text('\n'.join(lines) + '\n')
    return path


def test_a_reduced_mesh_keeps_form_normals_and_colors(two_balls: Path) -> None:
    mesh = mesh_file(two_balls, WHITE)
    assert len(mesh.faces) <= 1.5 * FACES
    red = mesh.vertices[:, 0] > 2
    for chosen, centre, radius, color in ((~red, 0.0, 1.0, (63, 63, 63)), (red, 3.0, 0.5, (255, 0, 0))):
        out = (mesh.vertices[chosen] - (centre, 0.0, 0.0)) / radius
        assert np.abs(np.linalg.norm(out, axis=1) - 1).max() < 0.02
        assert (out * mesh.normals[chosen]).sum(axis=1).min() > np.cos(np.radians(6))
        assert np.abs(mesh.colors[chosen].astype(int) - color).max() <= 1


def test_a_file_is_reduced_once(two_balls: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = mesh_file(two_balls, WHITE)
    assert len(list(own_cache.iterdir())) == 1

    def again(*_: object) -> Mesh:
        raise AssertionError('reduced a second time')

    monkeypatch.setattr(reduction, '_reduced', again)
    second = mesh_file(two_balls, WHITE)
    assert all(np.array_equal(getattr(first, f), getattr(second, f)) for f in ('vertices', 'normals', 'colors', 'faces'))


def test_other_materials_make_another_entry(two_balls: Path, own_cache: Path) -> None:
    mesh_file(two_balls, WHITE)
    materials = two_balls.with_suffix('.mtl')
    materials.write_text(materials.read_text().replace('1 0 0', '0 0 1'))
    assert {tuple(c) for c in mesh_file(two_balls, WHITE).colors[:, 1:].tolist()} >= {(0, 255)}
    assert len(list(own_cache.iterdir())) == 2


def test_what_lies_inside_is_dropped() -> None:
    outer, inner = (trimesh.creation.icosphere(subdivisions=3, radius=r) for r in (1.0, 0.8))
    shell = trimesh.util.concatenate([outer, inner])
    shown = visible(np.asarray(shell.vertices), np.asarray(shell.faces))
    assert shown[: len(outer.faces)].all()
    assert not shown[len(outer.faces) :].any()


def dumbbell(length: float) -> Mesh:
    """Two plates on the ends of a thin rod along y, like a link between two joints."""
    plates = [trimesh.creation.box((0.12, 0.05, 0.12), trimesh.transformations.translation_matrix((0, y, 0))) for y in (0.0, length)]
    rod = trimesh.creation.box((0.04, length, 0.04), trimesh.transformations.translation_matrix((0, length / 2, 0)))
    whole = trimesh.util.concatenate([*plates, rod])
    return shaded(np.asarray(whole.vertices, dtype=float), np.asarray(whole.faces, dtype=np.int32))


def bodies(mesh: Mesh) -> list[trimesh.Trimesh]:
    whole = trimesh.Trimesh(mesh.vertices, mesh.faces)
    whole.merge_vertices()
    return list(whole.split(only_watertight=False))


def holds(body: trimesh.Trimesh, points: np.ndarray) -> np.ndarray:
    """Whether each of (n, 3) points lies in a convex body."""
    apart = np.einsum('mi,nmi->nm', body.face_normals, np.asarray(points)[:, None] - body.triangles_center)
    return (apart < 1e-9).all(axis=1)


def test_a_long_link_throws_the_shadow_of_its_pieces_which_leaves_no_gap_and_fills_no_bend() -> None:
    link = dumbbell(0.40)
    pieces = bodies(outline(link))
    assert len(pieces) == PIECES
    assert all(piece.is_watertight and piece.is_convex and len(piece.faces) <= PIECE_FACES for piece in pieces)
    beside = [(0.035, 0.2, 0.0), (0.0, 0.2, -0.035)]
    assert not any(holds(piece, beside).any() for piece in pieces)
    along = np.column_stack([np.zeros(81), np.linspace(0.001, 0.399, 81), np.zeros(81)])
    assert np.any([holds(piece, along) for piece in pieces], axis=0).all()


def test_a_short_link_throws_the_shadow_of_its_hull_however_many_faces_it_has(two_balls: Path) -> None:
    (one,) = bodies(outline(dumbbell(0.15)))
    assert one.is_watertight and one.is_convex
    small = mesh_file(two_balls, WHITE)
    ball = replace(small, vertices=0.04 * small.vertices)
    assert len(ball.faces) > OUTLINE_FACES
    (found,) = bodies(outline(ball))
    assert found.is_watertight and len(found.faces) <= 1.1 * OUTLINE_FACES
    assert found.volume > 0.9 * trimesh.convex.convex_hull(ball.vertices).volume

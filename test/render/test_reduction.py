"""Mesh files: made smaller once, without losing form, colours or what shows."""

from pathlib import Path

import numpy as np
import pytest
import trimesh

from vlm_bench_sim.render import reduction
from vlm_bench_sim.render.mesh import Mesh
from vlm_bench_sim.render.reduction import FACES, mesh_file
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


def test_a_reduced_mesh_keeps_form_normals_and_colours(two_balls: Path) -> None:
    mesh = mesh_file(two_balls, WHITE)
    assert len(mesh.faces) <= 1.5 * FACES
    red = mesh.vertices[:, 0] > 2
    for chosen, centre, radius, colour in ((~red, 0.0, 1.0, (63, 63, 63)), (red, 3.0, 0.5, (255, 0, 0))):
        out = (mesh.vertices[chosen] - (centre, 0.0, 0.0)) / radius
        assert np.abs(np.linalg.norm(out, axis=1) - 1).max() < 0.02
        assert (out * mesh.normals[chosen]).sum(axis=1).min() > np.cos(np.radians(6))
        assert np.abs(mesh.colours[chosen].astype(int) - colour).max() <= 1


def test_a_file_is_reduced_once(two_balls: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = mesh_file(two_balls, WHITE)
    assert len(list(own_cache.iterdir())) == 1

    def again(*_: object) -> Mesh:
        raise AssertionError('reduced a second time')

    monkeypatch.setattr(reduction, '_reduced', again)
    second = mesh_file(two_balls, WHITE)
    assert all(np.array_equal(getattr(first, f), getattr(second, f)) for f in ('vertices', 'normals', 'colours', 'faces'))


def test_other_materials_make_another_entry(two_balls: Path, own_cache: Path) -> None:
    mesh_file(two_balls, WHITE)
    materials = two_balls.with_suffix('.mtl')
    materials.write_text(materials.read_text().replace('1 0 0', '0 0 1'))
    assert {tuple(c) for c in mesh_file(two_balls, WHITE).colours[:, 1:].tolist()} >= {(0, 255)}
    assert len(list(own_cache.iterdir())) == 2


def test_what_lies_inside_is_dropped() -> None:
    outer, inner = (trimesh.creation.icosphere(subdivisions=3, radius=r) for r in (1.0, 0.8))
    shell = trimesh.util.concatenate([outer, inner])
    shown = visible(np.asarray(shell.vertices), np.asarray(shell.faces))
    assert shown[: len(outer.faces)].all()
    assert not shown[len(outer.faces) :].any()

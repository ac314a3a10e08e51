"""Shapes that an extension brings as meshes: read alike everywhere, and unable to break the rest."""

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import trimesh
from scipy.spatial import ConvexHull

from vlm_bench_sim import mesh_shapes
from vlm_bench_sim.bullet import hulls
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.objects.models import model
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.shapes import kinds, solid, usual_size
from vlm_bench_sim.core.symmetry import symmetry
from vlm_bench_sim.extensions import PATH, digest
from vlm_bench_sim.profiles import cameras, robot
from vlm_bench_sim.render import Renderer
from vlm_bench_sim.ros.spawning import describe, name_for, read_resource
from vlm_bench_tasks import catalogue, suites
from vlm_bench_tasks.language.references import shape_noun

ROOT = Path(__file__).parents[1]
ACME = ROOT / 'test' / 'acme_bench'
STOP, CRATE = 'acme_bench.door_stop', 'acme_bench.crate'
QUADS = ((1, 3, 4, 2), (5, 6, 8, 7), (1, 2, 6, 5), (3, 7, 8, 4), (1, 5, 7, 3), (2, 4, 8, 6))


@pytest.fixture(autouse=True)
def acme(monkeypatch):
    monkeypatch.setenv(PATH, str(ACME))
    monkeypatch.setattr(sys, 'path', [*sys.path, str(ACME.parent)])


def box(low=(0, 0, 0), high=(2, 4, 6), *, first=1, faces=QUADS, name='box') -> str:
    corners = product(*zip(low, high, strict=True))
    vertices = sorted(corners, key=lambda corner: corner[::-1])
    lines = [f'o {name}', *('v {} {} {}'.format(*vertex) for vertex in vertices)]
    return '\n'.join((*lines, *('f ' + ' '.join(str(i + first - 1) for i in face) for face in faces))) + '\n'


BOX = box()
INWARDS = box(faces=[face[::-1] for face in QUADS])
OPEN = box(faces=QUADS[1:])


def extension(folder: Path, shapes: str, **meshes: str) -> Path:
    (folder / 'config').mkdir(parents=True)
    (folder / 'config' / 'shapes.yaml').write_text(shapes)
    for name, text in meshes.items():
        (folder / 'config' / f'{name}.obj').write_text(text)
    return folder


def test_its_shapes_stand_beside_ours():
    assert {STOP, CRATE, 'cube'} <= set(kinds()) and suites.problems() == ()
    assert usual_size(STOP) == (0.07, 0.036, 0.04) and model(CRATE).mass == 0.2 and model(STOP).friction == 0.9
    assert model(STOP).mass == pytest.approx(mesh_shapes.DENSITY * solid(STOP).scaled(usual_size(STOP)).volume, rel=0.01)
    assert shape_noun(STOP) == 'door stop'
    assert symmetry(STOP, usual_size(STOP)).orders == (1, 1, 1)


@pytest.mark.parametrize(
    ('kind', 'bodies', 'extents', 'volume'),
    [(STOP, 2, (70, 36, 40), 70 * 36 * 22 / 2 + 24 * 18 * 30), (CRATE, 5, (140, 110, 50), 140 * 110 * 50 - 130 * 100 * 45)],
)
def test_it_is_closed_fills_the_unit_box_and_is_the_union_of_its_bodies(kind, bodies, extents, volume):
    shape = solid(kind)
    surface = trimesh.Trimesh(shape.vertices, shape.faces, process=False)
    assert surface.is_watertight and surface.is_winding_consistent
    assert shape.volume * np.prod(extents) == pytest.approx(volume)
    assert sum(ConvexHull(part).volume for part in shape.parts) == pytest.approx(shape.volume)
    assert len(shape.parts) == bodies and all(len(ConvexHull(part).vertices) == len(part) for part in shape.parts)
    for low, high in ((shape.vertices.min(axis=0), shape.vertices.max(axis=0)), np.sort(np.concatenate(shape.parts), axis=0)[[0, -1]]):
        assert np.allclose(low, -0.5) and np.allclose(high, 0.5)


def test_the_cavity_is_what_the_walls_leave_free():
    crate = solid(CRATE).scaled(usual_size(CRATE))
    assert np.allclose(crate.cavity.size, (0.13, 0.10, 0.045)) and crate.cavity.high[2] == pytest.approx(0.025)
    for part in crate.parts:
        assert (np.minimum(part.max(axis=0), crate.cavity.high) - np.maximum(part.min(axis=0), crate.cavity.low) <= 1e-9).any()


def test_a_process_that_only_knows_robots_or_episodes_makes_the_same_bits():
    told = (
        'from vlm_bench_sim.core.shapes import solid; import hashlib; one = solid("acme_bench.door_stop");'
        'print(hashlib.sha256(b"".join(a.tobytes() for a in (one.vertices, one.faces, *one.parts))).hexdigest())'
    )
    environment, outputs = os.environ | {'PYTHONPATH': str(ROOT)}, set()
    for first in ('vlm_bench_sim.profiles', 'vlm_bench_tasks.episode'):
        program = [sys.executable, '-c', f'import {first}; {told}']
        outputs.add(subprocess.run(program, env=environment, capture_output=True, text=True, check=True).stdout)
    assert len(outputs) == 1 and len(outputs.pop().strip()) == 64


def test_a_shape_is_the_same_in_any_unit_and_whichever_of_its_bodies_comes_first(tmp_path, monkeypatch):
    low, high = box(name='low'), box((0, 0, 6), (1, 1, 7), first=9, name='high')
    swapped = box((0, 0, 6e3), (1e3, 1e3, 7e3), name='high') + box((0, 0, 0), (2e3, 4e3, 6e3), first=9, name='low')
    shapes = 'one: {mesh: one.obj, size: [0.02, 0.04, 0.07]}\ntwo: {mesh: two.obj, size: [0.02, 0.04, 0.07]}\n'
    monkeypatch.setenv(PATH, str(extension(tmp_path / 'stacks', shapes, one=low + high, two=swapped)))
    one, two = solid('stacks.one'), solid('stacks.two')
    assert (one.vertices == two.vertices).all() and len(one.parts) == len(two.parts) == 2
    assert all((a == b).all() for a, b in zip(one.parts, two.parts, strict=True))


def test_the_file_for_bullet_is_of_the_mesh(tmp_path, monkeypatch):
    text = 'one: {mesh: one.obj, size: [0.02, 0.04, 0.06]}\n'
    files = []
    for mesh in (BOX, BOX + box((0, 0, 6), (1, 1, 7), first=9, name='more')):
        folder = extension(tmp_path / str(len(files)) / 'pile', text, one=mesh)
        monkeypatch.setenv(PATH, str(folder))
        files.append(hulls._file.__wrapped__('pile.one'))
    assert len({*files}) == 2 and all(file.name.startswith('pile.one-') and file.suffix == '.obj' for file in files)
    assert [file.read_text().count('o part') for file in files] == [1, 2]


def test_a_report_tells_another_mesh(tmp_path):
    folder = extension(tmp_path / 'heap', 'one: {mesh: one.obj, size: [0.1, 0.1, 0.1]}\n', one=BOX)
    before = digest.__wrapped__(folder)
    (folder / 'config' / 'one.obj').write_text(box(high=(2, 4, 7)))
    assert digest.__wrapped__(folder) != before


def test_it_is_spawned_by_its_kind():
    prop = read_resource(f'vlm_bench://{STOP}?color=red', '')
    assert (prop.kind, prop.size, prop.noun) == (STOP, (0.07, 0.036, 0.04), 'door stop')
    assert name_for('', prop, [], rename=True) == 'door_stop_1'
    assert describe(CRATE).startswith('A crate, open at its top; 0.14 × 0.11 × 0.05 m by default.')


def test_a_camera_sees_it():
    look = Color('red', (0.9, 0.1, 0.1))
    things = tuple(
        Prop(name, kind, usual_size(kind), look, 0.1, pose=Pose((0.45, y, usual_size(kind)[2] / 2)))
        for name, kind, y in (('stop', STOP, 0.1), ('crate', CRATE, -0.1))
    )
    scene, (front,) = Scene(things), cameras('acme:front', 160, 120)
    renderer = Renderer(robot('acme_arm'))
    try:
        renderer.load(scene)
        shown = renderer.render(front, {prop.name: prop.pose for prop in things}, {})
    finally:
        renderer.close()
    assert {scene.ids[prop.name] for prop in things} <= set(np.unique(shown.ids).tolist())


def test_what_is_drawn_along_the_axis_of_shape_is_named_by_its_shape():
    episodes = [catalogue.build('kitchen/tidy', 'seen', seed, 'shape') for seed in range(6)]
    assert {episode.instruction.text.count('door stop') for episode in episodes} == {0, 1}
    assert all({prop.kind for prop in episode.scene.props} == {STOP, CRATE, 'cube'} for episode in episodes)


WRONG = {
    'lost': ('{mesh: lost.obj, size: [1, 1, 1]}', "There is no file 'lost.obj' in"),
    'outside': ('{mesh: ../../shapes/one.obj, size: [1, 1, 1]}', "'../../shapes/one.obj' does not lie in config/ of the extension"),
    'hidden': ('{mesh: .one.obj, size: [1, 1, 1]}', 'or is hidden there'),
    'other': ('{mesh: shapes.yaml, size: [1, 1, 1]}', 'ends in none of .obj, .stl'),
    'torn': ('{mesh: open.obj, size: [1, 1, 1]}', 'open.obj is not closed'),
    'inward': ('{mesh: inwards.obj, size: [1, 1, 1]}', 'look inwards. Turn its normals around.'),
    'flat': ('{mesh: flat.obj, size: [1, 1, 1]}', 'The mesh is flat'),
    'nothing': ('{mesh: nothing.obj, size: [1, 1, 1]}', 'nothing.obj holds no faces'),
    'noise': ('{mesh: noise.obj, size: [1, 1, 1]}', 'noise.obj'),
    'nan': ('{mesh: nan.obj, size: [1, 1, 1]}', 'nan.obj'),
    'many': ('{mesh: many.obj, size: [1, 1, 1]}', 'many.obj has 2400 triangles; at most 2000'),
    'heavy': ('{mesh: heavy.stl, size: [1, 1, 1]}', 'heavy.stl has 17 MiB; at most 16 are read'),
    'round': ('{mesh: round.stl, size: [1, 1, 1]}', 'has 642 corners; at most 300 are pushed in time'),
    'away': ('{mesh: one.obj, collision: away.obj, size: [1, 1, 1]}', 'away.obj does not fill the box of the mesh: it reaches'),
    'key': ('{mesh: one.obj, sizes: [1, 1, 1]}', 'size: Field required; sizes: Extra inputs are not permitted'),
    'negative': ('{mesh: one.obj, size: [1, -1, 1]}', 'size.1: Input should be greater than or equal to 0.001'),
    'tiny': ('{mesh: one.obj, size: [1, 1.0e-9, 1]}', 'size.1: Input should be greater than or equal to 0.001'),
    'vast': ('{mesh: one.obj, size: [1000, 1, 1]}', 'size.0: Input should be less than or equal to 2'),
    'infinite': ('{mesh: one.obj, size: [1, .inf, 1]}', 'size.1: Input should be a finite number'),
    'above': ('{mesh: one.obj, size: [1, 1, 1], cavity: {center: [1, 2, 6], size: [1, 1, 1]}}', 'The cavity reaches out of the mesh'),
    'filled': ('{mesh: one.obj, size: [1, 1, 1], cavity: {center: [1, 2, 4], size: [1, 1, 4]}}', 'closes the cavity'),
}  # fmt: skip


@pytest.fixture
def broken(tmp_path, monkeypatch):
    ball = trimesh.creation.icosphere(3)
    wrong = ''.join(f'{name}: {said}\n' for name, (said, _) in WRONG.items())
    folder = extension(
        tmp_path / 'shapes_gone_wrong', f'{wrong}sound: {{mesh: one.obj, size: [0.1, 0.1, 0.1]}}\n',
        one=BOX, open=OPEN, inwards=INWARDS, flat=box(high=(2, 4, 0)), nothing='v 0 0 0\n', noise='f 1 2 9\nv x y z\n\x00',
        nan=BOX.replace('v 0 0 0', 'v nan 0 0'), many=''.join(box((i, 0, 0), (i + 0.5, 1, 1), first=1 + 8 * i) for i in range(200)),
        away=box(high=(2000, 4000, 6000)),
    )  # fmt: skip
    ball.export(folder / 'config' / 'round.stl')
    with (folder / 'config' / 'heavy.stl').open('wb') as file:
        file.truncate(mesh_shapes.MOST_BYTES + (1 << 20))
    monkeypatch.setenv(PATH, os.pathsep.join((str(folder), str(ACME))))


def test_what_is_wrong_is_told_by_its_place_and_the_others_can_be_used(broken):
    assert {kind for kind in kinds() if '.' in kind} == {STOP, CRATE, 'shapes_gone_wrong.sound'}
    problems = [problem for problem in suites.problems() if 'shapes_gone_wrong' in problem]
    assert len(problems) == len(WRONG)
    for name, (_, told) in WRONG.items():
        (problem,) = (one for one in problems if f'shapes.yaml: {name} is wrong: ' in one)
        assert told in problem, problem
        with pytest.raises(SceneError, match=rf'no shape called .*gone_wrong\.{name}. here\. .*{name} is wrong'):
            solid(f'shapes_gone_wrong.{name}')


@pytest.mark.parametrize(
    ('kind', 'told'),
    [
        ('acme_bench.door_stopp', 'The extension acme_bench brings no shape .*Did you mean acme_bench.door_stop'),
        ('lost_bench.wedge', "There is no extension called 'lost_bench'. Here are: acme_bench. Install it, or name its folder"),
        ('.wedge', "There is no extension called ''"),
        ('wedge', "There is no shape called 'wedge'. Did you mean"),
    ],
)
def test_a_shape_that_is_not_here_is_told_by_its_extension(kind, told):
    with pytest.raises(SceneError, match=told):
        Prop('one', kind, (0.1, 0.1, 0.1), Color('red', (1.0, 0.0, 0.0)), 0.1).solid  # noqa: B018
    with pytest.raises(SceneError, match=told):
        usual_size(kind)


@pytest.mark.parametrize('text', ['[1, 2', 'one: 3\n', 'with space: {mesh: one.obj, size: [1, 1, 1]}\n'])
def test_a_file_that_is_no_list_of_shapes_is_told(tmp_path, monkeypatch, text):
    monkeypatch.setenv(PATH, os.pathsep.join((str(extension(tmp_path / 'no_shapes', text)), str(ACME))))
    (problem,) = suites.problems()
    assert 'no_shapes' in problem and ('brings no shape: ' in problem or 'is left out' in problem)
    assert STOP in kinds()

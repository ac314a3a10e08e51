"""Shapes of extensions: meshes in `config/shapes.yaml`, each with its convex bodies.

The kind of such a shape is the package of its extension and its name, such as acme_bench.wedge.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from vlm_bench_sim.assets import table
from vlm_bench_sim.core import shapes
from vlm_bench_sim.core.algebra import matmul, rounded
from vlm_bench_sim.core.errors import ConfigError, ExtensionError, near, quoted
from vlm_bench_sim.core.geometry import Box, Floats, Vector, vector
from vlm_bench_sim.core.shapes import Foreign
from vlm_bench_sim.core.solids import Solid, weld
from vlm_bench_sim.extensions import CONFIG, Extension, Found, Joined, besides, found, joined, named
from vlm_bench_sim.files import File, checked

MOST_FACES, MOST_BODIES, MOST_CORNERS = 2000, 128, 300
"""The most triangles of a file, bodies of a shape, and corners of a body: more take too long to draw, to grasp and to push."""

MOST_BYTES = 1 << 24
"""Of a file: more than so many triangles and their names need."""

DENSITY = 500.0
"""Of a shape whose file gives no mass, kg/m³."""

_ENDS = ('.obj', '.stl')
_SAME = 0.05  # how far the box of the collision bodies may be from that of the mesh, as a share of its extent
_FLAT = 1e-7  # volume of a body, as a share of the box

_Extent = Annotated[float, Field(gt=0)]
_Extents = tuple[_Extent, _Extent, _Extent]
_Metres = Annotated[float, Field(ge=0.001, le=2.0)]


class _Cavity(File):
    center: Vector
    size: _Extents


class _Shape(File):
    mesh: str
    size: tuple[_Metres, _Metres, _Metres]
    collision: str = ''
    cavity: _Cavity | None = None
    mass: float | None = Field(None, gt=0, le=100)
    friction: float = Field(0.71, ge=0, le=10)


def register() -> None:
    """Let `core.shapes` find the shapes of extensions."""
    shapes.find_foreign(shape, kinds)


def kinds() -> tuple[str, ...]:
    """Return the kinds of all shapes of extensions that can be used."""
    return tuple(sorted(kind for kind in _described(found()).values if isinstance(_made(found(), kind), Foreign)))


def shape(kind: str) -> Foreign:
    """Return the shape of a kind.

    Raises:
        ExtensionError: its extension is not here or brings no such shape, or its files are wrong.
    """
    known = _described(found())
    one = named(kind.partition('.')[0])
    if kind not in known.values:
        own = [name for name, owner in known.owners.items() if owner == one]
        told = [problem for problem in known.problems if one.package in problem]
        raise ExtensionError(f'The extension {one.package} brings no shape {quoted(kind)}. {near(kind, own)}{besides(told)}')
    made = _made(found(), kind)
    if isinstance(made, ConfigError):
        raise ExtensionError(str(made)) from made
    return made


def problems() -> tuple[str, ...]:
    """Return why shapes of extensions are left out or cannot be used, each a sentence."""
    made = (_made(found(), kind) for kind in _described(found()).values)
    return (*_described(found()).problems, *(str(one) for one in made if isinstance(one, ConfigError)))


def owned(one: Extension) -> tuple[str, ...]:
    """Return the kinds that an extension brings, in the order of its file."""
    return tuple(kind for kind, owner in _described(found()).owners.items() if owner == one)


def _file(one: Extension) -> Path:
    return one.folder / CONFIG / 'shapes.yaml'


@cache
def _described(_: Found) -> Joined[Any]:
    def of(one: Extension) -> dict[str, Any]:
        return table(_file(one), levels=2) if _file(one).is_file() else {}

    return joined('shape', {}, of, apart=True)


@cache
def _made(_: Found, kind: str) -> Foreign | ConfigError:
    """Return a shape, or what is wrong with it: reading takes its time, and somebody asks again."""
    known = _described(_)
    where = f'{_file(known.owners[kind])}: {kind.partition(".")[2]}'
    try:
        return _built(checked(_Shape, known.values[kind], where), known.owners[kind].folder / CONFIG)
    except ConfigError as error:
        told = str(error)
        return ConfigError(told if told.startswith(where) else f'{where} is wrong: {told}')


def _built(given: _Shape, folder: Path) -> Foreign:
    objects = _triangles(given.mesh, folder)
    low, high = _box(objects)
    unit = [(each - (low + high) / 2) / (high - low) for each in objects]
    bodies = [body for each in unit for body in _bodies(each, given.mesh)]
    if sum(body.volume for body in bodies) <= 0:
        raise ConfigError(f'The faces of {given.mesh} look inwards. Turn its normals around.')
    solid = Solid(*weld(np.concatenate([body.vertices[body.faces.reshape(-1)] for body in bodies])), ()).rounded()
    within = given.collision or given.mesh
    parts = _hulls([body for body in bodies if body.volume > 0] if not given.collision else _apart(within, folder, (low, high)), within)
    solid = Solid(solid.vertices, solid.faces, parts, _cavity(given.cavity, (low, high), parts)).rounded()
    mass = given.mass or max(1e-3, round(DENSITY * solid.scaled(given.size).volume, 4))
    return Foreign(solid, given.size, mass, given.friction)


def _triangles(name: str, folder: Path) -> list[Floats]:
    """Return the objects of a file of meshes, each as (n, 3, 3) corners of triangles in the unit of the file.

    Raises:
        ConfigError: there is no such file, or it holds no such mesh.
    """
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()) or any(part.startswith('.') for part in path.relative_to(folder.resolve()).parts):
        raise ConfigError(f'{quoted(name)} does not lie in {CONFIG}/ of the extension, or is hidden there. Put it there.')
    if path.suffix not in _ENDS:
        raise ConfigError(f'{quoted(name)} ends in none of {", ".join(_ENDS)}. Save the mesh as one of these.')
    if not path.is_file():
        raise ConfigError(f'There is no file {quoted(name)} in {folder}. Correct the name.')
    if (size := path.stat().st_size) > MOST_BYTES:
        raise ConfigError(f'{name} has {size >> 20} MiB; at most {MOST_BYTES >> 20} are read. Reduce it.')
    import trimesh  # a part of a second, and few processes read meshes

    try:
        scene = trimesh.load_scene(str(path), split_objects=True, group_material=False, skip_materials=True, process=False)
        objects = [np.asarray(mesh.vertices, dtype=float)[mesh.faces] for mesh in scene.geometry.values() if hasattr(mesh, 'faces')]
    except Exception as error:
        raise ConfigError(f'{name} cannot be read as a mesh: {type(error).__name__}: {error!s:.200}. Save it again.') from error
    count = sum(map(len, objects))
    if not count:
        raise ConfigError(f'{name} holds no faces. Save the mesh with its faces.')
    if count > MOST_FACES:
        raise ConfigError(f'{name} has {count} triangles; at most {MOST_FACES} are drawn and grasped in time. Reduce it.')
    if not all(np.isfinite(each).all() for each in objects):
        raise ConfigError(f'{name} holds coordinates that are no finite numbers. Save it again.')
    return [each for each in objects if len(each)]


def _box(objects: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Return the lowest and the highest corner, (3,) each, of all triangles.

    Raises:
        ConfigError: they have no extent along an axis.
    """
    corners = np.concatenate([each.reshape(-1, 3) for each in objects])
    low, high = corners.min(axis=0), corners.max(axis=0)
    if not (high - low > 1e-9 * np.abs(corners).max()).all():
        raise ConfigError('The mesh is flat, so it has no volume. Give it a thickness.')
    return low, high


def _bodies(triangles: Floats, name: str) -> list[Solid]:
    """Return the connected bodies of an object, given in the unit box.

    Raises:
        ConfigError: one is not closed.
    """
    import trimesh

    vertices, faces = weld(triangles.reshape(-1, 3))
    faces = faces[(faces != np.roll(faces, 1, axis=1)).all(axis=1)]  # without triangles that welding made a line
    mesh = trimesh.Trimesh(vertices, faces, process=False)
    if not len(faces) or not mesh.is_watertight or not mesh.is_winding_consistent:
        raise ConfigError(
            f'{name} is not closed: an edge does not join two faces that look the same way. Close its holes; '
            'bodies that touch are objects of their own (o in an OBJ file).'
        )
    group = trimesh.graph.connected_component_labels(mesh.face_adjacency, node_count=len(faces))
    return [Solid(vertices, faces[group == number], ()) for number in range(int(group.max()) + 1)]


def _apart(name: str, folder: Path, box: tuple[Floats, Floats]) -> list[Solid]:
    """Return the collision bodies of a file in the unit box, which they fill as the mesh does.

    Raises:
        ConfigError: they do not lie where the mesh is, given its box, or are not closed.
    """
    objects = _triangles(name, folder)
    low, high = _box(objects)
    far = np.abs(np.array([low, high]) - np.array(box)) / (box[1] - box[0])
    if far.max() > _SAME:
        raise ConfigError(
            f'{name} does not fill the box of the mesh: it reaches from {_said(low)} to {_said(high)}, the mesh from {_said(box[0])} to '
            f'{_said(box[1])}. Save both in the same unit and place.'
        )
    return [body for each in objects for body in _bodies((each - (low + high) / 2) / (high - low), name)]


def _said(corner: Floats) -> str:
    return f'({", ".join(f"{x:.3g}" for x in corner)})'


def _hulls(bodies: Sequence[Solid], name: str) -> tuple[Floats, ...]:
    """Return the corners of the convex hulls of bodies in the unit box, (k, 3) each, in an order that depends on them alone."""
    if len(bodies) > MOST_BODIES:
        raise ConfigError(f'{name} has {len(bodies)} bodies; at most {MOST_BODIES} are pushed in time. Join some of them.')
    parts = []
    for body in bodies:
        part = _outside(np.unique(rounded(body.vertices[body.faces.reshape(-1)]), axis=0))
        if not len(part):
            raise ConfigError(f'A body of {name} is flat, so it has no volume. Give it a thickness, or remove it.')
        if len(part) > MOST_CORNERS:
            raise ConfigError(
                f'The convex hull of a body of {name} has {len(part)} corners; at most {MOST_CORNERS} are pushed in time. '
                'Reduce it, or give simpler bodies as collision.'
            )
        parts.append(part)
    return tuple(sorted(parts, key=lambda part: part.tolist()))


def _outside(corners: Floats) -> Floats:
    """Return those of (n, 3) corners that are corners of their convex hull, in their order; none if it is flat."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(corners)
    except QhullError:
        return np.empty((0, 3))
    return corners[np.sort(hull.vertices)] if hull.volume > _FLAT else np.empty((0, 3))


def _cavity(given: _Cavity | None, box: tuple[Floats, Floats], parts: Sequence[Floats]) -> Box | None:
    """Return the cavity in the unit box.

    Raises:
        ConfigError: it reaches out of the mesh, or a collision body closes it.
    """
    if given is None:
        return None
    from scipy.spatial import ConvexHull

    low, high = box
    cavity = Box(vector((np.asarray(given.center) - (low + high) / 2) / (high - low)), vector(np.asarray(given.size) / (high - low)))
    if min(cavity.low) < -0.5 - 1e-6 or max(cavity.high) > 0.5 + 1e-6:
        raise ConfigError(f'The cavity reaches out of the mesh, from {_said(low)} to {_said(high)}. Give it in the unit of the mesh.')
    heights = np.linspace(cavity.low[2], 0.5, 20)[1:-1]
    column = np.column_stack([np.tile(cavity.centre[:2], (len(heights), 1)), heights])
    for part in parts:
        sides = ConvexHull(part).equations
        if ((matmul(column, sides[:, :3].T) + sides[:, 3]) < -1e-9).all(axis=1).any():
            raise ConfigError(
                'A convex body closes the cavity above its middle, so nothing can be put into it. '
                'Give collision: bodies that leave it free, such as a floor and walls.'
            )
    return cavity

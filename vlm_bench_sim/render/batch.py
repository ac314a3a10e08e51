"""All objects of a scene in one vertex buffer, drawn by one call; moving objects are rows in a table of poses."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

import moderngl
import numpy as np
from numpy.typing import NDArray

from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Floats, Pose, Vector
from vlm_bench_sim.core.looks import CLEAR, PATTERNS, SIMPLE, Texture
from vlm_bench_sim.render.mesh import Mesh, joined
from vlm_bench_sim.render.shaders import GREATEST, OBJECTS

_LAYOUT = np.dtype([('position', 'f4', 3), ('facing', 'f2', 4), ('paint', 'f2', 3), ('owner', 'u2'), ('base', 'f2', 4), ('weave', 'f2', 4)])
_CORNER = np.dtype([('position', 'f4', 3), ('owner', 'u2'), ('unused', 'u2')])
_PLAIN, _PATTERNED, _BARE = '3f4 4f2 3f2 1u2 16x', '3f4 4f2 3f2 1u2 4f2 4f2', '3f4 14x 1u2 16x'
_GLASS = '3f4 3f2 8x 1u2 16x'


class Part(Enum):
    """Groups of a batch that are drawn together; `ALL` of them but the see-through ones."""

    ALL = auto()
    MOVING = auto()
    STANDING = auto()
    GLASS = auto()


@dataclass(frozen=True)
class _Parts:
    """Start indices of the static and the see-through objects' corners in a list of faces, and total number of corners."""

    standing: int
    glass: int
    end: int

    def render(self, array: moderngl.VertexArray, part: Part) -> None:
        first, end = {
            Part.ALL: (0, self.glass),
            Part.MOVING: (0, self.standing),
            Part.STANDING: (self.standing, self.glass),
            Part.GLASS: (self.glass, self.end),
        }[part]
        if end > first:
            array.render(first=first, vertices=end - first)


@dataclass(frozen=True, eq=False)
class Thing:
    """One object of a batch.

    Attributes:
        mesh: the visible mesh.
        instance: its id.
        rgb: color (sRGB, 0…1) that tints it, or the background of its pattern.
        gloss: strength of its highlights.
        texture: its pattern, `CLEAR` for a see-through object, or None.
        outline: mesh that casts its shadow; None: `mesh` does.
    """

    mesh: Mesh
    instance: int
    rgb: Vector = (1.0, 1.0, 1.0)
    gloss: float = 0.01
    texture: Texture | None = None
    outline: Mesh | None = None

    @property
    def clear(self) -> bool:
        """Whether it is see-through."""
        return self.texture is not None and self.texture.pattern == CLEAR

    @property
    def patterned(self) -> bool:
        """Whether it has a pattern."""
        return self.texture is not None and not self.clear

    @property
    def rich(self) -> bool:
        """Whether it has a pattern that is not simple."""
        return self.texture is not None and not self.clear and self.texture.pattern not in SIMPLE


class Batch:
    """Objects that one draw call draws, in their order.

    Front objects should come first: this avoids shading hidden pixels.

    Args:
        context: the OpenGL context.
        moving: objects whose pose may change between pictures.
        standing: static objects, such as the table.

    Raises:
        SceneError: there are too many objects for one picture, or an id is too large.
    """

    def __init__(self, context: moderngl.Context, moving: Sequence[Thing], *, standing: Sequence[Thing] = ()) -> None:
        things = [*moving, *standing]
        if len(things) > OBJECTS:
            raise SceneError(f'A picture holds at most {OBJECTS} things; the scene has {len(things)}. Use fewer props.')
        self.instances = sorted({thing.instance for thing in things})
        if self.instances[-1] > GREATEST:
            raise SceneError(f'A picture holds instance ids up to {GREATEST}; the scene has {self.instances[-1]}. Use fewer props.')
        mesh = joined([thing.mesh for thing in things])
        self.patterned = any(thing.patterned for thing in things)
        self.rich = any(thing.rich for thing in things)
        self.clear = any(thing.clear for thing in things)
        self._rows = np.zeros((len(things), 4, 4), dtype=np.float32)
        for row, thing in zip(self._rows, things, strict=True):
            row[3] = (*(np.ones(3) if thing.patterned else np.square(thing.rgb)), thing.instance)
        self._context = context
        self._table = context.buffer(reserve=OBJECTS * 64)
        self._vertices = context.buffer(_packed(mesh, things).tobytes())
        faces, self._shown = _grouped([thing.mesh for thing in things], things, len(moving))
        self._faces = context.buffer(faces.tobytes())
        self._arrays: dict[int, moderngl.VertexArray] = {}
        outlines = [thing.outline or thing.mesh for thing in things]
        self._corners = context.buffer(_corners(outlines).tobytes())
        edges, self._thrown = _grouped(outlines, things, len(moving))
        self._edges = context.buffer(edges.tobytes())
        self._moving = len(moving)

    def place(self, poses: Sequence[Pose | None]) -> None:
        """Set the world pose of each object; None hides it."""
        self._rows[:, :3] = pose_rows(poses)
        self._table.write(self._rows)

    def placed(self, part: Part) -> bytes:
        """Return the poses of the objects in a part as bytes."""
        rows = self._rows[: self._moving] if part is Part.MOVING else self._rows[self._moving :] if part is Part.STANDING else self._rows
        return rows[:, :3].tobytes()

    def draw(self, program: moderngl.Program, part: Part = Part.ALL) -> None:
        """Draw objects into the current framebuffer; the program must support patterns if there are any."""
        names = ('position', 'facing', 'paint', 'owner', *(('base', 'weave') if self.patterned else ()))
        self._shown.render(self._array(program, _PATTERNED if self.patterned else _PLAIN, names), part)

    def draw_glass(self, program: moderngl.Program) -> None:
        """Draw the see-through objects, with or without their normals."""
        layout, names = (_GLASS, ('position', 'facing', 'owner')) if 'facing' in program else (_BARE, ('position', 'owner'))
        self._shown.render(self._array(program, layout, names), Part.GLASS)

    def draw_solid(self, program: moderngl.Program) -> None:
        """Draw the positions of all objects without shading."""
        self._array(program, _BARE, ('position', 'owner')).render()

    def draw_outlines(self, program: moderngl.Program, part: Part = Part.ALL) -> None:
        """Draw the meshes that cast the shadows."""
        self._table.bind_to_uniform_block(0)
        if program.glo not in self._arrays:
            content = [(self._corners, '3f4 1u2 2x', 'position', 'owner')]
            self._arrays[program.glo] = self._context.vertex_array(program, content, index_buffer=self._edges)
        self._thrown.render(self._arrays[program.glo], part)

    def _array(self, program: moderngl.Program, layout: str, names: tuple[str, ...]) -> moderngl.VertexArray:
        self._table.bind_to_uniform_block(0)
        if program.glo not in self._arrays:
            self._arrays[program.glo] = self._context.vertex_array(program, [(self._vertices, layout, *names)], index_buffer=self._faces)
        return self._arrays[program.glo]

    def release(self) -> None:
        """Free the buffers."""
        for held in (*self._arrays.values(), self._vertices, self._faces, self._corners, self._edges, self._table):
            held.release()


def _grouped(meshes: Sequence[Mesh], things: Sequence[Thing], moving: int) -> tuple[NDArray[np.int32], _Parts]:
    """Return the faces of the joined meshes, first of moving and then of static objects, and at the end of those that are see-through."""
    faces = np.split(joined(meshes).faces.astype(np.int32), np.cumsum([len(mesh.faces) for mesh in meshes])[:-1])
    opaque = [i for i, thing in enumerate(things) if not thing.clear]
    order = [*opaque, *(i for i, thing in enumerate(things) if thing.clear)]
    sizes = np.array([faces[i].size for i in range(len(faces))])
    standing = int(sizes[[i for i in opaque if i < moving]].sum())
    return np.concatenate([faces[i] for i in order]), _Parts(standing, int(sizes[opaque].sum()), int(sizes.sum()))


def _corners(outlines: Sequence[Mesh]) -> NDArray[np.void]:
    corners = np.zeros(sum(len(outline.vertices) for outline in outlines), dtype=_CORNER)
    corners['position'] = np.concatenate([outline.vertices for outline in outlines])
    corners['owner'] = np.repeat(np.arange(len(outlines)), [len(outline.vertices) for outline in outlines])
    return corners


def _packed(mesh: Mesh, things: Sequence[Thing]) -> NDArray[np.void]:
    sizes = [len(thing.mesh.vertices) for thing in things]
    packed = np.zeros(len(mesh.vertices), dtype=_LAYOUT)
    packed['position'] = mesh.vertices
    packed['facing'][:, :3] = mesh.normals
    packed['facing'][:, 3] = np.repeat([thing.gloss for thing in things], sizes)
    packed['paint'] = np.square(mesh.colors / 255.0)
    packed['owner'] = np.repeat(np.arange(len(things)), sizes)
    packed['base'], packed['weave'] = (np.repeat(rows, sizes, axis=0) for rows in zip(*map(_weave, things), strict=True))
    return packed


def _weave(thing: Thing) -> tuple[Floats, Floats]:
    """Return background color and period of an object's pattern, and its color with its number from 1; zeros for none."""
    texture = thing.texture
    if texture is None or thing.clear:
        return np.zeros(4), np.zeros(4)
    return np.array([*np.square(thing.rgb), texture.period]), np.array([*np.square(texture.color.rgb), PATTERNS.index(texture.pattern) + 1])


def pose_rows(poses: Sequence[Pose | None]) -> NDArray[np.float32]:
    """Return the (n, 3, 4) upper rows of the pose matrices; zeros for None."""
    given = [(*p.position, *p.orientation) if p else (0.0,) * 7 for p in poses]
    px, py, pz, x, y, z, w = np.array(given, dtype=np.float64).reshape(-1, 7).T
    rows = np.empty((len(poses), 3, 4), dtype=np.float32)
    one = x * x + y * y + z * z + w * w
    rows[:, 0] = np.column_stack([one - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), px])
    rows[:, 1] = np.column_stack([2 * (x * y + z * w), one - 2 * (x * x + z * z), 2 * (y * z - x * w), py])
    rows[:, 2] = np.column_stack([2 * (x * z - y * w), 2 * (y * z + x * w), one - 2 * (x * x + y * y), pz])
    return rows

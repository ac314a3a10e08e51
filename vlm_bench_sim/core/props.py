"""Props: the visible, touchable and movable objects of a scene."""

import re
from dataclasses import dataclass, replace
from functools import cached_property

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import SceneError, quoted
from vlm_bench_sim.core.geometry import Pose, Vector
from vlm_bench_sim.core.looks import CLEAR, Color, Look, Texture
from vlm_bench_sim.core.shapes import sized
from vlm_bench_sim.core.solids import Solid
from vlm_bench_sim.core.symmetry import Symmetry, symmetry

_NAME = re.compile('[A-Za-z0-9_]+')
_LARGEST = 10.0  # m


def check_name(what: str, name: str) -> None:
    """Check the name of an object of a scene; `what` describes the object in the error message.

    Raises:
        SceneError: the name has other characters than letters, digits and underscores.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise SceneError(
            f'The name of a {what} is made of the letters a to z, digits and underscores; found {quoted(str(name))}. Rename it.'
        )


@serialisable
@dataclass(frozen=True)
class Prop:
    """A rigid object with one shape and one color, with or without a pattern.

    Raises:
        SceneError: an extent is not positive or too large.

    Attributes:
        name: unique in the scene; letters, digits and underscores only. The scene checks it.
        kind: a shape of `core.shapes`, for example 'cube' or 'tray'.
        size: bounding extents of the shape, (3,) m.
        color: color of the surface.
        mass: kg.
        friction: Coulomb coefficient of the surface.
        pose: pose of the bounding box's centre in the world (start of the episode).
        fixed: True for a prop that nothing can move.
        ghost: True for a prop that is visible but touches nothing, such as a zone drawn on the table; it stays where it is.
        noun: its name in instructions, for example 'triangular prism'.
        texture: pattern over the color, or None.
    """

    name: str
    kind: str
    size: Vector
    color: Color
    mass: float
    friction: float = 1.0
    pose: Pose = Pose()
    fixed: bool = False
    noun: str = 'object'
    texture: Texture | None = None
    ghost: bool = False

    def __post_init__(self) -> None:
        if not all(0.0 < extent <= _LARGEST for extent in self.size):
            raise SceneError(f'{self.name} was given the size {self.size}. Give three extents above 0 and up to {_LARGEST:g} m.')

    def __hash__(self) -> int:
        """Return a hash of the fields that differ most often: judges look props up thousands of times a second."""
        return hash((self.name, self.kind, self.size))

    @cached_property
    def solid(self) -> Solid:
        """The shape at its real size, in the prop's own frame."""
        return sized(self.kind, self.size)

    @property
    def symmetry(self) -> Symmetry:
        """Rotations that make no visible difference; a pattern shows most of them."""
        shape = symmetry(self.kind, self.size)
        return shape if self.texture is None or self.texture.pattern == CLEAR else shape.marked()

    @property
    def look(self) -> Look:
        """Color and texture of the prop."""
        return Look(self.color, self.texture)

    def dressed(self, look: Look) -> 'Prop':
        """Return the same prop with another look."""
        return replace(self, color=look.color, texture=look.texture)

    def at(self, pose: Pose) -> 'Prop':
        """Return the same prop at another pose."""
        return replace(self, pose=pose)

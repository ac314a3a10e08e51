"""Models of props: shape, size, mass and friction as a suite defines them. Episodes scale and color them."""

from dataclasses import dataclass

from vlm_bench_sim.core.errors import TaskError, near
from vlm_bench_sim.core.geometry import Vector
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.shapes import foreign


@dataclass(frozen=True)
class Model:
    """A kind of object.

    Attributes:
        kind: its shape, one of `core.shapes`.
        size: bounding extents, (3,) m.
        mass: kg.
        friction: Coulomb coefficient.
    """

    kind: str
    size: Vector
    mass: float
    friction: float = 0.71

    def prop(self, name: str, *, noun: str, color: Color, scale: float = 1.0) -> Prop:
        """Return a prop of this model; its mass scales with its volume."""
        x, y, z = self.size
        return Prop(name, self.kind, (x * scale, y * scale, z * scale), color, self.mass * scale**3, self.friction, noun=noun)


MODELS = {
    model.kind: model
    for model in (
        Model('star', (0.055, 0.052, 0.035), 0.036),
        Model('triangular_prism', (0.046, 0.040, 0.039), 0.035),
        Model('cylinder', (0.046, 0.046, 0.042), 0.068, 1.0),
        Model('cube', (0.042, 0.042, 0.042), 0.073, 1.0),
        Model('moon', (0.054, 0.055, 0.039), 0.056),
        Model('letter_t', (0.080, 0.079, 0.040), 0.126),
        Model('cross', (0.078, 0.080, 0.039), 0.183),
        Model('flower', (0.081, 0.081, 0.041), 0.174),
        Model('tray', (0.20, 0.125, 0.05), 0.15),
        Model('basket', (0.091, 0.153, 0.091), 0.409),
        Model('pencil', (0.0175, 0.328, 0.015), 0.072),
        Model('shape_sorter', (0.24, 0.24, 0.186), 0.8),
        Model('mug1', (0.100, 0.139, 0.108), 0.149),
        Model('mug2', (0.098, 0.134, 0.113), 0.207),
        Model('mug3', (0.117, 0.188, 0.159), 0.314),
        Model('mug4', (0.107, 0.138, 0.097), 0.151),
        Model('mug5', (0.088, 0.123, 0.133), 0.155),
        Model('mug6', (0.101, 0.140, 0.107), 0.243),
        Model('sponge', (0.125, 0.058, 0.033), 0.119, 1.0),
        Model('rectangle_area', (0.30, 0.10, 0.001), 0.0),
        Model('round_area', (0.20, 0.20, 0.001), 0.0),
        Model('star_area', (0.33, 0.31, 0.001), 0.0),
        Model('triangle_area', (0.20, 0.30, 0.001), 0.0),
        Model('cross_area', (0.30, 0.10, 0.001), 0.0),
        Model('flower_area', (0.25, 0.25, 0.001), 0.0),
    )
}


def model(kind: str) -> Model:
    """Return the model of that kind, also of a shape that an extension brings.

    Raises:
        SceneError: the kind is that of an extension, and unknown.
        TaskError: there is no such model.
    """
    if kind in MODELS:
        return MODELS[kind]
    if '.' in kind and (brought := foreign(kind)) is not None:
        return Model(kind, brought.size, brought.mass, brought.friction)
    raise TaskError(f'There is no model of a {kind!r}. {near(kind, MODELS)}')

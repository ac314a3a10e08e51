"""Models of props: shape, size, mass and friction as a suite defines them, before an episode scales and paints them."""

from dataclasses import dataclass

from vlm_bench_sim.core.errors import TaskError, near
from vlm_bench_sim.core.geometry import Vector
from vlm_bench_sim.core.looks import Colour
from vlm_bench_sim.core.props import Prop


@dataclass(frozen=True)
class Model:
    """A kind of thing.

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

    def prop(self, name: str, *, noun: str, colour: Colour, scale: float = 1.0) -> Prop:
        """Return a prop of this model; its mass grows with its volume."""
        x, y, z = self.size
        return Prop(name, self.kind, (x * scale, y * scale, z * scale), colour, self.mass * scale**3, self.friction, noun=noun)


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
    )
}


def model(kind: str) -> Model:
    """Return the model of that kind.

    Raises:
        TaskError: there is none.
    """
    if kind not in MODELS:
        raise TaskError(f'There is no model of a {kind!r}. {near(kind, MODELS)}')
    return MODELS[kind]

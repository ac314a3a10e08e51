"""The balance: a beam on a hinge with a hanging plate at each end (ClevrSkills' scale)."""

from math import radians

from vlm_bench_sim.core.geometry import ZERO, Pose, Vector
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.mechanisms import Joint, Link, Mechanism
from vlm_bench_sim.core.props import Prop

PIVOT, ARM, DROP = 0.70, 0.25, 0.60
"""Height of the beam's hinge, length of each arm, and distance of the plates below the beam, m (ClevrSkills)."""

TRAVEL = radians(20.0)
PLATE: Vector = (0.10, 0.10, 0.01)

BEAM, LEFT, RIGHT = 'beam', 'left_plate', 'right_plate'
"""Names of the moving links; the left plate is at +y of the mechanism's frame."""

_ROD, _OUT = 0.005, 0.0625  # m: thickness of a plate's rod, and its distance from the plate's middle
_STEEL, _BRASS = Color('steel', (0.62, 0.64, 0.68)), Color('brass', (0.80, 0.64, 0.34))
_ALONG_X: Vector = (1.0, 0.0, 0.0)
_FRICTION, _SWING = 6e-3, 8e-3  # N m: hinge friction of the beam, and of each plate, so that their swing dies down


def balance(name: str, pose: Pose = Pose()) -> Mechanism:
    """Return a balance with its foot at `pose` and its beam along y.

    It tips by up to 20° to the heavier side; positive angles are to the right.
    The beam's tongue hangs below the hinge, so that equal masses come to rest level.
    Foot, post and rods are at +x of the plates, so that a hand loads them from -x.
    """
    foot = Link(
        'foot',
        (_bar('foot', (0.10, 0.10, 0.02), (0.05, 0.0, 0.01)), _bar('post', (0.02, 0.02, PIVOT - 0.02), (0.03, 0.0, PIVOT / 2 + 0.01))),
    )
    hinge = Joint('revolute', Pose((0.0, 0.0, PIVOT)), _ALONG_X, -TRAVEL, TRAVEL, friction=_FRICTION)
    beam = Link(
        BEAM,
        (
            _bar('beam', (0.02, 2 * ARM + 0.02, 0.02), ZERO, _BRASS, mass=0.1),
            _bar('tongue', (0.016, 0.016, 0.10), (0.0, 0.0, -0.06), _BRASS, mass=0.23),
        ),
        'foot',
        hinge,
    )
    return Mechanism(name, (foot, beam, _plate(LEFT, ARM), _plate(RIGHT, -ARM)), pose, 'balance scale')


def _plate(name: str, y: float) -> Link:
    """Return a plate that swings freely from the beam's end on a rod at its far edge."""
    long = DROP + PLATE[2] + _ROD
    rod = _bar(f'{name}_rod', (_ROD, _ROD, long), (_OUT, 0.0, -long / 2), mass=0.02)
    ends = {'hanger': 0.0, 'foot': -DROP - PLATE[2] - _ROD / 2}
    bars = tuple(_bar(f'{name}_{end}', (_OUT + _ROD, _ROD, _ROD), (_OUT / 2, 0.0, z), mass=0.01) for end, z in ends.items())
    plate = _bar(name, PLATE, (0.0, 0.0, -DROP - PLATE[2] / 2), _BRASS, mass=0.05)
    joint = Joint('revolute', Pose((0.0, y, 0.0)), _ALONG_X, -1.2, 1.2, friction=_SWING)
    return Link(name, (plate, rod, *bars), BEAM, joint)


def _bar(name: str, size: Vector, at: Vector, color: Color = _STEEL, *, mass: float = 1.0) -> Prop:
    return Prop(name, 'cube', size, color, mass, pose=Pose(at), noun=name.replace('_', ' '))

"""What was done to a world since its scene was loaded: values that are enough to get to the same state again."""

from dataclasses import dataclass

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.command import Command, Hold
from vlm_bench_sim.core.geometry import ZERO, Pose, Vector
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene


@serialisable
@dataclass(frozen=True)
class Placement:
    """A prop was put elsewhere by hand, and moved on from there with a linear (m/s) and an angular (rad/s) velocity."""

    prop: str
    pose: Pose
    linear: Vector = ZERO
    angular: Vector = ZERO


@serialisable
@dataclass(frozen=True)
class Arrival:
    """A prop was added."""

    prop: Prop


@serialisable
@dataclass(frozen=True)
class Removal:
    """A prop was taken away."""

    prop: str


Action = Command | Hold | Placement | Arrival | Removal


@serialisable
@dataclass(frozen=True)
class SavedState:
    """The way to a state: a scene, and what was done at which control period.

    PyBullet's own `restoreState` loses contact points of compound bodies: a star on the table then moves on differently (measured).
    """

    scene: Scene
    log: tuple[tuple[int, Action], ...]
    seq: int

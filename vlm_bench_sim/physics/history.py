"""Actions on a world since its scene was loaded: values from which the same state can be reached again."""

from dataclasses import dataclass

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.command import Command, Hold
from vlm_bench_sim.core.geometry import ZERO, Pose, Vector
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene


@serialisable
@dataclass(frozen=True)
class Placement:
    """A prop was moved by hand and given a linear (m/s) and an angular (rad/s) velocity."""

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
    """A prop was removed."""

    prop: str


Action = Command | Hold | Placement | Arrival | Removal


@serialisable
@dataclass(frozen=True)
class SavedState:
    """The path to a state: a scene, and the actions with their control periods.

    PyBullet's own `restoreState` loses contact points of compound bodies: a star on the table then moves differently (measured).
    """

    scene: Scene
    log: tuple[tuple[int, Action], ...]
    seq: int

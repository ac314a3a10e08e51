"""Doors in a frame, with a handle that unlatches them."""

from dataclasses import KW_ONLY, dataclass
from math import radians

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.mechanisms import Joint, Latch, Link, Mechanism
from vlm_bench_sim.core.objects.furniture.finishes import Finish
from vlm_bench_sim.core.objects.furniture.layout import DOOR
from vlm_bench_sim.core.objects.furniture.parts import BAR, GAP, STAND, either, link, metal, rod, wood

LEVER = 'handle'
"""The link that unlatches a door."""

_POST, _SILL, _LEAF = 0.045, 0.02, 0.03  # m


@dataclass(frozen=True)
class Door:
    """Dimensions of a door in its frame, m and rad.

    Attributes:
        width, height: size of the leaf.
        lever: height of the handle above the table.
        turn: range of the handle.
        unlatch: angle of the handle from which on the door is free.
        side: 1 for a hinge on the left, -1 on the right.
        swing: range of the door, towards a person in front of it.
        finish: name of its own finish.
    """

    width: float
    height: float
    _: KW_ONLY
    lever: float
    turn: float
    unlatch: float
    side: int = 1
    swing: float = radians(60.0)
    finish: str = 'oak'

    def make(self, name: str, finish: Finish) -> Mechanism:
        """Return the door, closed and latched."""
        return Mechanism(
            name,
            (self._frame(finish), self._leaf(finish), self._lever(finish)),
            noun='door',
            latches=(Latch(DOOR, LEVER, self.unlatch, radians(1.5)),),
        )

    def _frame(self, finish: Finish) -> Link:
        across, opening = self.width + 2 * (_POST + GAP), self.height + 2 * GAP
        posts = [wood((0.05, _POST, opening), (0.0, y, _SILL + opening / 2), finish) for y in either((across - _POST) / 2)]
        lintel = wood((0.05, across, _POST), (0.0, 0.0, _SILL + opening + _POST / 2), finish)
        return link('frame', [wood((0.16, across, _SILL), (0.0, 0.0, _SILL / 2), finish), *posts, lintel])

    def _leaf(self, finish: Finish) -> Link:
        """Return the leaf with two raised panels; its frame is at the foot of the hinge."""
        w, h, s = self.width, self.height, self.side
        panel = h / 2 - 0.075
        parts = [wood((_LEAF, w, h), (_LEAF / 2, -s * w / 2, h / 2), finish, front=True)]
        parts += [wood((0.006, w - 0.16, panel), (-0.003, -s * (w / 2 - 0.02), h / 2 + z), finish) for z in either(panel / 2 + 0.015)]
        hinge = Joint('revolute', Pose((-0.025, s * w / 2, _SILL + GAP)), (0.0, 0.0, -float(s)), 0.0, self.swing, friction=1.0)
        return link(DOOR, parts, 'frame', hinge)

    def _lever(self, finish: Finish) -> Link:
        """Return the handle, which points to the hinge and turns down; its frame is where its spindle meets the leaf."""
        s, long = self.side, 0.12
        spindle = Pose((0.0, -s * (self.width - 0.045), self.lever - _SILL - GAP))
        turn = Joint('revolute', spindle, (-float(s), 0.0, 0.0), 0.0, self.turn, friction=0.25)
        plate = metal((0.006, 0.044, 0.090), (-0.003, 0.0, 0.0), finish)
        bar = metal((BAR[0], long, BAR[1]), (-STAND - BAR[0] / 2, s * (long / 2 - 0.012), 0.0), finish)
        return link(LEVER, [plate], DOOR, turn, [bar, rod(0.018, (0.0, 0.0), finish)])

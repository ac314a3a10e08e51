"""Cupboards with one or two doors."""

from dataclasses import KW_ONLY, dataclass
from math import radians

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.mechanisms import Joint, Link, Mechanism
from vlm_bench_sim.core.objects.furniture.finishes import Finish
from vlm_bench_sim.core.objects.furniture.layout import Doors
from vlm_bench_sim.core.objects.furniture.parts import BAR, BOARD, GAP, INSET, KNOB, carcass, link, pull, wood
from vlm_bench_sim.core.props import Prop

_LONG = 0.10  # m
_EDGE = 0.04  # m from the free edge of a door to its handle


@dataclass(frozen=True)
class Cupboard:
    """Dimensions of a cupboard, m; its doors open to 90°.

    Attributes:
        width, depth, height: outer extents (y, x, z), `height` without the plinth.
        plinth: height of what is below.
        layout: arrangement and handles of the doors.
        finish: name of its own finish.
    """

    width: float
    depth: float
    height: float
    _: KW_ONLY
    plinth: float
    layout: Doors
    finish: str = 'oak'

    def make(self, name: str, finish: Finish) -> Mechanism:
        """Return the cupboard with its doors closed."""
        d, middle, inside = self.depth, self.plinth + self.height / 2, self.width - 2 * BOARD
        rows = len(self.layout.hinges)
        levels = [wood((d, inside, BOARD), (0.0, 0.0, middle + self._up(k / rows)), finish) for k in range(rows + 1)]
        shelves = [wood((d - 0.06, inside, BOARD), (0.03, 0.0, middle), finish)] if rows == 1 else []
        body = link('body', [*carcass(self.width, d, self.height, self.plinth, finish), *levels, *shelves])
        doors = [
            self._door(door, finish, side, middle + self._up((k + 0.5) / rows))
            for k, (names, sides) in enumerate(zip(self.layout.names, self.layout.hinges, strict=True))
            for door, side in zip(names, sides, strict=True)
        ]
        return Mechanism(name, (body, *doors), noun='cabinet')

    def _up(self, share: float) -> float:
        """Return the height over the middle, m, at a share of the way from the highest to the lowest board."""
        return (0.5 - share) * (self.height - BOARD)

    def _door(self, name: str, finish: Finish, side: int, z: float) -> Link:
        """Return a door that is flush with the carcass; its frame is at the middle of the hinge."""
        rows, count = len(self.layout.hinges), len(self.layout.hinges[0])
        width = (self.width - 2 * BOARD - (count + 1) * GAP) / count
        height = (self.height - (rows + 1) * BOARD) / rows - 2 * GAP
        leaf = wood((BOARD, width, height), (BOARD / 2, -side * width / 2, 0.0), finish, front=True)
        origin = Pose((-self.depth / 2, side * (count * width + (count - 1) * GAP) / 2, z))
        hinge = Joint('revolute', origin, (0.0, 0.0, -float(side)), 0.0, radians(90.0), friction=0.5)
        return link(name, [leaf], 'body', hinge, self._handle(-side * (width - _EDGE), height, finish))

    def _handle(self, y: float, height: float, finish: Finish) -> list[Prop]:
        """Return the handle of a door of that height."""
        depth, thick, _ = BAR
        sizes = {'upright': (depth, thick, _LONG), 'rail': (depth, thick, height - 2 * INSET), 'knob': KNOB}
        return pull(sizes[self.layout.handle], (y, 0.0), finish)

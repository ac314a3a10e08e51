"""Chests of drawers."""

from dataclasses import KW_ONLY, dataclass

from vlm_bench_sim.core.geometry import Pose, Vector
from vlm_bench_sim.core.mechanisms import Joint, Link, Mechanism
from vlm_bench_sim.core.objects.furniture.finishes import Finish
from vlm_bench_sim.core.objects.furniture.layout import Drawers
from vlm_bench_sim.core.objects.furniture.parts import BAR, BOARD, GAP, INSET, KNOB, carcass, either, link, pull, wood
from vlm_bench_sim.core.props import Prop

_THIN = 0.006  # m
_OUT: Vector = (-1.0, 0.0, 0.0)


@dataclass(frozen=True)
class Chest:
    """Dimensions of a chest of drawers, m.

    Attributes:
        width, depth, height: outer extents (y, x, z), `height` without the plinth.
        plinth: height of what is below.
        travel: how far each drawer comes out.
        layout: number and handles of the drawers.
        finish: name of its own finish.
    """

    width: float
    depth: float
    height: float
    _: KW_ONLY
    plinth: float
    travel: float
    layout: Drawers
    finish: str = 'oak'

    @property
    def opening(self) -> tuple[float, float]:
        """Width and height of the opening of one drawer, m."""
        columns, rows = self.layout.columns, self.layout.rows
        return (self.width - (columns + 1) * BOARD) / columns, (self.height - (rows + 1) * BOARD) / rows

    def make(self, name: str, finish: Finish) -> Mechanism:
        """Return the chest with its drawers closed."""
        (wide, high), low = self.opening, self.plinth + BOARD / 2
        columns, rows = self.layout.columns, self.layout.rows
        shelves = [wood((self.depth, self.width - 2 * BOARD, BOARD), (0.0, 0.0, low + k * (high + BOARD)), finish) for k in range(rows + 1)]
        across = [((columns - 1) / 2 - j) * (wide + BOARD) for j in range(columns)]
        heights = [low + (rows - 0.5 - k) * (high + BOARD) for k in range(rows)]
        posts = [wood((self.depth, BOARD, high), (0.0, y - (wide + BOARD) / 2, z), finish) for z in heights for y in across[:-1]]
        body = link('body', [*carcass(self.width, self.depth, self.height, self.plinth, finish), *shelves, *posts])
        drawers = [
            self._drawer(drawer, finish, (y, z))
            for row, z in zip(self.layout.names, heights, strict=True)
            for drawer, y in zip(row, across, strict=True)
        ]
        return Mechanism(name, (body, *drawers), noun='cabinet')

    def _drawer(self, name: str, finish: Finish, at: tuple[float, float]) -> Link:
        """Return an open box behind a front that is flush with the carcass; its frame is at the centre `at` (y, z) of the front."""
        width, height = (extent - 2 * GAP for extent in self.opening)
        length, across, deep = self.depth - 3 * BOARD, width - 0.012, 0.65 * height
        middle, low = BOARD + length / 2, -height / 2 + 0.004
        parts = [
            wood((BOARD, width, height), (BOARD / 2, 0.0, 0.0), finish, front=True),
            wood((length, across, _THIN), (middle, 0.0, low + _THIN / 2), finish),
            *(wood((length, _THIN, deep), (middle, y, low + deep / 2), finish) for y in either(across / 2 - _THIN / 2)),
            wood((_THIN, across - 2 * _THIN, deep), (BOARD + length - _THIN / 2, 0.0, low + deep / 2), finish),
        ]
        joint = Joint('prismatic', Pose((-self.depth / 2, *at)), _OUT, 0.0, self.travel, friction=2.0)
        return link(name, parts, 'body', joint, self._handle(width, finish))

    def _handle(self, width: float, finish: Finish) -> list[Prop]:
        """Return the handle in the middle of a front of that width."""
        depth, thick, long = BAR
        sizes = {'bar': (depth, long, thick), 'upright': (depth, thick, long), 'rail': (depth, width - 2 * INSET, thick), 'knob': KNOB}
        return pull(sizes[self.layout.handle], (0.0, 0.0), finish)

"""A balance and the blocks for it (ClevrSkills, BalanceScale)."""

from collections.abc import Sequence
from math import radians

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Look
from vlm_bench_sim.core.mechanisms import Mechanism
from vlm_bench_sim.core.objects.balance import BEAM, LEFT, RIGHT, balance
from vlm_bench_sim.core.props import Prop
from vlm_bench_tasks.authoring import Carried, Goal, Level, Not, all_of
from vlm_bench_tasks.suite.clevrskills._objects import thing
from vlm_bench_tasks.suite.clevrskills._props import APART
from vlm_bench_tasks.suite.clevrskills._steps import Draw as BaseDraw
from vlm_bench_tasks.variation.placement import Workspace

SLICE, SIDE, DENSITY = 0.015, 0.08, 300.0
"""Height that all heights of blocks are multiples of, and side of a block, m; density of blocks, kg/m³."""

SPLITS = {
    2: (((2,), (2,)), ((3,), (3,)), ((4,), (4,)), ((5,), (5,))),
    3: (((2, 2), (4,)), ((3, 2), (5,))),
    4: (((3, 2), (3, 2)), ((4, 2), (3, 3)), ((4, 3), (5, 2)), ((5, 3), (4, 4)), ((5, 4), (5, 4)), ((2, 2), (2, 2))),
}
"""Towers of equal mass by their number of blocks, in slices from the lowest block; a tower is at most 0.15 m high."""

Towers = tuple[tuple[Prop, ...], tuple[Prop, ...]]
"""The blocks of two towers of equal mass, from the lowest."""

_NEAR = Workspace((0.20, 0.35), (-0.44, 0.44))
_SCALE_AT, _ASIDE, _YAW = 0.535, 0.01, radians(6.0)


class Draw(BaseDraw):
    """The chance of an episode with a balance."""

    def scale(self) -> Mechanism:
        """Return a balance before the robot, its plates to the left and to the right."""
        x, yaw = (float(self.layout.uniform(-most, most)) for most in (_ASIDE, _YAW))
        made = balance('scale', Pose.from_rpy((_SCALE_AT + x, 0.0, 0.0), (0.0, 0.0, yaw)))
        self.mechanisms += (made,)
        return made

    def towers(self, *wanted: tuple[int, Look]) -> tuple[Towers, ...]:
        """Return blocks of each look on the table beside the robot, so many that they make two towers of equal mass."""
        splits = [SPLITS[count][int(self.values.integers(len(SPLITS[count])))] for count, _ in wanted]
        heights = [(height, look) for split, (_, look) in zip(splits, wanted, strict=True) for tower in split for height in tower]
        names = self.named('block', len(heights))
        made = [block(name, SLICE * height, look) for name, (height, look) in zip(names, heights, strict=True)]
        self.workspace = _NEAR
        placed = {prop.name: prop for prop in self.anywhere(made, APART)}
        laid = iter(placed[name] for name in names)
        return tuple((tuple(next(laid) for _ in left), tuple(next(laid) for _ in right)) for left, right in splits)


def block(name: str, height: float, look: Look) -> Prop:
    """Return a block of a height, m."""
    return thing(name, 'cube', look, noun='block', size=(SIDE, SIDE, round(height, 6)), density=DENSITY)


def carried(blocks: Sequence[Prop], scale: Mechanism, *links: str) -> tuple[Goal, ...]:
    """Return the goals that each of the blocks is carried by one of the plates."""
    return tuple(Carried(block, scale, links) for block in blocks)


def in_balance(towers: Towers, others: Towers, scale: Mechanism) -> Goal:
    """Return the goal that the blocks of the towers, and not the others, are on the scale, and it is level."""
    wanted, rest = ([block for tower in each for block in tower] for each in (towers, others))
    away = (Not(goal) for goal in carried(rest, scale, LEFT, RIGHT))
    return all_of(*carried(wanted, scale, LEFT, RIGHT), Level(scale, BEAM), *away)


def split(towers: Towers, scale: Mechanism) -> Goal:
    """Return the plan that each plate carries the tower that is nearer: one after the other, so that no loaded plate is thrown up."""
    right, left = sorted(towers, key=lambda tower: sum(block.pose.position[1] for block in tower) / len(tower))
    return all_of(*carried(left, scale, LEFT), *carried(right, scale, RIGHT), Level(scale, BEAM))

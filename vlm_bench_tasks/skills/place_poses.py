"""Place poses: tool poses at which releasing a prop makes a placing goal true, the gentlest first."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import singledispatch
from itertools import product
from math import atan2, pi, sin
from typing import Any

import numpy as np

from vlm_bench_sim.core.algebra import dot, matmul, norm
from vlm_bench_sim.core.areas import Area
from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.geometry import Floats, Pose, Vector, vector
from vlm_bench_sim.core.objects.sorter import HOLES, LID
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.symmetry import ANY, symmetry
from vlm_bench_tasks.goals.outlines import Polygon, centroid, diameter, inward, outline, rectangle
from vlm_bench_tasks.goals.placing import At, Inside, On, Within, cavity_of, ground, highest, sticks_out
from vlm_bench_tasks.skills.skill import SkillFailed

ABOVE = 0.10  # m above the place where a prop is put down
DROPS = (0.004, 0.02, 0.035)  # m between the prop and its support when the fingers open, the gentlest first
LEVEL = (0.001, 0.004)  # the same for a small support, which a drop would set rocking
YAWS = 8  # number of yaw angles tried for a prop
DIP = (0.010, 0.006)  # m that a block reaches into its hole when the fingers open
SUNK = 0.92  # share of a container's depth that a long prop is lowered into it
FOOT = 0.8  # width of a container at its floor, as a share of the width at its rim
SHY = 0.005  # m between a long prop and the container's foot and rim until release
_STRAIGHT_DOWN = Pose.from_rpy((0.0, 0.0, 0.0), (pi, 0.0, 0.0))
_GRID = 0.02  # m between spots of a zone
_ROOM = 1.02  # least distance from the middle of another prop, in diameters of the prop
_FINE = 0.01  # m between spots beside what already lies on a support
_FEW = 4  # number of these spots that are tried
_DEEP = 0.05  # m from the edge of an area of the table inwards
EASY = 0.48  # m from the base where the arm can reach high
_SLOW = 0.5
_AWAY = 0.7  # least component of the lean direction away from the hand


@dataclass(frozen=True)
class PlacePose:
    """A tool pose at which a held prop is released, and the tool pose above it."""

    above: ToolPose
    down: ToolPose


PlacePoses = Callable[[Pose], Iterator[PlacePose]]
"""Function from the pose of a held prop in the tool frame to its place poses."""


@singledispatch
def place_poses(goal: Any, now: Snapshot) -> PlacePoses:
    """Return the place poses that make a placing goal true.

    Raises:
        SkillFailed: it is not a placing goal.
    """
    raise SkillFailed(f'There are no place poses for {type(goal).__name__}. Register a function in vlm_bench_tasks/skills/place_poses.py.')


@place_poses.register
def _inside(goal: Inside, now: Snapshot) -> PlacePoses:
    """On the container's floor, beside what lies there. Through the lid of a shape sorter. A prop that is too long goes end first."""
    prop, box = goal.prop, goal.container.at(now.pose(goal.container.name))
    if box.kind == 'shape_sorter':
        return lambda in_tool: _through(prop, box, in_tool)
    if sticks_out(prop, box):
        return lambda in_tool: _end_first(prop, box, in_tool)
    cavity = cavity_of(box)
    spot = (cavity.centre[0], cavity.centre[1], cavity.low[2])
    x, y, z = box.pose.apply([spot])[0].tolist()
    spots = _spots(prop, box, (x, y, z), rectangle((cavity.size[0], cavity.size[1]), box.pose @ Pose(spot)), now)
    along = box.pose.rotation[:, 0]
    # The fingers open along the container's longer side if possible.
    return lambda in_tool: flat(prop, in_tool, spots=spots, drops=DROPS, yaw=box.pose.yaw, along=along)


@place_poses.register
def _on(goal: On, now: Snapshot) -> PlacePoses:
    """With the centre of mass over the middle of the support, or that of its cavity, or beside what lies there."""
    yaw, spots = now.pose(goal.base.name).yaw, spots_on(goal.prop, goal.base, now)
    centre = symmetry(goal.prop.kind, goal.prop.size).centre
    return lambda in_tool: flat(goal.prop, in_tool, spots=spots, drops=LEVEL, yaw=yaw, centre=centre)


def spots_on(prop: Prop, base: Prop, now: Snapshot) -> list[Vector]:
    """Return the spots for a prop on a support, m: its middle, or that of its cavity; the roomiest beside what lies there come before."""
    at, cavity = now.pose(base.name), base.solid.cavity
    edges = outline(base, at)
    x, y = (centroid(edges) if cavity is None else at.apply([cavity.centre])[0, :2]).tolist()
    return _spots(prop, base, (x, y, highest(base, at)), edges, now)


def _spots(prop: Prop, support: Prop, middle: Vector, edges: Polygon, now: Snapshot) -> list[Vector]:
    """Return the spots for a prop on a support. If other things lie there, the roomiest spots beside them come before the middle.

    Args:
        prop: the prop to put down.
        support: the support, or the container whose floor is the support.
        middle: middle of the support, m.
        edges: outline of the support.
        now: the newest snapshot.
    """
    names, ceiling = now.bodies.keys() - {prop.name, support.name, now.held}, middle[2] + max(support.size)
    bodies = [np.asarray(now.pose(name).position) for name in sorted(names)]
    others = np.array([at[:2] for at in bodies if middle[2] < at[2] < ceiling and inward(edges, at[:2]) > 0]).reshape(-1, 2)
    if not len(others):
        return [middle]
    across, steps = diameter(outline(prop, now.pose(prop.name))), np.arange(-15, 16) * _FINE
    points = [np.array(middle[:2]) + np.array(step) for step in product(steps, steps)]
    room = [min(inward(edges, at) - across / 2, float(np.linalg.norm(others - at, axis=1).min()) - _ROOM * across) for at in points]
    free = sorted((i for i in range(len(points)) if room[i] >= 0), key=lambda i: -round(room[i], 6))
    return [(float(points[i][0]), float(points[i][1]), middle[2]) for i in free[:_FEW]] + [middle]


@place_poses.register
def _within(goal: Within, now: Snapshot) -> PlacePoses:
    """At free spots of the zone, the middle first. In an area of the table, spots where the arm can reach high come first."""
    zone, top = ground(goal.zone, now)
    middle, room = centroid(zone), _ROOM * diameter(outline(goal.prop, now.pose(goal.prop.name)))
    names = [name for name in now.bodies if name not in (goal.prop.name, _name(goal.zone))]
    others = np.array([now.pose(name).position[:2] for name in names]).reshape(-1, 2)
    steps, deep = np.arange(-10, 11) * _GRID, min(_DEEP, inward(zone, middle))
    points = [middle + np.array(step) for step in product(steps, steps)]
    inside = [(point, depth) for point in points if (depth := inward(zone, point)) >= 0]

    def order(spot: tuple[Floats, float]) -> tuple[bool, float]:
        point, depth = spot
        taken = bool((np.linalg.norm(others - point, axis=1) < room).any())
        if isinstance(goal.zone, Prop):
            return taken, round(norm(point - middle), 6)
        shallow = max(0.0, deep - depth)
        return taken, round(10 * shallow + abs(norm(point) - EASY), 6)

    floor = top if isinstance(goal.zone, Area) or not goal.zone.ghost else 0.0
    spots = [(float(x), float(y), floor) for (x, y), _ in sorted(inside, key=order)]
    return lambda in_tool: flat(goal.prop, in_tool, spots=spots, drops=DROPS[:1], yaw=0.0)


def _name(place: Prop | Area) -> str:
    return place.name if isinstance(place, Prop) else ''


@place_poses.register
def _at(goal: At, now: Snapshot) -> PlacePoses:
    """At the pose itself, in any allowed orientation; if all are, also on the side on which the prop lies now, for it may have rolled."""
    turns = _turns(goal.prop.symmetry.orders[2]) if goal.turn < pi else [2 * pi * k / YAWS for k in range(YAWS)]
    turned = [goal.pose @ Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, turn)) for turn in turns]
    return exactly(goal.prop, *turned, *(_lying(goal, now, turns) if goal.turn >= pi else ()))


def _lying(goal: At, now: Snapshot, turns: list[float]) -> Iterator[Pose]:
    """Yield poses at the place of a goal on the side on which its prop lies now, as high over the table."""
    (x, y, z), vertices = goal.pose.position, goal.prop.solid.vertices
    stance = Pose(orientation=now.pose(goal.prop.name).orientation)
    lowest = Pose(orientation=goal.pose.orientation).apply(vertices)[:, 2].min() - stance.apply(vertices)[:, 2].min()
    for turn in turns:
        yield Pose((x, y, z + float(lowest)), (Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, turn)) @ stance).orientation)


def exactly(prop: Prop, *poses: Pose) -> PlacePoses:
    """Return the place poses of a prop at these poses."""
    return lambda in_tool: (_landing(pose.shifted((0.0, 0.0, gap)), prop, in_tool) for gap in LEVEL for pose in poses)


def flat(
    prop: Prop,
    in_tool: Pose,
    *,
    spots: Iterable[Vector],
    drops: Iterable[float],
    yaw: float,
    centre: Vector = (0.0, 0.0, 0.0),
    along: Floats | None = None,
) -> Iterator[PlacePose]:
    """Yield place poses at spots of a support, with the prop upright first, then as it hangs.

    Args:
        prop: the held prop.
        in_tool: its pose in the tool frame.
        spots: positions below its `centre` (m, in its own frame), with the height of the support there, m.
        drops: release heights above the support, m.
        yaw: first yaw angle, rad; the others follow in even steps.
        centre: a point of the prop.
        along: (3,) preferred opening direction of the fingers; None: any.
    """
    for drop, (x, y, z) in product(drops, list(spots)):
        for stance in (_upright(in_tool), Pose(orientation=(_STRAIGHT_DOWN @ in_tool).orientation)):
            lowest = float(stance.apply(prop.solid.vertices)[:, 2].min())
            poses = []
            for k in range(YAWS):
                turned = Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, yaw + k * 2 * pi / YAWS)) @ stance
                dx, dy, _ = turned.apply([centre])[0].tolist()
                poses.append(Pose((x - dx, y - dy, z - lowest + drop), turned.orientation))
            found = [_landing(pose, prop, in_tool) for pose in poses]
            if along is not None:
                found.sort(key=lambda one: -round(abs(dot(one.down.pose.rotation[:, 1], along)), 3))
            yield from found


def _through(prop: Prop, sorter: Prop, in_tool: Pose) -> Iterator[PlacePose]:
    """Yield place poses with the prop's lower end in its hole of the shape sorter."""
    if prop.kind not in HOLES:
        raise SkillFailed(f'{sorter.name} has no hole for a {prop.kind}.')
    (x, y), yaw, _ = HOLES[prop.kind]
    top = sorter.size[2] / 2
    for dip in DIP:
        for turn in _turns(symmetry(prop.kind, prop.size).orders[2]):
            inside = Pose.from_rpy((x, y, top + prop.size[2] / 2 - min(dip, LID)), (0.0, 0.0, yaw + turn))
            yield _landing(sorter.pose @ inside, prop, in_tool)


def _end_first(prop: Prop, container: Prop, in_tool: Pose) -> Iterator[PlacePose]:
    """Yield place poses with one end of a long prop at the foot of a container's wall, the prop almost leaning on the opposite rim.

    Released in the middle, or upright, it would gain enough speed to tip over the rim. It leans away from the hand, and if possible
    along the container's longer side: its weight over the shorter side may tip the container.
    """
    cavity = cavity_of(container)
    axis = int(np.argmax(prop.size))
    half, radius = prop.size[axis] / 2, float(np.median(prop.size)) / 2
    depth = SUNK * cavity.size[2]
    sides = sorted(range(4), key=lambda side: -round(float(cavity.size[side % 2]), 6))
    for side, end, roll in product(sides, (-1, 1), range(4)):
        across = cavity.size[side % 2] / 2
        foot, rim = FOOT * across - radius, across - radius
        lean = atan2(foot + rim - 2 * SHY, depth)
        heading = Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, side * pi / 2))
        rolled = Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, roll * pi / 2)) @ _point_down(axis, end)
        turned = heading @ Pose.from_rpy((0.0, 0.0, 0.0), (0.0, lean, 0.0)) @ rolled
        stands = heading.apply([(SHY - foot, 0.0, cavity.high[2] - depth)])[0] - end * half * turned.rotation[:, axis]
        at = container.pose @ Pose(vector(stands), turned.orientation)
        place_pose = _landing(at, prop, in_tool, speed=_SLOW)
        if place_pose.down.pose.rotation[2, 2] <= -_AWAY * sin(lean):
            yield place_pose


def _point_down(axis: int, end: int) -> Pose:
    """Return the orientation in which the given end of a prop's axis points straight down."""
    if axis == 0:
        return Pose.from_rpy((0.0, 0.0, 0.0), (0.0, end * pi / 2, 0.0))
    if axis == 1:
        return Pose.from_rpy((0.0, 0.0, 0.0), (-end * pi / 2, 0.0, 0.0))
    return Pose.from_rpy((0.0, 0.0, 0.0), (pi if end > 0 else 0.0, 0.0, 0.0))


def _landing(prop_at: Pose, prop: Prop, in_tool: Pose, *, speed: float = 1.0) -> PlacePose:
    tool = prop_at @ in_tool.inverse()
    return PlacePose(
        ToolPose(tool.shifted((0.0, 0.0, ABOVE)), speed=speed), ToolPose(tool, straight=True, allowed=(prop.name,), speed=_SLOW)
    )


def _turns(order: int) -> list[float]:
    """Return the symmetry rotations about an axis of the given order, rad."""
    count = YAWS if order == ANY else order
    return [2 * pi * k / count for k in range(count)]


def _upright(in_tool: Pose) -> Pose:
    """Return the orientation with one axis of the prop vertical that is nearest to its orientation in a tool pointing straight down."""
    hanging = (_STRAIGHT_DOWN @ in_tool).rotation
    axis = int(np.argmax(np.abs(hanging[2])))
    up = hanging[:, axis] * np.sign(hanging[2, axis])
    matrix = np.eye(4)
    matrix[:3, :3] = matmul(_turn_to_vertical(up), hanging)
    return Pose.from_matrix(matrix)


def _turn_to_vertical(up: Floats) -> Floats:
    """Return the smallest rotation (3, 3) that turns the unit vector `up`, which has a positive z, to the vertical."""
    x, y, z = up
    tilt = np.array([[0.0, 0.0, -x], [0.0, 0.0, -y], [x, y, 0.0]])
    turn: Floats = np.eye(3) + tilt + matmul(tilt, tilt) / (1 + z)
    return turn

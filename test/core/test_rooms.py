"""Rooms hold together: nothing floats, overlaps or flickers, and what the robot needs stays free."""

from itertools import combinations, product

import numpy as np
import pytest

from vlm_bench_sim.core.codec import dumps, loads
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Box, Pose
from vlm_bench_sim.core.objects.rooms import IN_THE_LOOK_OF, NOVEL, PLANS, SEEN, crossed, known, origins, room
from vlm_bench_sim.core.objects.rooms.builder import Room
from vlm_bench_sim.core.objects.rooms.catalogue import THIN
from vlm_bench_sim.core.objects.rooms.clearance import NEAREST, REACH, SHOULDER, SWEPT, TOUCHED
from vlm_bench_sim.core.objects.rooms.palettes import PALETTES
from vlm_bench_sim.core.objects.rooms.plan import FAR, LEFT, NEAR, RIGHT, Against, Plan
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.protocols import obstacles
from vlm_bench_sim.core.scene import Scene, Table
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.profiles import cameras
from vlm_bench_tasks.variation.placement import Workspace

USUAL, DEEP = Table().box, Box((0.60, 0.0, -0.02), (1.60, 1.80, 0.04))
TABLES = {'usual': USUAL, 'deep': DEEP}
FLICKER = 0.0015
CONTACT = 0.006
PROPS_AT = [np.array(at) for at in product((0.25, 0.5, 0.75), (-0.4, 0.0, 0.4), (0.0, 0.2, 0.4))]


def corners(prop: Prop) -> np.ndarray:
    return prop.pose.apply(prop.solid.vertices)


def bounds(props) -> np.ndarray:
    """(n, 2, 3): lowest and highest corner of each, m in the world."""
    return np.array([(points.min(axis=0), points.max(axis=0)) for points in map(corners, props)])


def upright(prop: Prop) -> bool:
    """Whether the faces of a box look along the axes of the world."""
    return bool((np.abs(np.abs(prop.pose.rotation) - 0.5) > 0.499).all())


def distance(box: np.ndarray, point) -> float:
    return float(np.linalg.norm(np.maximum(0.0, np.maximum(box[0] - point, point - box[1]))))


def around(name: str, table: str = 'usual') -> Room:
    return room(name, TABLES[table])


@pytest.mark.parametrize('name', PLANS)
@pytest.mark.parametrize('table', TABLES)
def test_no_two_faces_of_a_room_flicker(name, table):
    """Faces of boxes that look the same way and lie in one plane must not overlap."""
    there = [prop for prop in around(name, table).all if prop.kind == 'cube' and upright(prop)]
    found = bounds(there)
    bad = set()
    for axis, side in product(range(3), range(2)):
        others = [k for k in range(3) if k != axis]
        order = np.argsort(found[:, side, axis])
        level = found[order, side, axis]
        for n, i in enumerate(order):
            for j in order[n + 1 : int(np.searchsorted(level, level[n] + FLICKER))]:
                shared = np.minimum(found[i, 1, others], found[j, 1, others]) - np.maximum(found[i, 0, others], found[j, 0, others])
                if shared.min() > 0.002 and not _buried(found, i, j, axis, side):
                    bad.add((there[i].name, there[j].name, axis, side))
    assert not bad


def _buried(found: np.ndarray, i: int, j: int, axis: int, side: int) -> bool:
    """Whether a third box hides the place where two faces meet."""
    others = [k for k in range(3) if k != axis]
    low = np.maximum(found[i, 0, others], found[j, 0, others])
    high = np.minimum(found[i, 1, others], found[j, 1, others])
    at = found[i, side, axis] + (1 if side else -1) * 0.0005
    hides = (found[:, 0, others] <= low + 1e-4).all(axis=1) & (found[:, 1, others] >= high - 1e-4).all(axis=1)
    hides &= (found[:, 0, axis] <= at + 0.002) & (found[:, 1, axis] >= at - 0.002)
    hides &= (found[:, 1, axis] > at + 0.001) if side else (found[:, 0, axis] < at - 0.001)
    hides[[i, j]] = False
    return bool(hides.any())


@pytest.mark.parametrize('name', PLANS)
@pytest.mark.parametrize('table', TABLES)
def test_nothing_in_a_room_floats(name, table):
    """Each part touches another one, which touches another one …, down to the floor, a wall, the ceiling or the table."""
    there = around(name, table)
    props = (*there.near, *there.far)
    fixed = there.shell
    found = bounds((*props, *fixed))
    board = np.array([(TABLES[table].low, TABLES[table].high)])
    found = np.concatenate([found, board])
    apart = np.maximum(found[:, None, 0] - found[None, :, 1], found[None, :, 0] - found[:, None, 1]).max(axis=2)
    near = apart < CONTACT
    held = np.zeros(len(found), dtype=bool)
    held[len(props) :] = True
    while (more := near[held].any(axis=0)).sum() > held.sum():
        held = more
    assert [prop.name for prop, on in zip(props, held, strict=False) if not on] == []


FLAT = ('window', 'curtains', 'blinds', 'tiles', 'rug')
"""Pieces that may lie over one another: curtains before a window, a rug below a table."""


@pytest.mark.parametrize('name', PLANS)
@pytest.mark.parametrize('table', TABLES)
def test_no_two_pieces_of_a_room_overlap_and_all_are_between_its_walls(name, table):
    plan, there = PLANS[name], around(name, table)
    props = (*there.near, *there.far)
    found = bounds(props)
    low, high = (plan.x[0], plan.y[0]), (plan.x[1], plan.y[1])
    assert [prop.name for prop, (a, b) in zip(props, found, strict=True) if (a[:2] < low).any() or (b[:2] > high).any()] == []
    board = np.array([(TABLES[table].low, TABLES[table].high)])
    names, found = [*(prop.name.rpartition('_')[0] for prop in props), 'table'], np.concatenate([found, board])
    shared = (np.minimum(found[:, None, 1], found[None, :, 1]) - np.maximum(found[:, None, 0], found[None, :, 0])).min(axis=2)
    met = {(names[i], names[j]) for i, j in np.argwhere(np.triu(shared, 1) > 0.004).tolist() if names[i] != names[j]}
    bad = {two for two in met if not any(one.endswith(FLAT) for one in two)}
    assert bad == set()


@pytest.mark.parametrize('name', PLANS)
@pytest.mark.parametrize('table', TABLES)
def test_what_tasks_sweep_is_free_and_only_what_is_near_is_solid(name, table):
    there = around(name, table)
    for box in SWEPT:
        low, high = np.asarray(box.low), np.asarray(box.high)
        for prop, (a, b) in zip((*there.near, *there.far), bounds((*there.near, *there.far)), strict=True):
            assert (np.minimum(b, high) - np.maximum(a, low)).min() <= 1e-6, prop.name
    solid = bounds(there.solids)
    assert min(distance(box, np.asarray(NEAREST)) for box in solid) <= TOUCHED
    flat = {noun.replace('_', ' ') for noun in THIN} | {'table leg'}
    far = [prop for prop in (*there.far, *there.shell) if prop.noun not in {*flat, 'floor'}]
    near = {prop.noun for prop, box in zip(far, bounds(far), strict=True) if distance(box, np.asarray(SHOULDER)) < REACH}
    assert near == set()
    assert 1 <= len(PLANS[name].neighbours) <= 3
    assert len(there.solids) <= 45
    assert all(prop.ghost and not prop.fixed for prop in (*there.far, *there.shell))
    assert all(prop.fixed and not prop.ghost and prop.name == 'room' for prop in there.solids)


@pytest.mark.parametrize('name', PLANS)
@pytest.mark.parametrize('table', TABLES)
def test_every_camera_sees_the_table(name, table):
    """No part of a room stands between a fixed camera and a prop, and no camera is in a thing."""
    there = around(name, table)
    props = (*there.near, *there.far)
    found = bounds(props)
    fixed = [camera for named in ('arnold', 'vlmbench', 'lohoravens') for camera in cameras(named) if not camera.link]
    hidden = set()
    for camera in fixed:
        eye = np.asarray(camera.pose.position)
        for at in PROPS_AT:
            with np.errstate(divide='ignore', invalid='ignore'):
                enter, leave = np.sort((found - eye) / (at - eye), axis=1).transpose(1, 0, 2)
            hit = np.maximum(enter.max(axis=1), 0.0) < np.minimum(leave.min(axis=1), 0.98)
            hidden |= {(camera.name, props[i].name) for i in np.flatnonzero(hit)}
    assert hidden == set()


COUNTED = {'floor', 'wall'}


def told(prop: Prop) -> list[tuple[float, ...]]:
    """The colors of a surface: its own and its pattern's."""
    return [prop.color.rgb, *([prop.texture.color.rgb] if prop.texture else [])]


def shades(names) -> dict[str, np.ndarray]:
    """(n, 3) colors of floor, walls and solid neighbours of each room; those of furnishings that only stand for others too."""
    found = {}
    for name in names:
        there = around(name)
        counted = [prop for prop in there.shell if prop.noun in COUNTED] + list(there.near)
        found[name] = np.unique([rgb for prop in counted for rgb in told(prop)], axis=0)
    return found


def test_no_color_of_a_novel_room_is_like_one_of_a_seen_room():
    """Floors, walls and neighbours, and these also with the furniture of any other room: at least 0.10 apart in RGB."""
    seen = np.concatenate(list(shades(SEEN).values()))
    crossed = [f'{furnished}{IN_THE_LOOK_OF}{painted}' for furnished in PLANS for painted in NOVEL]
    for name, novel in shades(crossed).items():
        apart = np.linalg.norm(novel[:, None] - seen[None], axis=2).min()
        assert apart > 0.10, (name, apart)
    assert len(seen) > 100


def test_no_palette_is_a_variant_of_another():
    """Floor and wall of any two rooms differ, and most other roles do."""
    for a, b in combinations(PALETTES.values(), 2):
        same = [role for role in vars(a) if a.look(role).color.rgb == b.look(role).color.rgb]
        assert not {'floor', 'wall'} & set(same) and len(same) <= 4


def layout(plan: Plan) -> list[tuple[str, tuple[float, float]]]:
    """What stands where, in metres from the robot."""
    found = []
    for piece in (*plan.pieces, *plan.neighbours):
        if isinstance(piece, Against):
            wall = {FAR: (plan.x[1], None), NEAR: (plan.x[0], None), LEFT: (None, plan.y[1]), RIGHT: (None, plan.y[0])}[piece.wall]
            found.append((piece.piece, tuple(piece.along if at is None else at for at in wall)))
        else:
            found.append((piece.piece, piece.at))
    return found


def alike(a: Plan, b: Plan) -> float:
    """Share of the pieces of `a` that `b` has within half a metre."""
    others = layout(b)
    return float(np.mean([any(kind == other and np.hypot(x - u, y - v) < 0.5 for other, (u, v) in others) for kind, (x, y) in layout(a)]))


def test_no_two_rooms_are_laid_out_alike():
    assert len(PLANS) == len(PALETTES) == 20
    assert len({plan.kind for plan in PLANS.values()}) >= 6
    likeness = {(a, b): alike(PLANS[a], PLANS[b]) for a in PLANS for b in PLANS if a != b}
    assert max(likeness.values()) < 0.5, max(likeness.items(), key=lambda one: one[1])
    assert max(likeness[a, b] for a in NOVEL for b in SEEN) < 0.35
    assert {0.70, 0.80} <= {plan.drop for plan in PLANS.values()} and all(0.70 <= plan.drop <= 0.80 for plan in PLANS.values())


def test_a_seen_room_in_a_novel_palette_stands_as_before_and_looks_other():
    plain, crossed = around('room3'), around('room3~room17')
    assert [(prop.name, prop.pose, prop.size) for prop in plain.all] == [(prop.name, prop.pose, prop.size) for prop in crossed.all]
    floor = {name: next(prop for prop in around(name).shell if prop.noun == 'floor').look for name in ('room3~room17', 'room17')}
    assert floor['room3~room17'] == floor['room17']
    assert Scene((), room='room3~room17').furniture == crossed.all


@pytest.mark.parametrize(
    ('name', 'furnished', 'painted'), [('room3~room17', 'room3', 'room17'), ('room3', 'room3', 'room3'), ('study', 'study', 'study')]
)
def test_a_name_says_whose_furniture_and_whose_palette_a_room_has(name, furnished, painted):
    assert known(name) and origins(name) == (furnished, painted)
    assert crossed(furnished, painted) == name


@pytest.mark.parametrize(('name', 'near'), [('room33', 'room3'), ('room3~room71', 'room7'), ('room~room17', 'room17'), ('stud', 'study')])
def test_an_unknown_room_is_refused_by_name(name, near):
    with pytest.raises(SceneError, match=f'There is no room called {name!r}.*{near}'):
        Scene((), room=name)


@pytest.mark.parametrize('name', ['study~room3', 'room3~study', 'room3~', '~room3', 'room3~room4~room5'])
def test_only_numbered_rooms_can_be_crossed(name):
    with pytest.raises(SceneError, match='no room called'):
        Scene((), room=name)


def test_what_stands_beside_the_usual_table_stands_on_the_deep_one_at_the_same_place():
    """Above the table nothing changes, so that an expert's ways are the same."""

    def above(table: str) -> set[tuple[object, ...]]:
        return {(prop.kind, prop.pose, prop.size) for prop in around('room0', table).solids if prop.pose.position[2] > 0.0}

    assert above('usual') == above('deep')
    assert len(around('room0', 'usual').solids) > len(around('room0', 'deep').solids)


def test_legs_and_what_stands_on_the_table_follow_a_raised_table():
    raised = Box((0.35, 0.0, 0.03), USUAL.size)
    legs = [prop for prop in room('room4', raised).far if prop.noun == 'table leg']
    high = [box[1, 2] for box in bounds(legs)]
    assert len(legs) == 4 and high == pytest.approx([raised.low[2]] * 4)
    assert min(bounds(legs)[:, 0, 2]) == pytest.approx(-PLANS['room4'].drop)
    on_it = room('room4', Box((0.60, 0.0, 0.03), DEEP.size)).solids
    assert min(box[0, 2] for box in bounds(on_it)) == pytest.approx(0.05)


def test_the_volume_that_stays_free_holds_what_tasks_use():
    """The workspace of props, and the largest piece of furniture wherever it is put, closed and open."""
    low, high = (np.array([getattr(box, side) for box in SWEPT]) for side in ('low', 'high'))

    def free(points: np.ndarray) -> bool:
        return bool(((points[:, None] >= low) & (points[:, None] <= high)).all(axis=2).any(axis=1).all())

    props = Workspace()
    assert free(np.array([(x, y, z) for x in props.x for y in props.y for z in (0.0, 0.65)]))
    assert free(np.array([(x, 0.55, 0.5) for x in (-0.3, 0.3, 0.6)]))
    piece = np.array([(x, y, z) for x in (-0.45, 0.0, 0.45) for y in (-0.25, 0.25) for z in (0.0, 0.98)])
    for distance_m, bearing, yaw in product((0.62, 0.86), np.radians((-15.0, 0.0, 15.0)), np.radians((-45.0, -20.0, 0.0, 20.0, 45.0))):
        if abs(yaw - bearing) <= np.radians(45.0):
            middle = Pose.from_rpy((distance_m * np.cos(bearing), distance_m * np.sin(bearing), 0.0), (0.0, 0.0, float(yaw)))
            assert free(middle.apply(piece))


def test_names_of_a_room_are_its_own_and_its_json_is_a_name():
    scene = Scene((), room='room5')
    assert len({prop.name for prop in scene.furniture}) == len(scene.furniture) > 100
    assert loads(dumps(scene)) == scene and len(dumps(scene)) == len(dumps(Scene((), room='room6')))
    assert scene.ids == {'table': 1, 'robot': 2, 'room': 3}
    assert (Scene(()).floor, Scene((), room='study').floor, scene.floor) == (-0.74, -0.74, -0.78)
    assert Scene((), room='study').neighbours == Scene(()).neighbours == ()


def test_obstacles_hold_the_neighbours_under_the_name_of_the_room():
    scene = Scene((), room='room5')
    given, held = obstacles(scene, Snapshot(0, 0, {}, Pose(), 0.0))
    assert given == scene.neighbours and held is None and {prop.name for prop in given} == {'room'}

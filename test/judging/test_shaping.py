"""The dense reward of a leaf: each thing that a robot does on the way to it earns more, and nothing else does."""

from dataclasses import replace
from itertools import pairwise
from math import pi

import pytest

from test.films import CUBE, IN_TRAY, RED, TRAY, snapshot
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.matter import Dirt
from vlm_bench_sim.core.mechanisms import Joint, Link, Mechanism
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import ROBOT, TABLE, Body, JointState, Snapshot, pair
from vlm_bench_tasks.goals.logic import Then
from vlm_bench_tasks.goals.matter import Wiped
from vlm_bench_tasks.goals.mechanisms import JointAt, Opened
from vlm_bench_tasks.goals.moving import Moved, Toppled
from vlm_bench_tasks.goals.placing import Inside, Slid
from vlm_bench_tasks.goals.touching import Flying, Grasped, Reached, Touching
from vlm_bench_tasks.goals.towers import Tower
from vlm_bench_tasks.judging.shaping import HAND, THING, Shaping, nearness
from vlm_bench_tasks.judging.watch import watch

AWAY = Pose((0.3, 0.0, 0.4))
LIES = (pair('object_1', TABLE),)


def frame(*, tool: Pose = AWAY, cube: Pose = CUBE.pose, held: str = '', touching=LIES, **more) -> Snapshot:
    """A snapshot in which the cube is on the table or in the air."""
    return replace(snapshot(cube=cube, held=held, touching=touching, **more), tool=tool)


START = frame()


def at(x: float, y: float, z: float) -> Pose:
    return Pose((x, y, z))


def earned(goal, *film: Snapshot, start: Snapshot = START) -> list[float]:
    """The dense reward of each snapshot."""
    one, told = watch(goal, start), []
    for now in film:
        one.see(now)
        told.append(one.reward)
    return told


def rises(values: list[float]) -> bool:
    return all(a < b for a, b in pairwise(values))


def carried(cube: Pose) -> Snapshot:
    return frame(tool=cube, cube=cube, held='object_1', touching=(pair('object_1', ROBOT),))


PUT = (
    START,
    frame(tool=at(0.45, -0.1, 0.2)),  # reached for
    frame(tool=at(0.5, -0.2, 0.06)),
    frame(tool=CUBE.pose, held='object_1'),  # held
    carried(at(0.5, 0.0, 0.15)),  # carried
    carried(at(0.5, 0.15, 0.1)),
    carried(IN_TRAY),
    frame(tool=at(0.5, 0.2, 0.2), cube=IN_TRAY, touching=(pair('object_1', 'container_1'),)),  # released
)


def test_reaching_holding_carrying_and_releasing_earn_more_and_more():
    values = earned(Inside(CUBE, TRAY), *PUT)
    assert rises(values) and values[0] < 0.1 and values[-2] == pytest.approx(HAND + THING) and values[-1] == 1.0


def test_what_falls_into_its_place_is_as_good_as_carried_and_what_lies_beside_it_is_not():
    goal, falling = Inside(CUBE, TRAY), at(0.5, 0.2, 0.06)
    flies = frame(tool=at(0.5, 0.2, 0.12), cube=falling, touching=(), linear=(0.0, 0.0, -0.3))
    lies = frame(tool=at(0.5, 0.2, 0.12), cube=falling, touching=LIES)
    hangs = frame(tool=at(0.5, 0.2, 0.12), cube=falling, touching=())
    in_hand, falls, lain, hung = earned(goal, carried(falling), flies, lies, hangs)
    assert in_hand == falls > lain == hung


def test_what_was_in_the_hand_at_the_start_earns_nothing_by_being_held():
    start = frame(tool=at(0.5, -0.2, 0.2), cube=at(0.5, -0.2, 0.2), held='object_1', touching=())
    still, dropped, brought = earned(Inside(CUBE, TRAY), start, frame(tool=start.tool), carried(at(0.5, 0.1, 0.1)), start=start)
    assert dropped == 0.0 < still < 0.1 < brought


def test_a_push_needs_a_touch_and_no_grasp():
    goal = Slid(CUBE, at(0.5, 0.2, 0.02))
    beside, pushing = at(0.5, -0.25, 0.03), (*LIES, pair('object_1', ROBOT))
    film = (
        START,
        frame(tool=beside),
        frame(tool=beside, touching=pushing),
        frame(tool=at(0.5, 0.0, 0.03), cube=at(0.5, 0.05, 0.02), touching=pushing),
        frame(tool=at(0.5, 0.15, 0.03), cube=at(0.5, 0.2, 0.02), touching=pushing),
        frame(tool=at(0.5, 0.1, 0.03), cube=at(0.5, 0.2, 0.02)),
    )
    values = earned(goal, *film)
    assert rises(values) and values[-1] == 1.0


@pytest.mark.parametrize('goal', [Moved(CUBE, 0.1), Toppled(CUBE), Touching(CUBE)], ids=['moved', 'toppled', 'touched'])
def test_a_touch_earns_more_than_nearness(goal):
    near = at(0.5, -0.2, 0.06)
    values = earned(goal, START, frame(tool=near), frame(tool=near, touching=(*LIES, pair('object_1', ROBOT))))
    assert rises(values)


PLATE = Prop('area_1', 'slab', (0.2, 0.2, 0.01), RED, 0.5, pose=Pose((1.0, -0.2, 0.005)))


def thrown(speed: float, *, up: float = 0.0, held: bool = True) -> Snapshot:
    """The cube 0.3 m above the table, on the way to the plate."""
    now = frame(tool=at(0.5, -0.2, 0.3), cube=at(0.5, -0.2, 0.3), held='object_1' if held else '', touching=(), linear=(speed, 0.0, up))
    return replace(now, bodies=now.bodies | {'area_1': Body(PLATE.pose)})


def test_a_throw_earns_by_where_it_would_come_down():
    """From 0.3 m it falls for 0.24 s: 2 m/s bring it to the middle of the plate, 4 m/s far beyond."""
    start = thrown(0.0)
    still, slow, right, fast = earned(Flying(CUBE, PLATE), *(thrown(speed) for speed in (0.0, 1.0, 2.05, 4.0)), start=start)
    assert still < slow < right > fast
    let_go = replace(thrown(2.05, held=False), tool=at(0.3, -0.2, 0.3))
    assert earned(Flying(CUBE, PLATE), let_go, start=start) == [1.0]


def test_a_tool_pose_earns_by_its_nearness_alone():
    goal = Reached(at(0.5, 0.0, 0.2), near=0.02)
    values = earned(goal, START, frame(tool=at(0.4, 0.0, 0.3)), frame(tool=at(0.49, 0.0, 0.25)), frame(tool=at(0.5, 0.0, 0.2)))
    assert rises(values) and values[0] < 0.1 and values[-1] == 1.0


def test_a_grasp_earns_by_reaching():
    values = earned(Grasped(CUBE), START, frame(tool=at(0.5, -0.2, 0.1)), frame(tool=CUBE.pose, held='object_1'))
    assert rises(values) and values[-1] == 1.0


SECOND = replace(CUBE, name='object_2', pose=Pose((0.4, 0.3, 0.02)))


def test_of_a_tower_any_prop_that_may_come_next_can_be_taken():
    base = replace(TRAY, name='base')
    bodies = START.bodies | {'base': Body(at(0.6, 0.0, 0.025)), 'object_2': Body(SECOND.pose)}
    start = replace(START, bodies=bodies)
    near = [replace(start, tool=prop.pose.shifted((0.0, 0.0, 0.05))) for prop in (CUBE, SECOND)]
    values = earned(Tower(((base,), (CUBE, SECOND))), start, *near, start=start)
    assert values[0] < values[1] == pytest.approx(values[2], abs=0.02)


HANDLE = Prop('bar', 'cube', (0.02, 0.1, 0.02), RED, 0.0, pose=Pose((-0.03, 0.0, 0.0)))
FRONT = Prop('front', 'cube', (0.02, 0.3, 0.1), RED, 0.0)
DRAWER = Mechanism(
    'chest',
    (
        Link('frame', (Prop('back', 'cube', (0.02, 0.3, 0.1), RED, 0.0, pose=Pose((0.3, 0.0, 0.0))),)),
        Link('top', (FRONT, HANDLE), 'frame', Joint('prismatic', Pose(), (-1.0, 0.0, 0.0), 0.0, 0.2), ('bar',)),
    ),
    Pose((0.6, 0.0, 0.1)),
)


def pulled(open_by: float, *, tool: Pose = AWAY, held: str = '') -> Snapshot:
    return replace(frame(tool=tool, held=held), mechanisms={'chest/top': JointState(open_by)})


@pytest.mark.parametrize('goal', [Opened(DRAWER, 'top', 0.1, 0.2), JointAt(DRAWER, 'top', 0.75)], ids=['opened', 'at'])
def test_a_drawer_earns_by_its_handle_and_by_its_way(goal):
    front, handle = at(0.6, 0.14, 0.1), at(0.57, 0.0, 0.1)
    film = (
        pulled(0.0),
        pulled(0.0, tool=front),
        pulled(0.0, tool=handle),
        pulled(0.0, tool=handle, held='chest/top'),
        pulled(0.05, tool=at(0.52, 0.0, 0.1), held='chest/top'),
        pulled(0.15, tool=at(0.3, 0.0, 0.1)),
    )
    values = earned(goal, *film, start=film[0])
    assert rises(values) and values[-1] == 1.0


def test_the_reward_is_the_documented_formula_and_a_tremble_is_no_progress():
    goal, now = Inside(CUBE, TRAY), frame(tool=at(0.5, -0.2, 0.14))
    way = goal.distance(START, START)
    h = nearness(0.1, 0.1) / 2  # the tool is 0.1 m above the cube
    assert Shaping(goal, START, begin=START)(now) == pytest.approx(HAND * h + THING / 11, abs=1e-4)
    assert way > 0.3 and Shaping(goal, START, begin=START)(frame(tool=at(0.5, -0.2, 0.14 + 1e-5))) == Shaping(goal, START, begin=START)(now)


def test_the_reward_knows_no_past():
    """A pure function: the same snapshot earns the same, whatever came before."""
    goal = Inside(CUBE, TRAY)
    forwards, backwards = earned(goal, *PUT[:-1]), earned(goal, *PUT[-2::-1])
    assert forwards == backwards[::-1]


def test_without_contacts_nearness_is_all_that_is_seen():
    blind = [replace(now, contacts=False, touching=(), touched=()) for now in (START, frame(tool=at(0.5, -0.2, 0.06)), carried(IN_TRAY))]
    values = [Shaping(Inside(CUBE, TRAY), blind[0], begin=blind[0])(now) for now in blind]
    assert rises(values)


def test_a_turned_tool_is_no_farther_from_a_thing():
    turned = Pose.from_rpy((0.5, -0.2, 0.14), (pi, 0.0, 0.3))
    assert len(set(earned(Inside(CUBE, TRAY), frame(tool=turned), frame(tool=at(0.5, -0.2, 0.14))))) == 1


def test_dirt_whose_wiper_nobody_sees_is_judged_and_rewarded_by_what_is_left():
    area = Prop('area_1', 'slab', (0.2, 0.2, 0.002), RED, 0.1, pose=Pose((0.5, 0.0, 0.001)))
    dirt = Dirt('dirt', tuple((0.5 + 0.01 * i, 0.0, 0.003) for i in range(4)), 'sponge')
    start = replace(START, bodies=START.bodies | {'area_1': Body(area.pose)}, dirt={'dirt': (0, 1, 2, 3)})
    values = earned(Wiped(dirt, area), start, replace(start, dirt={'dirt': (0, 1, 2)}), replace(start, dirt={'dirt': (0, 1)}), start=start)
    assert rises(values) and values[-1] == 1.0


def test_a_thing_that_is_to_come_back_earns_more_and_more_on_its_way_back():
    """That it was there at the start is nothing: the second part is to be reached from where the first one ended."""
    goal, touched = Then((Inside(CUBE, TRAY), Slid(CUBE, CUBE.pose))), (*LIES, pair('object_1', ROBOT))
    way = (at(0.5, y, CUBE.pose.position[2]) for y in (0.15, 0.0, -0.1))
    back = (frame(tool=IN_TRAY, cube=IN_TRAY), *(frame(tool=pose, cube=pose, touching=touched) for pose in way), frame())
    values = earned(goal, *PUT, *back)
    assert values[len(PUT) - 1] == 0.5 and rises(values[len(PUT) - 1 :]) and values[-1] == 1.0

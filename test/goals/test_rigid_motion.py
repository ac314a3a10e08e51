"""No leaf asks where in the world the scene is: moved along the table and turned about the vertical, it is as far from done as it was."""

from dataclasses import replace
from inspect import isabstract
from math import pi, radians

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from test.films import BLUE, CUBE, RED, TRAY, snapshot
from vlm_bench_sim.core.geometry import Pose, vector
from vlm_bench_sim.core.matter import Beads, Dirt, packed
from vlm_bench_sim.core.objects.balance import BEAM, LEFT, RIGHT, balance
from vlm_bench_sim.core.objects.furniture import furniture
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.shapes import usual_size
from vlm_bench_sim.core.snapshot import Body, JointState, Snapshot, pair
from vlm_bench_tasks.authoring import DOOR
from vlm_bench_tasks.goals.base import Leaf
from vlm_bench_tasks.goals.filling import Filled, Spilt
from vlm_bench_tasks.goals.matter import Poured, Wiped
from vlm_bench_tasks.goals.mechanisms import JointAt, Opened
from vlm_bench_tasks.goals.moving import Leaning, Moved, Raised, Toppled, Toward, Turned
from vlm_bench_tasks.goals.placing import At, Inside, On, Slid, Within
from vlm_bench_tasks.goals.scales import Carried, Level
from vlm_bench_tasks.goals.touching import Flying, Grasped, Reached, Touching
from vlm_bench_tasks.goals.towers import Tower

BASE = replace(CUBE, name='base', color=BLUE, size=(0.06, 0.06, 0.05), pose=Pose((0.4, 0.1, 0.025)))
ZONE = Prop('zone', 'zone', (0.12, 0.12, 0.002), BLUE, 0.0, pose=Pose((0.4, 0.1, 0.001)), ghost=True, noun='zone')
BASKET = Prop('basket', 'basket', (0.091, 0.153, 0.091), BLUE, 0.4, pose=Pose((0.4, -0.2, 0.0455)), noun='container')
PENCIL = Prop('pencil', 'pencil', (0.0175, 0.328, 0.015), RED, 0.07, pose=Pose.from_rpy((0.4, -0.2, 0.17), (1.4, 0.0, 0.0)), noun='pencil')
MUG = Prop('mug', 'mug2', usual_size('mug2'), RED, 0.2, pose=Pose((0.5, 0.3, usual_size('mug2')[2] / 2)), noun='mug')
SORTER = Prop('sorter', 'shape_sorter', usual_size('shape_sorter'), BLUE, 0.8, pose=Pose((0.6, -0.1, 0.093)), noun='shape sorter')
WATER = Beads('water', tuple((0.7, 0.4 + 0.01 * i, 0.004) for i in range(10)))
POURED = packed(MUG.at(Pose()), 10, np.random.default_rng(0))
SOIL = Dirt('soil', tuple((0.4, 0.08 + 0.004 * i, 0.0025) for i in range(10)), 'sponge')
DOORWAY = furniture('door1', 'doorway')
SCALE = balance('scale', Pose((0.4, 0.35, 0.0)))
PROPS = (CUBE, TRAY, BASE, ZONE, BASKET, PENCIL, MUG, SORTER)
TOP, TOOL = Pose((0.4, 0.1, 0.07)), Pose.from_rpy((0.41, 0.12, 0.09), (pi, 0.0, 0.3))
NOWHERE = Pose()

LEAVES: dict[type[Leaf], tuple[Leaf, ...]] = {
    Inside: (Inside(CUBE, TRAY), Inside(PENCIL, BASKET), Inside(CUBE, SORTER)),
    On: (On(CUBE, BASE),),
    Tower: (Tower(((BASE,), (CUBE,))), Tower(((BASE,), (CUBE, TRAY)), ZONE), Tower(((CUBE,),), ZONE)),
    Within: (Within(CUBE, ZONE),),
    At: (At(CUBE, TOP, near=0.03, turn=radians(10.0)),),
    Slid: (Slid(CUBE, TOP, near=0.03),),
    Moved: (Moved(CUBE, 0.3),),
    Toward: (Toward(CUBE, TRAY),),
    Turned: (Turned(replace(CUBE, size=(0.08, 0.04, 0.04)), 0.7),),
    Raised: (Raised(CUBE, 0.1),),
    Toppled: (Toppled(CUBE, 0.3),),
    Touching: (Touching(CUBE, BASE), Touching(CUBE), Touching(PENCIL, 'table')),
    Grasped: (Grasped(CUBE),),
    Flying: (Flying(MUG, CUBE),),
    Reached: (Reached(TOP, near=0.01, turn=radians(5.0)),),
    Poured: (Poured(WATER, MUG),),
    Filled: (Filled(WATER, MUG, 0.5),),
    Spilt: (Spilt(WATER, (MUG,), 0.6),),
    Wiped: (Wiped(SOIL, ZONE, 0.9),),
    Opened: (Opened(DOORWAY, DOOR, 0.4, 0.6),),
    JointAt: (JointAt(DOORWAY, DOOR, 0.5, 0.05),),
    Leaning: (Leaning(CUBE, 0.4, 0.1),),
    Carried: (Carried(CUBE, SCALE, (LEFT, RIGHT)), Carried(CUBE, SCALE, (RIGHT,))),
    Level: (Level(SCALE, BEAM),),
}


def scene(move: Pose, cube: Pose, arrived: int) -> Snapshot:
    """Everything, moved; so many beads are in the mug."""
    poses = {prop.name: prop.pose for prop in PROPS} | {'object_1': cube}
    beads = [*map(tuple, MUG.pose.apply(POURED).tolist())][:arrived] + list(WATER.centres[arrived:])
    return replace(
        snapshot(),
        tool=move @ TOOL,
        bodies={name: Body(move @ pose) for name, pose in poses.items()},
        mechanisms={DOORWAY.full(DOOR): JointState(0.3), SCALE.full(BEAM): JointState(0.345)},
        beads={'water': tuple(map(vector, move.apply(beads)))},
        dirt={'soil': tuple(range(5))},
        touching=(pair('object_1', 'base'),),
    )


def moved(leaf: Leaf, move: Pose) -> Leaf:
    """The same leaf, where a pose that it asks for, or the furniture that carries, is moved along."""
    if isinstance(leaf, Carried):
        return replace(leaf, mechanism=replace(leaf.mechanism, pose=move @ leaf.mechanism.pose))
    return replace(leaf, pose=move @ leaf.pose) if isinstance(leaf, (At, Reached)) else leaf


def test_the_table_holds_every_leaf():
    def kinds(kind: type) -> set[type]:
        return {kind}.union(*(kinds(one) for one in kind.__subclasses__()))

    ours = {
        kind
        for kind in kinds(Leaf)
        if kind.__module__.startswith('vlm_bench_tasks.goals') and not kind.__name__.startswith('_') and not isabstract(kind)
    }
    assert ours - {Leaf} == set(LEAVES)


@pytest.mark.parametrize(
    'leaf', [pytest.param(leaf, id=f'{kind.__name__}-{i}') for kind, all_ in LEAVES.items() for i, leaf in enumerate(all_)]
)
@given(
    x=st.floats(-1.0, 1.0), y=st.floats(-1.0, 1.0), yaw=st.floats(-pi, pi),
    aside=st.floats(-0.05, 0.05), up=st.floats(-0.01, 0.15), lean=st.floats(-0.5, 0.5), arrived=st.integers(0, 10),
)  # fmt: skip
@settings(max_examples=25, deadline=None)
def test_moving_the_whole_scene_changes_nothing(leaf, x, y, yaw, aside, up, lean, arrived):
    move = Pose.from_rpy((x, y, 0.0), (0.0, 0.0, yaw))
    cube = TOP.shifted((aside, 0.0, up)) @ Pose.from_rpy((0.0, 0.0, 0.0), (lean, 0.0, 0.0))
    near, began = scene(NOWHERE, cube, arrived), scene(NOWHERE, CUBE.pose, 0)
    far, began_far = scene(move, cube, arrived), scene(move, CUBE.pose, 0)
    distance = leaf.distance(near, began)
    assert moved(leaf, move).distance(far, began_far) == pytest.approx(distance, abs=1e-6)
    if distance > 1e-6:
        assert not leaf.holds(near, began) and not moved(leaf, move).holds(far, began_far)

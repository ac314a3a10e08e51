"""Poured and wiped are counted, from snapshots alone, and say how much is missing."""

from dataclasses import replace

import numpy as np
import pytest

from test.films import Flag
from vlm_bench_sim.core.codec import dumps, loads
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.matter import Beads, Dirt, packed
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.shapes import usual_size
from vlm_bench_sim.core.snapshot import Body, Snapshot
from vlm_bench_tasks.goals.logic import Not, all_of
from vlm_bench_tasks.goals.matter import Poured, Wiped, seen
from vlm_bench_tasks.judging.monitor import Limits, Monitor


def vessel(name: str, y: float, color: str) -> Prop:
    size = usual_size('mug2')
    return Prop(name, 'mug2', size, Color(color, (1.0, 0.0, 0.0)), 0.2, pose=Pose((0.5, y, size[2] / 2)), noun='mug')


FULL, EMPTY = vessel('full', 0.1, 'red'), vessel('empty', -0.1, 'blue')
WATER = Beads('water', packed(FULL, 20, np.random.default_rng(0)))
AREA = Prop('area', 'rectangle_area', (0.30, 0.10, 0.001), Color('lime', (0.0, 1.0, 0.0)), 0.0, pose=Pose((0.5, 0.0, 0.0005)), noun='area')
ARRIVED = packed(EMPTY.at(Pose()), 20, np.random.default_rng(1))
SOIL = Dirt('soil', tuple((0.40 + 0.004 * i, 0.0, 0.0015) for i in range(50)), 'sponge')
GOAL, CLEAN = Poured(WATER, EMPTY), Wiped(SOIL, AREA)


def state(moved: int = 0, *, left: int = 50, receiver: Pose | None = None, seq: int = 0) -> Snapshot:
    """So many beads in the receiver, wherever that is, the others where they began; so many specks left."""
    pose = receiver or EMPTY.pose
    there = tuple(map(tuple, pose.apply(ARRIVED).tolist()))
    return Snapshot(
        seq, 12 * seq, {}, Pose((0.3, 0.0, 0.5)), 0.08,
        bodies={'full': Body(FULL.pose), 'empty': Body(pose), 'area': Body(AREA.pose)},
        beads={'water': there[:moved] + WATER.centres[moved:]},
        dirt={'soil': tuple(range(50 - left, 50))},
    )  # fmt: skip


@pytest.mark.parametrize(('moved', 'holds'), [(0, False), (9, False), (10, True), (20, True)])
def test_half_of_the_beads_must_arrive(moved, holds):
    assert GOAL.holds(state(moved), state()) is holds
    assert (GOAL.distance(state(moved), state()) == 0.0) is holds


def test_each_bead_that_arrives_brings_it_nearer():
    distances = [GOAL.distance(state(moved), state()) for moved in range(11)]
    assert distances == sorted(distances, reverse=True) and len(set(distances)) == 11
    assert distances[0] == pytest.approx(0.2, abs=0.04)


def test_beads_count_in_the_vessels_own_frame():
    lying = Pose.from_rpy((0.55, -0.2, 0.3), (1.2, 0.3, 0.5))
    assert GOAL.holds(state(12, receiver=lying), state())
    beside = replace(state(12), bodies=state().bodies | {'empty': Body(EMPTY.pose.shifted((0.0, -0.2, 0.0)))})
    assert not GOAL.holds(beside, state())


def test_beads_on_the_table_and_above_the_rim_do_not_count():
    x, y, z = EMPTY.pose.position
    for centre in ((x + 0.15, y, 0.004), (x, y, z + EMPTY.size[2] / 2 + 0.01)):
        assert not GOAL.holds(replace(state(), beads={'water': (centre,) * 20}), state())


def test_other_shares_can_be_asked_for():
    assert Poured(WATER, EMPTY, 0.3).needed == 6 and Poured(WATER, EMPTY, 0.01).needed == 1 and Poured(WATER, EMPTY, 1.0).needed == 20
    assert Wiped(SOIL, AREA, 0.9).allowed == 5 and Wiped(SOIL, AREA, 1.0).allowed == 0 and CLEAN.allowed == 25


def test_nothing_is_poured_where_it_is_already_and_a_cube_holds_nothing():
    with pytest.raises(SceneError, match=r"20 of 20 beads of 'water' start in 'full', and the goal needs only 10"):
        Poured(WATER, FULL)
    with pytest.raises(SceneError, match='holds nothing'):
        Poured(WATER, replace(EMPTY, kind='cube'))


@pytest.mark.parametrize(('left', 'holds', 'distance'), [(50, False, 0.5), (26, False, 0.02), (25, True, 0.0), (0, True, 0.0)])
def test_half_of_the_dirt_must_go(left, holds, distance):
    assert CLEAN.holds(state(left=left), state()) is holds
    assert CLEAN.distance(state(left=left), state()) == pytest.approx(distance)


def test_dirt_belongs_to_the_area_that_it_is_on():
    with pytest.raises(SceneError, match=r"50 specks of 'soil' lie beside 'area'"):
        Wiped(SOIL, AREA.at(Pose((0.5, 0.3, 0.0))))


def test_they_say_themselves_and_survive_json():
    assert GOAL.words() == 'at least 10 of 20 beads of water are in the blue mug'
    assert CLEAN.words() == 'at most 25 of 50 specks of dirt are left on the lime area'
    assert loads(dumps((GOAL, CLEAN))) == (GOAL, CLEAN)
    assert [prop.name for goal in (GOAL, CLEAN) for prop in goal.props()] == ['empty', 'area']
    assert all_of(GOAL, Not(CLEAN)).matter() == ('water', 'soil') and Flag('a').matter() == ()


def test_what_nobody_sees_is_unobservable_and_no_failure():
    for goal, blind in ((GOAL, replace(state(), beads={})), (CLEAN, replace(state(), dirt={}))):
        monitor = Monitor(goal, Limits(60.0))
        report = monitor.observe(blind)
        assert report.verdict is Verdict.UNOBSERVABLE
        assert report.causes == (f'snapshots lack the beads or dirt of {goal.matter()[0]}',)
    with pytest.raises(SceneError, match="no beads or dirt called 'milk'"):
        seen(state().beads, 'milk')


def test_a_spill_that_only_passes_through_is_no_success():
    """The monitor wants it to hold for half a second."""
    monitor = Monitor(GOAL, Limits(60.0))
    for seq, moved in enumerate([0, 12, 12, 12, 3, 12, *[12] * 11]):
        report = monitor.observe(state(moved, seq=seq))
        assert (report.verdict is Verdict.SUCCESS) == (seq >= 15)
        if report.verdict is Verdict.SUCCESS:
            break

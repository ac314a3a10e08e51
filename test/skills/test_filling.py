"""Pouring by the percent: how the tilt follows what has flowed, where it is poured and where the cup is put down."""

from dataclasses import replace
from math import cos, degrees, hypot, sin

import numpy as np
import pytest

from test.goals.test_filling import ASIDE, COUNT, CUP, SCENE, START, TWIN, WATER, seen
from vlm_bench_sim import profiles
from vlm_bench_sim.core.command import ToolPose, Wait
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.protocols import Feasibility
from vlm_bench_tasks.goals.filling import Filled
from vlm_bench_tasks.goals.moving import leaning
from vlm_bench_tasks.skills import CommandFailed, SkillContext, SkillFailed, filling
from vlm_bench_tasks.skills.tilting import Pouring, mouth_of
from vlm_bench_tasks.skills.vessel import Work

IN_TOOL = Pose.from_rpy((0.0, 0.02, 0.06), (0.3, 3.0, 0.0))


class Anything:
    """A planner that finds everything in reach."""

    def check(self, _request, _chain):
        return Feasibility(True, 0.0, '')


CONTEXT = SkillContext(profiles.robot('panda'), SCENE, Anything(), START)
OUT, OVER = Filled(WATER, CUP, 0.5), Filled(WATER, TWIN, 0.4)


def work(goal: Filled) -> Work:
    mouth = next(filling._spots(CUP, START, CONTEXT)) if goal is OUT else mouth_of(TWIN)
    return Work('water', CUP, mouth, filling.CHECKED, CONTEXT)


def tilt(goal: Filled, flows, *, most: float = 180.0):
    """Tilt the full cup by the skill. Return the tilts in degrees after each command, the last snapshot, and the tilt reached.

    Args:
        goal: what is to be reached.
        flows: returns how many beads have left the cup, from the greatest tilt so far and the number of looks since the last move.
        most: degrees beyond which the arm cannot tilt.
    """
    job = work(goal)
    pouring, tilts, steepest, looks = Pouring(CUP, job.mouth, lip=0.4, flow=1.2), [], 0.0, 0
    now = replace(seen(cup=pouring.pose(0.0)), tool=pouring.pose(0.0) @ IN_TOOL.inverse(), held=CUP.name)
    going = filling._tilt(goal, job, pouring, now=now, tilt=filling.BEGUN)
    command = next(going)
    try:
        while True:
            if isinstance(command, Wait):
                looks += 1
            else:
                cup = command.pose @ IN_TOOL
                if (lean := degrees(leaning(cup))) > most:
                    command = going.throw(CommandFailed('Out of reach.'))
                    continue
                steepest, looks = max(steepest, lean), 0
                tilts.append(lean)
            left = COUNT - flows(steepest, looks)
            now = replace(seen(left, COUNT - left if goal is OVER else 0, cup=cup), tool=cup @ IN_TOOL.inverse(), held=CUP.name)
            command = going.send(now)
    except StopIteration as ended:
        return tilts, ended.value[0], ended.value[1]


@pytest.mark.parametrize('goal', [OUT, OVER], ids=['out', 'over'])
def test_it_tilts_by_smaller_steps_near_the_goal_stops_before_it_and_tilts_back_at_once(goal):
    tilts, now, reached = tilt(goal, lambda steepest, _: int(max(0.0, steepest - 40.0 + 1e-6)))
    steps = np.diff(tilts[:-1])
    assert tilts[0] == pytest.approx(degrees(filling.BEGUN))
    assert steps[0] == pytest.approx(degrees(filling.COARSE)) and steps[-1] == pytest.approx(degrees(filling.FINE))
    assert 0 < filling._more(goal, work(goal), now) <= filling.CLOSE
    assert degrees(reached) == pytest.approx(tilts[-2]) and tilts[-1] == pytest.approx(tilts[-2] - degrees(filling.STOPPING), abs=1e-6)


def test_while_beads_flow_by_themselves_it_does_not_tilt_on_and_stops_as_soon_as_enough_has_flowed():
    """From 50° on, two beads leave at every look until the cup is empty."""
    tilts, now, _ = tilt(OUT, lambda steepest, looks: 2 * (looks + 1) if steepest > 50.0 else 0)
    assert max(tilts) < 50.0 + degrees(filling.COARSE) and tilts[-1] < max(tilts) - 19.0
    assert OUT.holds(now, START) or filling._more(OUT, work(OUT), now) > 0


def test_where_the_arm_can_tilt_no_further_it_says_so():
    tilts, now, reached = tilt(OUT, lambda *_: 0, most=70.0)
    assert reached is None and max(tilts) <= 70.0 and filling._more(OUT, work(OUT), now) == 30


def test_it_pours_on_the_ground_beside_where_the_cup_stood():
    spots = list(filling._spots(CUP, START, CONTEXT))
    assert len(spots) == len(filling.ASIDE)
    for spot in spots:
        x, y, z = spot.middle
        assert hypot(x - CUP.pose.position[0], y - CUP.pose.position[1]) > 0.2 and z == pytest.approx(filling.ABOVE)
        assert (x, y) == pytest.approx((filling.EASY * cos(spot.bearing), filling.EASY * sin(spot.bearing)))


def put_down(beads) -> Pose:
    """Return where the cup comes to stand with these beads on the table."""
    high = Pose((0.45, 0.1, 0.3))
    now = seen(30, cup=high)
    centres = (*now.beads['water'][:30], *beads, *[ASIDE] * (30 - len(beads)))
    now = replace(now, beads={'water': centres}, tool=high @ IN_TOOL.inverse(), held=CUP.name, opening=0.01)
    commands = []
    going = filling._stood(work(OUT), now)
    command = next(going)
    while len(commands) < 2:
        commands.append(command)
        command = going.send(now)
    assert all(isinstance(one, ToolPose) for one in commands)
    return commands[1].pose @ IN_TOOL


def test_what_holds_already_needs_nothing():
    with pytest.raises(StopIteration):
        next(filling.pour_to(OUT, seen(27), CONTEXT))


@pytest.mark.parametrize(
    ('goal', 'now', 'poured'),
    [
        (Filled(WATER, TWIN, 0.4, but=(CUP,)), seen(60), ('cup_1', 'cup_2')),
        (Filled(WATER, TWIN, 0.4, but=(CUP,)), seen(24, 36), ('cup_2', 'cup_1')),
        (OUT, seen(60), ('cup_1', '')),
    ],
    ids=['over', 'too much, so back', 'out'],
)
def test_it_pours_from_one_cup_into_the_other_and_back(goal, now, poured, monkeypatch):
    tried = []

    def taken(work, _now, _tried):
        tried.append((work.vessel.name, work.mouth.name))
        raise SkillFailed('enough seen')
        yield

    monkeypatch.setattr(Work, 'take', taken)
    going = filling.pour_to(goal, now, CONTEXT)
    next(going)
    assert tried == [poured]


def test_beads_on_the_floor_are_in_nobodys_way():
    x, y, _ = CUP.pose.position
    assert put_down(((x, y, -0.7),)).position[:2] == pytest.approx((x, y))


def test_a_cup_is_put_down_where_it_stood_unless_beads_lie_there():
    assert put_down(()).position[:2] == pytest.approx(CUP.pose.position[:2])
    x, y, _ = CUP.pose.position
    spot = put_down(((x + 0.03, y, 0.007), (x - 0.06, y, 0.007))).position
    assert 0.05 < hypot(spot[0] - x, spot[1] - y) < 0.2
    assert all(hypot(spot[0] - x - off, spot[1] - y) > CUP.size[0] / 2 + 0.007 for off in (0.03, -0.06))
    with pytest.raises(SkillFailed, match=r'no place to put cup_1 down near 0.45, 0.00: beads lie there'):
        put_down(tuple((x + 0.1 * i, y + 0.1 * j, 0.007) for i in range(-2, 3) for j in range(-2, 3)))

"""Of an object's grasps, those that can be taken in the scene as it stands, the best first."""

from dataclasses import replace

import numpy as np
import pytest

from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.picks import picks
from vlm_bench_sim.core.protocols import Feasibility, PlanRequest

SIZE = (0.042, 0.042, 0.042)


@pytest.fixture
def cube(make_prop):
    return make_prop('cube', 'cube', SIZE, 0.5, 0.0, 0.3)


def request_of(planner, *props) -> PlanRequest:
    return PlanRequest(planner.profile.home, ToolPose(Pose()), props)


def test_every_pick_can_be_planned_from_the_start_to_the_lift(planner, cube):
    found = picks(planner, cube, request_of(planner, cube), limit=3)
    assert len(found) == 3
    for pick in found:
        at = planner.profile.home
        for target in pick.chain[:2]:
            at = planner.plan(PlanRequest(at, target, (cube,), opening=pick.grasp.opening)).points[-1].positions
        held = cube.at(pick.grasp.tool.inverse())
        planner.plan(PlanRequest(at, pick.chain[2], (), held, opening=pick.grasp.opening - 0.02))


def test_picks_are_ranked_and_far_ones_cost(planner, cube):
    found = picks(planner, cube, request_of(planner, cube))
    assert [p.rank for p in found] == sorted((p.rank for p in found), reverse=True)
    assert all(p.rank < p.grasp.quality for p in found)


def test_walls_on_two_sides_leave_the_grasps_along_them(planner, cube, make_prop):
    across = {round(abs(float(axis_of(p) @ np.array([0.0, 1.0]))), 1) for p in upright(planner, make_prop('cube', 'cube', SIZE, 0.5, 0.0))}
    assert across == {0.0, 1.0}
    walls = tuple(make_prop(f'wall_{side}', 'cube', (0.2, 0.02, 0.06), 0.5, side * 0.035) for side in (-1, 1))
    left = upright(planner, make_prop('cube', 'cube', SIZE, 0.5, 0.0), *walls)
    assert {round(abs(float(axis_of(p) @ np.array([0.0, 1.0]))), 1) for p in left} == {0.0}


def test_out_of_reach_or_buried_there_is_no_pick(planner, make_prop):
    far = make_prop('cube', 'cube', SIZE, 1.5, 0.0)
    assert picks(planner, far, request_of(planner, far)) == ()
    near, lid = make_prop('cube', 'cube', SIZE, 0.5, 0.0), make_prop('lid', 'cube', (0.4, 0.4, 0.3), 0.5, 0.0)
    lid = lid.at(Pose((0.5, 0.0, 0.2)))
    assert picks(planner, near, request_of(planner, near, lid)) == ()


def test_what_cannot_be_lifted_clear_is_no_pick(planner, cube):
    """A planner that says yes to reaching and no to lifting."""

    class Stuck:
        def grasps(self, prop):
            return planner.grasps(prop)

        def check(self, request, chain):
            return Feasibility(request.held is None, 1.0)

    assert picks(Stuck(), cube, request_of(planner, cube)) == ()


def test_where_the_prop_stands_counts_and_not_where_the_request_saw_it(planner, cube):
    moved = cube.at(cube.pose.shifted((0.0, 0.2, 0.0)))
    found = picks(planner, moved, request_of(planner, cube), limit=1)
    assert found[0].chain[1].pose.position[1] == pytest.approx(0.2, abs=0.03)
    assert found == picks(planner, moved, request_of(planner), limit=1)


def upright(planner, prop, *others):
    found = picks(planner, prop, replace(request_of(planner, prop), obstacles=(prop, *others)), limit=40)
    return [p for p in found if p.grasp.tool.rotation[2, 2] < -0.999 and np.abs(p.grasp.tool.position[:2]).max() < 1e-3]


def axis_of(pick):
    return pick.chain[1].pose.rotation[:2, 1]

"""An area is a rectangle of the table with words, and covers what is drawn."""

import numpy as np
import pytest

from vlm_bench_sim.core.areas import AREAS, WORKSPACE, Area, area
from vlm_bench_sim.core.codec import dumps, loads
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.objects.stock import COLORS, zone


def test_the_four_quarters_share_out_the_workspace_and_touch_only_at_edges():
    chance = np.random.default_rng(0)
    points = np.column_stack([chance.uniform(0.25, 0.75, 500), chance.uniform(-0.5, 0.5, 500), np.zeros(500)])
    quarters = [AREAS[name] for name in ('top_left', 'top_right', 'bottom_left', 'bottom_right')]
    assert (sum(quarter.inside(points) for quarter in quarters) == 1).all()
    assert WORKSPACE.contains(points)


def test_they_are_where_lohoravens_has_them():
    assert area('top_left').contains(np.array([[0.3, -0.2, 0.02]]))
    assert area('bottom_right').contains(np.array([[0.7, 0.4, 0.02]]))
    assert area('center').contains(np.array([[0.46, 0.04, 0.02]])) and not area('center').contains(np.array([[0.45, 0.0, 0.02]]))
    assert [one.words for one in AREAS.values()] == [
        'top left area', 'top right area', 'bottom left area', 'bottom right area', 'center',
    ]  # fmt: skip


def test_what_is_too_high_or_fell_to_the_floor_is_not_in_it_and_edges_are():
    points = np.array([[0.25, -0.5, 0.3], [0.3, -0.2, 0.31], [0.3, -0.2, -0.1], [0.3, -0.2, -0.7]])
    assert area('top_left').inside(points).tolist() == [True, False, True, False]


def test_a_zone_covers_what_is_drawn_turned_as_it_is():
    drawn = zone('z', COLORS['red'], side=0.15).at(Pose.from_rpy((0.5, 0.1, 0.0), (0.0, 0.0, np.pi / 4)))
    covered = Area.under(drawn)
    assert covered.words == 'red zone'
    assert covered.contains(drawn.pose.apply(drawn.solid.vertices))
    assert covered.contains(np.array([[0.5 + 0.075 * np.sqrt(2) - 1e-6, 0.1, 0.0]]))
    assert not covered.contains(np.array([[0.56, 0.16, 0.0]]))


def test_an_area_survives_json_and_an_unknown_one_names_near_ones():
    assert loads(dumps(area('center'))) == area('center')
    with pytest.raises(SceneError, match='Did you mean top_left'):
        area('top_leftt')

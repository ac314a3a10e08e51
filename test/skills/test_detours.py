"""Ways of a pushed prop: straight where nothing stands there, and otherwise around what does."""

from dataclasses import replace

import numpy as np
import pytest

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.objects.stock import COLORS, block
from vlm_bench_sim.core.scene import Scene, footprint
from vlm_bench_tasks.alternatives import at_start
from vlm_bench_tasks.skills.detours import BESIDE, detours

SIDE = 0.06
HERE, THERE = np.array([0.48, -0.25]), np.array([0.48, 0.25])
ITEM = block('item', COLORS['red'], side=SIDE).at(Pose((*HERE, SIDE / 2)))


def between(y: float = 0.0, x: float = 0.48, name: str = 'other'):
    return block(name, COLORS['blue'], side=SIDE).at(Pose((x, y, SIDE / 2)))


def ways(*others):
    scene = Scene((ITEM, *others))
    return list(detours(ITEM, HERE, THERE, at_start(scene), scene))


def test_the_way_is_straight_where_nothing_stands_there():
    first, second = ways(between(x=0.70))[0]
    assert first == pytest.approx(THERE - HERE) and second == pytest.approx([0.0, 0.0])


def test_the_way_leads_around_what_stands_there():
    other = between()
    found = ways(other)
    assert found
    for first, second in found:
        for begin, way in ((HERE, first), (HERE + first, second)):
            along = [begin + share * way for share in np.linspace(0.0, 1.0, 50)]
            apart = min(np.linalg.norm(point - other.pose.position[:2]) for point in along)
            assert apart >= footprint(ITEM) + footprint(other) + BESIDE - 1e-6
    lengths = [np.linalg.norm(first) + np.linalg.norm(second) for first, second in found]
    assert lengths[0] < 1.3 * np.linalg.norm(THERE - HERE)


def test_the_way_may_lead_away_from_what_is_near():
    first, second = ways(between(y=-0.25 - SIDE))[0]
    assert first == pytest.approx(THERE - HERE) and second == pytest.approx([0.0, 0.0])


def test_there_is_no_way_out_of_a_ring():
    angles = np.arange(0.0, 2 * np.pi, np.pi / 4)
    ring = [between(-0.25 + 0.09 * np.sin(a), 0.48 + 0.09 * np.cos(a), f'other_{i}') for i, a in enumerate(angles)]
    assert ways(*ring) == []


def test_a_ghost_stands_in_nobodys_way():
    first, _ = ways(replace(between(), ghost=True))[0]
    assert first == pytest.approx(THERE - HERE)

import numpy as np
import pytest
import yaml

from vlm_bench_sim.assets import config
from vlm_bench_sim.motion.reach import HEIGHTS, Reach, text
from vlm_bench_sim.profiles import robot, robots

TABLE = yaml.safe_load(config('reach.yaml').read_text())


def test_the_committed_table_covers_every_robot_at_every_height():
    assert TABLE.keys() == set(robots())
    for rows in TABLE.values():
        assert tuple(row['z'] for row in rows) == HEIGHTS
        assert all(row['r_max'] - row['r_min'] > 0.3 for row in rows)


def test_the_file_is_what_the_generator_writes():
    assert config('reach.yaml').read_text() == text(TABLE)


FAST = ('panda', 'ur5e')
"""One arm of seven joints and one of six."""


@pytest.mark.parametrize('name', [pytest.param(name, marks=[pytest.mark.slow] * (name not in FAST)) for name in robots()])
def test_the_tool_reaches_everywhere_inside_the_committed_annuli(name):
    reach, rng = Reach(robot(name)), np.random.default_rng(0)
    for row in TABLE[name]:
        for _ in range(15):
            radius = rng.uniform(row['r_min'], row['r_max'])
            assert reach.down(radius, rng.uniform(-1.3, 1.3), row['z'], rng.uniform(-np.pi, np.pi)), (row, radius)


@pytest.mark.parametrize('name', [pytest.param(name, marks=[pytest.mark.slow] * (name not in FAST)) for name in robots()])
def test_some_yaw_fails_just_outside_the_committed_annuli(name):
    reach = Reach(robot(name))
    for row in TABLE[name][::4]:
        assert not all(
            reach.down(row['r_max'] + 0.01, azimuth, row['z'], i * np.pi / 4) for i in range(8) for azimuth in (-1.309, 0, 1.309)
        )


@pytest.mark.slow
@pytest.mark.parametrize('name', robots())
def test_the_committed_annuli_are_those_measured(name):
    reach = Reach(robot(name))
    for row in TABLE[name][1::3]:
        assert reach.annulus(row['z']) == (row['r_min'], row['r_max'])

"""Demonstrations on a small made-up table, and a network that is small enough to learn them in seconds."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from vlm_bench_baselines.demonstrations import Demonstration, Survey, Target
from vlm_bench_sim.core.fusion import Plot

TORCH = find_spec('torch') is not None
WITHOUT = ('test_cli.py', 'test_cost.py', 'test_data.py', 'test_demonstrations.py', 'test_tool_rotations.py')
"""What is tested without PyTorch, too."""
collect_ignore_glob = [] if TORCH else [one.name for one in Path(__file__).parent.iterdir() if one.name not in (*WITHOUT, 'conftest.py')]
PLOT = Plot((0.0, 0.0, 0.0), (0.48, 0.64, 0.4), 0.02)
COLORS = {'red': (220, 30, 30), 'green': (30, 200, 30), 'blue': (30, 30, 220), 'yellow': (220, 220, 30)}
TABLE = (200, 170, 130)


def pytest_report_header():
    return None if TORCH else 'baselines: PyTorch is missing, so what needs it is not tested. Run: make baselines'


def made(seed, axis='color', **more):
    """A table with a block of each color; the sentence names the block to take and the one to put it on."""
    chance = np.random.default_rng(seed)
    rows, columns = PLOT.shape
    color, height = np.empty((rows, columns, 3), np.uint8), np.zeros((rows, columns), np.float32)
    color[:] = TABLE
    spots = [(8 * (i // 3) + 5, 8 * (i % 3) + 4) for i in chance.permutation(12)[: len(COLORS)]]
    cells = {}
    for name, spot in zip(COLORS, spots, strict=True):
        row, column = spot[0] + int(chance.integers(-2, 3)), spot[1] + int(chance.integers(-1, 2))
        color[row - 1 : row + 2, column - 1 : column + 2], height[row - 1 : row + 2, column - 1 : column + 2] = COLORS[name], 0.04
        cells[name] = row, column
    item, goal = (str(name) for name in chance.choice(list(COLORS), 2, replace=False))
    targets = [
        Target(((c + 0.5) * PLOT.pixel, (r + 0.5) * PLOT.pixel, z), (0.0, 0.0, -1.0), yaw)
        for (r, c), z, yaw in ((cells[item], 0.03, 0.5), (cells[goal], 0.07, -1.0))
    ]
    sentence = f'Put the {item} block on the {goal} block.'
    return Demonstration(sentence, 'made/up', axis, 'seen', seed, color, height, np.ones((rows, columns), bool), *targets)


@pytest.fixture
def table():
    return made


@pytest.fixture
def plot():
    return PLOT


@pytest.fixture
def survey():
    return Survey(PLOT, 'vlmbench:front', 64, 48)


@pytest.fixture(autouse=TORCH, scope='module')
def one_thread():
    """Let PyTorch compute on one core: its threads slow each other down where other tests run."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)

"""What ARNOLD lays on its table, and the numbers that it asks for."""

from vlm_bench_tasks.suite.arnold._bottles import Bottles
from vlm_bench_tasks.suite.arnold._cups import WATER, Cups
from vlm_bench_tasks.suite.arnold._furniture import Furniture
from vlm_bench_tasks.suite.arnold._numbers import APART, at_rest

__all__ = ['APART', 'WATER', 'Draw', 'at_rest']


class Draw(Bottles, Cups, Furniture):
    """The chance of an episode of ARNOLD."""

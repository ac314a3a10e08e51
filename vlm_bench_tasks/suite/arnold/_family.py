"""ARNOLD: goals that are numbers, such as a drawer half open, played by a Panda (ARNOLD, section 3)."""

from vlm_bench_tasks.authoring import Family
from vlm_bench_tasks.suite.arnold._props import Draw

FAMILY = Family(draw=Draw, solved=0.96)

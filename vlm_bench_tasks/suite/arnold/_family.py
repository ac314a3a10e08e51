"""ARNOLD: goals that are numbers, such as a drawer half open, played by a Panda (ARNOLD, section 3)."""

from vlm_bench_tasks.authoring import Due, Family
from vlm_bench_tasks.suite.arnold._props import Draw

FAMILY = Family(draw=Draw, cameras='arnold:base,left,wrist', view='arnold:base', due=Due(together=0.96, cell=0.9, many=0.85))

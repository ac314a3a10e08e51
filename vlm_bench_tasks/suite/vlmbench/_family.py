"""VLMbench: eight categories of tasks, played by a Panda (VLMbench, section 3)."""

from vlm_bench_tasks.authoring import Family
from vlm_bench_tasks.suite.vlmbench._props import Draw

FAMILY = Family(draw=Draw)

"""ClevrSkills: a ladder of skills (L0) and what is composed of them (L1), played by an xArm6 with suction (ClevrSkills, section 3)."""

from vlm_bench_tasks.authoring import Due, Family
from vlm_bench_tasks.suite.clevrskills._steps import VIEW, Draw

L0, L1 = Due(together=0.98), Due(together=0.96)
"""What is due of the oracle on each step of the ladder."""

FAMILY = Family(draw=Draw, robot='xarm6', cameras='clevrskills', view=VIEW, due=L0)

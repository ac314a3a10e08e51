"""ClevrSkills: skills (L0), what is composed of them (L1), and of that (L2), played by an xArm6 with suction (ClevrSkills, section 3)."""

from vlm_bench_tasks.authoring import Due, Family
from vlm_bench_tasks.suite.clevrskills._scales import Draw
from vlm_bench_tasks.suite.clevrskills._steps import VIEW

L0, L1, L2 = Due(together=0.98), Due(together=0.96), Due(together=0.92, many=0.85)
"""What is due of the oracle on each step of the ladder."""

HARD = Due(together=0.92, many=0.8)
"""The same for tasks of L2 that end with physics which nobody can undo: pushes, throws and a balance."""

FAMILY = Family(draw=Draw, robot='xarm6', cameras='clevrskills', view=VIEW, due=L0)

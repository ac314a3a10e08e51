"""LoHoRavens: long horizons, played by a UR5e with suction as in Ravens' simulator (LoHoRavens, section 4)."""

from vlm_bench_tasks.authoring import Due, Family, ScoreDue
from vlm_bench_tasks.suite.lohoravens._props import Draw

FAMILY = Family(
    view='lohoravens:front',
    draw=Draw, robot='ur5e', cameras='lohoravens:front,left,right',
    due=Due(together=0.99), score_due=ScoreDue(80.0, 'drop_rate=0.1 1/s'),
)  # fmt: skip

"""Models of furniture: chests of drawers, cupboards, and doors with a handle that unlatches them.

In a mechanism's frame z is up, the table is at 0, and the front faces -x: at yaw 0 a piece faces the robot. Left and right are as seen by
a person in front of it.
"""

from vlm_bench_sim.core.objects.furniture.chest import Chest
from vlm_bench_sim.core.objects.furniture.cupboard import Cupboard
from vlm_bench_sim.core.objects.furniture.door import LEVER, Door
from vlm_bench_sim.core.objects.furniture.finishes import FINISHES, OWN_FINISHES, Finish
from vlm_bench_sim.core.objects.furniture.layout import COLUMNS, DOOR, DRAWER, HANDLES, HINGES, LEVELS, ROWS, Doors, Drawers
from vlm_bench_sim.core.objects.furniture.models import CABINETS, CHESTS, MODELS, Model, furniture
from vlm_bench_sim.core.objects.furniture.parts import BAR, KNOB, STAND

__all__ = [
    'BAR',
    'CABINETS',
    'CHESTS',
    'COLUMNS',
    'DOOR',
    'DRAWER',
    'FINISHES',
    'HANDLES',
    'HINGES',
    'KNOB',
    'LEVELS',
    'LEVER',
    'MODELS',
    'OWN_FINISHES',
    'ROWS',
    'STAND',
    'Chest',
    'Cupboard',
    'Door',
    'Doors',
    'Drawers',
    'Finish',
    'Model',
    'furniture',
]

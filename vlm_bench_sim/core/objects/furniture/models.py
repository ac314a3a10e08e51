"""The models of furniture, by name."""

from math import radians
from typing import Protocol

from vlm_bench_sim.core.errors import TaskError, near
from vlm_bench_sim.core.mechanisms import Mechanism
from vlm_bench_sim.core.objects.furniture.chest import Chest
from vlm_bench_sim.core.objects.furniture.cupboard import Cupboard
from vlm_bench_sim.core.objects.furniture.door import Door
from vlm_bench_sim.core.objects.furniture.finishes import FINISHES, OWN_FINISHES, Finish
from vlm_bench_sim.core.objects.furniture.layout import Doors, Drawers


class Model(Protocol):
    """Dimensions of a piece of furniture."""

    @property
    def finish(self) -> str:
        """Name of its own finish."""
        ...

    def make(self, name: str, finish: Finish) -> Mechanism:
        """Return the piece with everything closed."""
        ...


_LEVELS = Drawers(3, 1, 'bar')

CHESTS = {
    'chest0': Chest(0.40, 0.34, 0.42, plinth=0.05, travel=0.24, layout=_LEVELS, finish='ash'),
    'chest1': Chest(0.48, 0.30, 0.33, plinth=0.05, travel=0.20, layout=Drawers(2, 2, 'knob'), finish='navy'),
    'chest2': Chest(0.38, 0.38, 0.28, plinth=0.04, travel=0.28, layout=Drawers(2, 1, 'rail'), finish='cherry'),
    'chest3': Chest(0.46, 0.36, 0.45, plinth=0.04, travel=0.26, layout=Drawers(3, 2, 'bar'), finish='cream'),
    'chest4': Chest(0.50, 0.32, 0.20, plinth=0.05, travel=0.22, layout=Drawers(1, 3, 'upright'), finish='walnut_on_white'),
    'chest5': Chest(0.28, 0.27, 0.45, plinth=0.05, travel=0.18, layout=Drawers(3, 1, 'knob'), finish='mustard'),
    'chest6': Chest(0.50, 0.40, 0.27, plinth=0.06, travel=0.30, layout=Drawers(2, 3, 'knob'), finish='charcoal'),
    'chest7': Chest(0.34, 0.26, 0.17, plinth=0.06, travel=0.19, layout=Drawers(1, 1, 'rail'), finish='teal_on_oak'),
    'chest8': Chest(0.48, 0.42, 0.44, plinth=0.04, travel=0.32, layout=Drawers(3, 3, 'upright'), finish='sky_on_ash'),
    'chest9': Chest(0.44, 0.29, 0.21, plinth=0.05, travel=0.21, layout=Drawers(1, 2, 'rail'), finish='mahogany'),
}
"""Ten chests of drawers. The last two are for tests with objects that training does not show: no other has their layout or their finish."""

CABINETS = {
    'cabinet0': Cupboard(0.36, 0.27, 0.38, plinth=0.04, layout=Doors('left', 'upright'), finish='cherry'),
    'cabinet1': Cupboard(0.32, 0.31, 0.44, plinth=0.04, layout=Doors('right', 'knob'), finish='teal_on_oak'),
    'cabinet2': Cupboard(0.46, 0.28, 0.40, plinth=0.05, layout=Doors('double', 'upright'), finish='cream'),
    'cabinet3': Cupboard(0.34, 0.26, 0.44, plinth=0.05, layout=Doors('stacked_left', 'knob'), finish='charcoal'),
    'cabinet4': Cupboard(0.41, 0.25, 0.31, plinth=0.05, layout=Doors('right', 'upright'), finish='mustard'),
    'cabinet5': Cupboard(0.50, 0.32, 0.36, plinth=0.04, layout=Doors('double', 'rail'), finish='walnut_on_white'),
    'cabinet6': Cupboard(0.30, 0.27, 0.46, plinth=0.04, layout=Doors('left', 'rail'), finish='navy'),
    'cabinet7': Cupboard(0.42, 0.32, 0.42, plinth=0.06, layout=Doors('stacked_left', 'upright'), finish='ash'),
    'cabinet8': Cupboard(0.40, 0.31, 0.35, plinth=0.06, layout=Doors('double', 'knob'), finish='lilac'),
    'cabinet9': Cupboard(0.36, 0.32, 0.45, plinth=0.05, layout=Doors('stacked_right', 'rail'), finish='forest'),
}
"""Ten cupboards; the last two as those of `CHESTS`."""

MODELS: dict[str, Model] = {
    'drawer1': Chest(0.25, 0.25, 0.25, plinth=0.06, travel=0.2, layout=_LEVELS),
    'drawer2': Chest(0.36, 0.41, 0.45, plinth=0.04, travel=0.2, layout=_LEVELS),
    'drawer3': Chest(0.42, 0.40, 0.33, plinth=0.05, travel=0.3, layout=_LEVELS),
    'door1': Door(0.39, 0.91, lever=0.52, turn=radians(30.0), unlatch=radians(20.0)),
    'door2': Door(0.36, 0.80, lever=0.50, turn=radians(20.0), unlatch=radians(15.0), side=-1),
    'cabinet': Cupboard(0.34, 0.28, 0.42, plinth=0.05, layout=Doors('left', 'upright')),
    **CHESTS,
    **CABINETS,
}
"""VLMbench's drawers and doors, a cabinet, and the chests and cabinets of ARNOLD's tasks."""


def furniture(model: str, name: str, finish: str = '') -> Mechanism:
    """Return a piece of that model at the origin, with everything closed, in the named finish or in its own.

    Raises:
        TaskError: there is no such model or finish.
    """
    finishes = FINISHES | OWN_FINISHES
    if model not in MODELS:
        raise TaskError(f'There is no furniture called {model!r}. {near(model, MODELS)}')
    if finish and finish not in finishes:
        raise TaskError(f'There is no finish called {finish!r}. {near(finish, finishes)}')
    return MODELS[model].make(name, finishes[finish or MODELS[model].finish])

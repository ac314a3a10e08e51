"""ARNOLD's bottles: one of an instance, upright or lying."""

from math import cos, pi

from vlm_bench_sim.core.bottles import FACET
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.objects.instances import instance
from vlm_bench_sim.core.props import Prop
from vlm_bench_tasks.variation.draw import Draw
from vlm_bench_tasks.variation.placement import LIFT, Spacing, Workspace, place

REACHED = Workspace(x=(0.34, 0.58), y=(-0.30, 0.30), reach=(0.36, 0.60))
"""Where bottles stand, so that an arm can raise them by 40 cm and turn them in the air."""

_ALONE = Spacing(alike=0.0, gap=0.0)


class Bottles(Draw):
    """Draws a bottle."""

    def bottle(self, *, lies: bool = False) -> Prop:
        """Return a bottle of the split that stands on the table, or lies there with its top in any direction."""
        pool = self.pools.kinds('bottle')
        made = instance(pool[int(self.looks.integers(len(pool)))]).prop('bottle', noun='bottle')
        drawn = self._lying(made) if lies else place(made, self.placed, spacing=_ALONE, workspace=REACHED, chance=self.layout)
        self.placed += (drawn,)
        return drawn

    def _lying(self, prop: Prop) -> Prop:
        """Return the bottle on one of the faces of its side, its top along the x axis of where it is placed."""
        wide = prop.size[0]
        spot = place(prop, self.placed, spacing=_ALONE, workspace=REACHED, chance=self.layout).pose
        height = wide / 2 * cos(FACET) + LIFT
        on_side = Pose.from_rpy((0.0, 0.0, height), (0.0, pi / 2, 0.0)) @ Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, FACET))
        return prop.at(Pose.from_rpy((*spot.position[:2], 0.0), (0.0, 0.0, spot.yaw)) @ on_side)

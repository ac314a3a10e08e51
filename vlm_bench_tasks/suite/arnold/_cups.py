"""ARNOLD's cups: one full of water, and its empty twin."""

from vlm_bench_sim.core.cups import CUPFUL, MASS, RADIUS
from vlm_bench_sim.core.matter import Beads, packed
from vlm_bench_sim.core.objects.instances import instance
from vlm_bench_sim.core.props import Prop
from vlm_bench_tasks.authoring import Draw, Due
from vlm_bench_tasks.variation.placement import Spacing, Workspace, place

REACHED = Workspace(x=(0.36, 0.58), y=(-0.30, 0.30), reach=(0.38, 0.60))
"""Where cups stand, so that an arm can tilt one anywhere."""

APART = Spacing(alike=0.20, gap=0.05)
"""Room for a hand between two cups."""

WATER = Due(together=0.92, cell=0.85, many=0.8)
"""What is due of the oracle where it pours."""


class Cups(Draw):
    """Draws cups and water."""

    def cups(self, count: int) -> tuple[Prop, ...]:
        """Return cups of one instance of the split, which stand on the table."""
        pool = self.pools.kinds('cup')
        chosen = instance(pool[int(self.looks.integers(len(pool)))])
        drawn: tuple[Prop, ...] = ()
        for i in self.layout.permutation(count):
            made = chosen.prop(f'cup_{i + 1}', noun='cup')
            drawn += (place(made, (*self.placed, *drawn), spacing=APART, workspace=REACHED, chance=self.layout),)
        self.placed += drawn
        return drawn

    def water(self, cup: Prop) -> Beads:
        """Return the beads that fill a cup."""
        return Beads('water', packed(cup, CUPFUL, self.matter, radius=RADIUS), RADIUS, MASS)

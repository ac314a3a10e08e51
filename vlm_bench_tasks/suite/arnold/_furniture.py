"""ARNOLD's furniture: which piece stands where, and which of its joints is to be led where."""

from math import radians

from vlm_bench_sim.core.mechanisms import Mechanism
from vlm_bench_sim.core.objects.furniture import furniture
from vlm_bench_tasks.authoring import JointAt, led_to
from vlm_bench_tasks.language.amounts import words
from vlm_bench_tasks.suite.arnold._numbers import Numbers
from vlm_bench_tasks.variation.furnishing import Furnishing, started

OPENING, CLOSING = (0.0, 0.25, 0.50, 0.75), (0.25, 0.50, 0.75, 1.0)
"""Shares of a joint's range at which an episode may begin (ARNOLD, section 3)."""

WITHIN, APART = 0.10, 0.20
"""Tolerance, and least difference of the goal from the start, as shares of the range."""

STANDS = {'chest': ((0.74, 0.80), radians(30.0)), 'cabinet': ((0.66, 0.74), radians(30.0))}
"""How far the middle of a front is from the robot's axis, m, and how far a piece may be turned from facing along -x, rad."""

Led = tuple[Mechanism, JointAt, tuple[JointAt, ...]]
"""A piece, the goal for one of its joints, and the goals of other sentences that fit."""


class Furniture(Numbers, Furnishing):
    """Draws furniture and what is to become of it."""

    def opening(self, task: str, group: str) -> Led:
        """Return a piece of a group, and the goal to open one of its joints further than it is."""
        return self._led(task, group, 1)

    def closing(self, task: str, group: str) -> Led:
        """Return a piece of a group, and the goal to close one of its joints further than it is."""
        return self._led(task, group, -1)

    def _led(self, task: str, group: str, way: int) -> Led:
        starts = OPENING if way > 0 else CLOSING
        begun, share, others = self.asked(task, starts, apart=APART, within=WITHIN, way=way)
        pool = self.pools.kinds(group)
        closed = furniture(pool[int(self.looks.integers(len(pool)))], group)
        links = tuple(link.name for link in closed.links if link.joint is not None)
        link = self.one_of(*links)
        piece = self.faced(started(closed, **{link: begun}), *STANDS[group])
        goals = [(link, other) for other in others]
        if way > 0:  # the other joints are closed, so they can be opened as well
            goals += [(other, number) for other in links if other != link for number in self.pools.learned[task] if number > APART]
        return piece, led_to(piece, link, share), tuple(led_to(piece, *one) for one in goals)


def openness(share: float) -> tuple[str, ...]:
    """Return the words for how far something is open; at 0 that it is closed."""
    if share == 0.0:
        return ('completely closed', 'entirely closed')
    return tuple(f'{word} open' for word in words(share) if word != 'all')

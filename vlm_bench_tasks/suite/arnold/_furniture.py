"""ARNOLD's furniture: which piece stands where, and which of its joints is to be led where."""

from math import radians

from vlm_bench_sim.core.objects.furniture import furniture
from vlm_bench_tasks.authoring import ByLevel, Episode, JointAt, led_to, say
from vlm_bench_tasks.language.amounts import words
from vlm_bench_tasks.suite.arnold._numbers import APART, Numbers, at_rest
from vlm_bench_tasks.variation.furnishing import Furnishing, started

OPENING, CLOSING = (0.0, 0.25, 0.50, 0.75), (0.25, 0.50, 0.75, 1.0)
"""Shares of a joint's range at which an episode may begin (ARNOLD, section 3)."""

STANDS = {'chest': ((0.74, 0.80), radians(30.0)), 'cabinet': ((0.66, 0.74), radians(30.0))}
"""How far the middle of a front is from the robot's axis, m, and how far a piece may be turned from facing along -x, rad."""


class Furniture(Numbers, Furnishing):
    """Draws furniture and what is to become of it."""

    def opening(self, task: str, group: str, sentences: tuple[str, ...]) -> Episode:
        """Return an episode that asks to open a joint further than it is; the sentences have the blanks `{link}` and `{state}`."""
        return self._led(task, group, sentences, way=1)

    def closing(self, task: str, group: str, sentences: tuple[str, ...]) -> Episode:
        """Return an episode that asks to close a joint further than it is; the sentences have the blanks `{link}` and `{state}`."""
        return self._led(task, group, sentences, way=-1)

    def _led(self, task: str, group: str, sentences: tuple[str, ...], *, way: int) -> Episode:
        starts = OPENING if way > 0 else CLOSING
        begun, share, others = self.start_and_goal(task, starts, apart=APART, within=JointAt.within, way=way)
        pool = self.pools.kinds(group)
        closed = furniture(pool[int(self.looks.integers(len(pool)))], group)
        links = tuple(link.name for link in closed.links if link.joint is not None)
        link = self.one_of(*links)
        piece = self.faced(started(closed, **{link: begun}), *STANDS[group])
        named = [(link, other) for other in others]
        if way > 0:  # the other joints are closed, so they can be opened as well
            named += [(other, number) for other in links if other != link for number in self.pools.seen[task] if number > APART]
        goal = led_to(piece, link, share)
        return Episode(
            scene=self.table(mechanisms=(piece,)),
            goal=at_rest(goal),
            alternatives=tuple(at_rest(led_to(piece, *one)) for one in named),
            instruction=say(*self.worded(sentences, _openness(share)), link=ByLevel(goal.full)),
        )


def _openness(share: float) -> tuple[str, ...]:
    """Return the words for how far something is open; at 0 that it is closed."""
    if share == 0.0:
        return ('completely closed', 'entirely closed')
    return tuple(f'{word} open' for word in words(share) if word != 'all')

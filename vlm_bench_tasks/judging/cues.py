"""State of the cues: a fold of snapshots, independent of the monitor."""

from collections.abc import Sequence

from vlm_bench_sim.core.looks import Look
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.cues import Cue
from vlm_bench_tasks.judging.asking import asking
from vlm_bench_tasks.judging.watch import watch


class Markers:
    """The markers of one episode. They receive every snapshot in order.

    As in a `Then`, only the goal of the next cue is evaluated. Once it has held, that cue is done and the following one is next.
    """

    def __init__(self, cues: Sequence[Cue]) -> None:
        self._cues, self._done = tuple(cues), 0
        self._start: Snapshot | None = None
        self._looks: dict[str, Look] = {}

    def see(self, now: Snapshot) -> dict[str, Look]:
        """Process the next snapshot and return the looks that change after it, by marker.

        Raises:
            Unobservable: a cue's goal cannot be judged, so the look of its marker is unknown.
        """
        with asking('goal of a cue'):
            self._follow(now)
        looks = {cue.marker: _look(cue, i - self._done) for i, cue in enumerate(self._cues)}
        changed = {name: look for name, look in looks.items() if self._looks.get(name) != look}
        self._looks = looks
        return changed

    def _follow(self, now: Snapshot) -> None:
        if self._start is None:
            self._start = now
            self._watches = [watch(cue.goal, now) for cue in self._cues]
        if self._done < len(self._cues):
            self._watches[self._done].see(now)
            self._done += int(self._watches[self._done].holds)


def _look(cue: Cue, ahead: int) -> Look:
    if ahead < 0:
        return cue.done
    return cue.next if ahead == 0 else cue.waiting

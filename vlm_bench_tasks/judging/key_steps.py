"""Key steps: the control periods at which a clause of the goal that was false becomes true, once each (as in ClevrSkills' data set)."""

from dataclasses import dataclass

from vlm_bench_tasks.judging.report import Report


@dataclass(frozen=True)
class KeyStep:
    """A clause of the goal became true: its index in the report, its words, and the control period."""

    seq: int
    clause: int
    words: str


class KeySteps:
    """Finds the key steps of an episode in its reports. Each clause has at most one.

    What is true from the start has one if it is lost and becomes true again, such as that a thing is back where it began.
    """

    def __init__(self) -> None:
        self._false: set[int] = set()
        self._told: set[int] = set()

    def see(self, report: Report) -> tuple[KeyStep, ...]:
        """Process the report of the next control period, and return its key steps."""
        true = {index for index, leaf in enumerate(report.leaves) if leaf.holds}
        new = sorted(true & self._false - self._told)
        self._told.update(new)
        self._false.update(set(range(len(report.leaves))) - true)
        return tuple(KeyStep(report.seq, index, report.leaves[index].words) for index in new)

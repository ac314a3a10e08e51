"""Key steps: the control periods at which a clause of the goal becomes true for the first time (as in ClevrSkills' data set)."""

from dataclasses import dataclass

from vlm_bench_tasks.judging.report import Report


@dataclass(frozen=True)
class KeyStep:
    """A clause of the goal became true: its index in the report, its words, and the control period."""

    seq: int
    clause: int
    words: str


class KeySteps:
    """Finds the key steps of an episode in its reports. What is true from the start is none, and each clause has at most one."""

    def __init__(self) -> None:
        self._seen: set[int] | None = None

    def see(self, report: Report) -> tuple[KeyStep, ...]:
        """Process the report of the next control period, and return its key steps."""
        true = {index for index, leaf in enumerate(report.leaves) if leaf.holds}
        if self._seen is None:
            self._seen = set(true)
        new, self._seen = sorted(true - self._seen), self._seen | true
        return tuple(KeyStep(report.seq, index, report.leaves[index].words) for index in new)

"""What is kept of a soak: a line of JSON an episode, so that one that was broken off goes on where it was."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

Holding = dict[str, dict[str, float]]
"""What each process holds, by its name and by what is held."""


@dataclass(frozen=True)
class Sample:
    """An episode that was played, and what was held right after it.

    Attributes:
        life: which bench played it; each time that a soak goes on, another one is started.
        number: of the episode, from 0.
        verdict: of its report.
        causes: of a verdict that is no success.
        seconds: of wall clock that it took.
        held: by whom, of what, how much.
    """

    life: int
    number: int
    verdict: str
    causes: tuple[str, ...]
    seconds: float
    held: Holding


class Kept:
    """The samples of a soak in a file.

    Args:
        path: of the file; where there is none, it begins.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        whole = path.read_bytes().rpartition(b'\n')[0].splitlines() if path.exists() else []
        path.write_bytes(b''.join(line + b'\n' for line in whole))  # without a line that was cut short
        self.samples = [_read(line) for line in whole]
        self.life = 1 + max((sample.life for sample in self.samples), default=-1)

    def add(self, sample: Sample) -> None:
        """Keep one more."""
        self.samples.append(sample)
        with self.path.open('a') as file:
            file.write(json.dumps(asdict(sample)) + '\n')

    def lives(self) -> list[list[Sample]]:
        """Return the samples of each bench, in order."""
        return [[sample for sample in self.samples if sample.life == life] for life in range(self.life + 1)]

    def lost(self) -> list[Sample]:
        """Return the episodes of which the bench cannot say what came."""
        return [sample for sample in self.samples if sample.verdict not in ('success', 'failure')]


def _read(line: bytes) -> Sample:
    content = json.loads(line)
    return Sample(**content | {'causes': tuple(content['causes'])})

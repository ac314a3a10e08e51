"""The rows that `vlm-bench doctor` prints."""

from dataclasses import dataclass

SETUP = 'Run make setup in the clone.'


@dataclass(frozen=True)
class Check:
    """One row: what was checked, what was found, and how to fix it if needed.

    Attributes:
        name: what was checked.
        found: in words.
        remedy: how to fix it; '' if nothing needs to be done.
        hint: what it means and what may help, where nothing needs to be done.
        tried: whether it was checked at all.
    """

    name: str
    found: str
    remedy: str = ''
    hint: str = ''
    tried: bool = True

    @property
    def ok(self) -> bool:
        """Whether nothing needs to be done."""
        return not self.remedy


def not_tried(name: str, why: str) -> Check:
    """Return the row of a check that was not made; what prevented it has a row of its own, or needs no remedy."""
    return Check(name, f'not tried: {why}', tried=False)

"""Memory of contacts and of the gripper's grasp, over every physics step of a control period."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, NamedTuple, TypeVar

from vlm_bench_sim.core.geometry import ZERO, Vector
from vlm_bench_sim.core.snapshot import Pair

_SLACK_STEPS = 3  # a grasp ends when opposed contact has been missing for this number of consecutive physics steps

Pushes = dict[str, dict[int, Vector]]
"""By prop and link of the gripper: the sum of contact normals times forces, (3,) N, from the link into the prop."""

Ends = TypeVar('Ends', bound=Hashable)
"""The two parts of bodies in contact, as the engine numbers them."""


class Meeting(NamedTuple):
    """The meaning of a contact between two parts of bodies.

    Attributes:
        pair: their names.
        link: the gripper's link, if it can hold the other; otherwise None.
        other: name of the prop that this link may hold.
        sign: 1 if the contact normal points from the link into the other, otherwise -1.
    """

    pair: Pair
    link: int | None = None
    other: str = ''
    sign: float = 1.0


class ContactMemory(ABC, Generic[Ends]):
    """Contacts between named things, and what the gripper holds.

    Attributes:
        held: name of the prop or link in the gripper, '' for none.
        touching: pairs in contact at the last physics step.
        touched: pairs in contact at any physics step of the period.
        grasped, released: props or links whose grasp began or ended in the period.
    """

    def __init__(self) -> None:
        self.held = ''
        self.touching: frozenset[Pair] = frozenset()
        self.touched: set[Pair] = set()
        self.grasped: list[str] = []
        self.released: list[str] = []
        self._slack_steps = 0
        self._meetings: dict[Ends, Meeting | None] = {}
        self._met: set[Ends] | None = None
        self._pushed = False

    def begin_period(self) -> None:
        """Clear the contacts of the previous period."""
        self.touched, self.grasped, self.released = set(), [], []

    def see(self, contacts: Sequence[Ends], push: Callable[[int], Vector]) -> Pushes:
        """Remember the contacts of the last physics step, and return the pushes at the gripping links.

        Args:
            contacts: each pair of parts in contact; a pair may come several times.
            push: returns the force of the contact with that index along its normal, (3,) N.
        """
        met = set(contacts)
        if met != self._met:  # it seldom changes between physics steps
            meetings = [meeting for meeting in map(self._meeting, met) if meeting]
            self._met, self.touching = met, frozenset(meeting.pair for meeting in meetings)
            self._pushed = any(meeting.link is not None for meeting in meetings)
        self.touched |= self.touching
        return self._pushes(contacts, push) if self._pushed else {}

    def _pushes(self, contacts: Sequence[Ends], push: Callable[[int], Vector]) -> Pushes:
        pushes: Pushes = {}
        for index, ends in enumerate(contacts):
            meeting = self._meetings[ends]
            if meeting and meeting.link is not None:
                by_link, sign = pushes.setdefault(meeting.other, {}), meeting.sign
                (x, y, z), (i, j, k) = by_link.get(meeting.link, ZERO), push(index)
                by_link[meeting.link] = (x + sign * i, y + sign * j, z + sign * k)
        return pushes

    def _meeting(self, ends: Ends) -> Meeting | None:
        """Return the meaning of a contact between these parts, or None if it has none."""
        if ends not in self._meetings:
            self._meetings[ends] = self._judged(ends)
        return self._meetings[ends]

    @abstractmethod
    def _judged(self, ends: Ends) -> Meeting | None:
        """Return the meaning of a contact between these parts, or None if it has none; the answer is remembered."""

    def forget(self, name: str) -> None:
        """Forget a body that is being removed."""
        self._meetings, self._met = {}, None
        self.touching = frozenset(pair for pair in self.touching if name not in pair)
        self.touched = {pair for pair in self.touched if name not in pair}
        self.grasped, self.released = ([other for other in found if other != name] for found in (self.grasped, self.released))
        if self.held == name:
            self.held, self._slack_steps = '', 0

    def update_grasp(self, seen: str) -> None:
        """Update the grasp with the prop held at this physics step, '' for none."""
        if seen == self.held:
            self._slack_steps = 0
            return
        self._slack_steps += 1
        if self.held and self._slack_steps < _SLACK_STEPS:
            return
        if self.held:
            self.released.append(self.held)
        if seen:
            self.grasped.append(seen)
        self.held, self._slack_steps = seen, 0

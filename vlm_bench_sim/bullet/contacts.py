"""Contacts between bodies and the gripper's grasp, over every physics step of a control period."""

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, NamedTuple

from vlm_bench_sim.bullet.client import Client
from vlm_bench_sim.core.geometry import ZERO, Vector
from vlm_bench_sim.core.snapshot import Pair, pair

_SLACK_STEPS = 3  # a grasp ends when opposed contact has been missing for this number of consecutive physics steps

Pushes = dict[str, dict[int, Vector]]
"""By prop and link of the gripper: the sum of contact normals times forces, (3,) N, from the link into the prop."""

_Ends = tuple[int, int, int, int]
"""Numbers of the two bodies in contact and of their links, in Bullet's order."""


class _Meeting(NamedTuple):
    """The meaning of a contact between two links.

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


def roughen(client: Client, robot: int, links: Iterable[int], *, anchored: bool) -> None:
    """Give gripping links the friction of rubber.

    The friction anchor prevents creep within the solver (millimetres in seconds); Coulomb's law limits the force as before. The anchor also
    makes opening fingers wedge what is between them, so it is only for fingers that close.
    """
    for link in links:
        client.changeDynamics(robot, link, lateralFriction=1.0, spinningFriction=2e-3, rollingFriction=1e-4, frictionAnchor=int(anchored))


@dataclass
class Contacts:
    """Contact memory.

    Attributes:
        names: names of the bodies, by body number.
        robot: body number of the robot.
        links: numbers of the gripper's links that can hold.
        parts: names by body and link, for bodies whose links have their own names.
        loose: body numbers of beads, floor and what is solid of the room; no gripper holds them, and contacts among them are ignored.
    """

    names: dict[int, str]
    robot: int
    _: KW_ONLY
    links: tuple[int, ...]
    parts: Mapping[tuple[int, int], str] = field(default_factory=dict)
    loose: frozenset[int] = frozenset()
    held: str = ''
    touching: frozenset[Pair] = frozenset()

    def __post_init__(self) -> None:
        self._slack_steps = 0
        self._meetings: dict[_Ends, _Meeting | None] = {}
        self._met: set[_Ends] | None = None
        self._pushed = False
        self.touched: set[Pair] = set()
        self.grasped: list[str] = []
        self.released: list[str] = []

    def begin_period(self) -> None:
        """Clear the contacts of the previous period."""
        self.touched, self.grasped, self.released = set(), [], []

    def observe(self, client: Client) -> Pushes:
        """Read the contacts of the last physics step, and return the pushes at the gripping links."""
        contacts, loose = [contact for contact in client.getContactPoints() if contact[9] > 0.0], self.loose
        if len(loose) > 1:  # among themselves, beads touch in new pairs at every step
            contacts = [contact for contact in contacts if contact[1] not in loose or contact[2] not in loose]
        met = {contact[1:5] for contact in contacts}
        if met != self._met:  # it seldom changes between physics steps
            meetings = [meeting for meeting in map(self._meeting, met) if meeting]
            self._met, self.touching = met, frozenset(meeting.pair for meeting in meetings)
            self._pushed = any(meeting.link is not None for meeting in meetings)
        self.touched |= self.touching
        return self._pushes(contacts) if self._pushed else {}

    def _pushes(self, contacts: list[Any]) -> Pushes:
        pushes: Pushes = {}
        for contact in contacts:
            meeting = self._meetings[contact[1:5]]
            if meeting and meeting.link is not None:
                by_link, force = pushes.setdefault(meeting.other, {}), meeting.sign * contact[9]
                (x, y, z), (i, j, k) = by_link.get(meeting.link, ZERO), contact[7]
                by_link[meeting.link] = (x + force * i, y + force * j, z + force * k)
        return pushes

    def _meeting(self, ends: _Ends) -> _Meeting | None:
        """Return the meaning of a contact between these links, or None if it has none."""
        if ends not in self._meetings:
            self._meetings[ends] = self._judged(*ends)
        return self._meetings[ends]

    def _judged(self, a: int, b: int, link_a: int, link_b: int) -> _Meeting | None:
        loose = len({a, b} & self.loose)
        if a == b or loose == 2:
            return None
        first, second = self.named(a, link_a), self.named(b, link_b)
        for robot, link, other, sign in ((a, link_a, second, 1.0), (b, link_b, first, -1.0)):
            if robot == self.robot and link in self.links and not loose:
                return _Meeting(pair(first, second), link, other, sign)
        return _Meeting(pair(first, second))

    def named(self, body: int, link: int) -> str:
        """Return the name of a body's link in the simulator."""
        return self.names[body] if body in self.names else self.parts[body, link]

    def forget(self, name: str) -> None:
        """Forget a body that is being removed."""
        self._meetings, self._met = {}, None
        self.names = {number: other for number, other in self.names.items() if other != name}
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

"""Who touches whom, and what the gripper has grasped, over every physics step of a control period."""

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, NamedTuple

from vlm_bench_sim.bullet.client import Client
from vlm_bench_sim.core.geometry import ZERO, Vector
from vlm_bench_sim.core.snapshot import Pair, pair

_SLACK_STEPS = 3  # a grasp ends when opposed contact has been missing for so many physics steps in a row

Pushes = dict[str, dict[int, Vector]]
"""By prop and link of the gripper: the sum of contact normals times forces, (3,) N, from the link into the prop."""

_Ends = tuple[int, int, int, int]
"""Numbers of the two bodies in contact and of their links, in Bullet's order."""


class _Meeting(NamedTuple):
    """What it means that two links are in contact.

    Attributes:
        pair: their names.
        link: of the gripper, where it can hold the other; None where it cannot.
        other: name of what that link may hold.
        sign: of the contact normal where it points from the link into the other.
    """

    pair: Pair
    link: int | None = None
    other: str = ''
    sign: float = 1.0


def roughen(client: Client, robot: int, links: Iterable[int], *, anchored: bool) -> None:
    """Give links that hold things the friction of rubber.

    The anchor undoes how friction creeps within the solver (millimetres in seconds); Coulomb's law limits the force as before. It also lets
    fingers that open wedge what is between them, so it is for those that close.
    """
    for link in links:
        client.changeDynamics(robot, link, lateralFriction=1.0, spinningFriction=2e-3, rollingFriction=1e-4, frictionAnchor=int(anchored))


@dataclass
class Contacts:
    """Contact memory.

    Attributes:
        names: of each body, by its number in the simulator.
        robot: number of the robot.
        links: numbers of the gripper's links that can hold.
        parts: of bodies whose links have names of their own, by body and link.
        loose: numbers of beads and of the floor; no gripper holds them, and that they touch one another means nothing.
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
        """Forget what happened in the period before."""
        self.touched, self.grasped, self.released = set(), [], []

    def observe(self, client: Client) -> Pushes:
        """Read the contacts of the physics step that was just made, and return what pushes at the links that can hold."""
        contacts = [contact for contact in client.getContactPoints() if contact[9] > 0.0]
        met = {contact[1:5] for contact in contacts}
        if met != self._met:  # from one physics step to the next it seldom changes
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
        """Return what a contact between these means, None for nothing."""
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
        """Return what a link of a body in the simulator is called."""
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
        """Take in which prop the gripper holds at this physics step, '' for none."""
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

"""Who touches whom, and what the gripper has grasped, over every physics step of a control period."""

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field

import numpy as np

from vlm_bench_sim.bullet.client import Client
from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.core.snapshot import Pair, pair

_SLACK_STEPS = 3  # a grasp ends when opposed contact has been missing for so many physics steps in a row

Pushes = dict[str, dict[int, Floats]]
"""By prop and link of the gripper: the sum of contact normals times forces, (3,) N, from the link into the prop."""


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
        beads: their numbers; no gripper holds them, and they do not touch their like.
    """

    names: dict[int, str]
    robot: int
    _: KW_ONLY
    links: tuple[int, ...]
    parts: Mapping[tuple[int, int], str] = field(default_factory=dict)
    beads: frozenset[int] = frozenset()
    held: str = ''
    touching: frozenset[Pair] = frozenset()

    def __post_init__(self) -> None:
        self._slack_steps = 0
        self.touched: set[Pair] = set()
        self.grasped: list[str] = []
        self.released: list[str] = []

    def begin_period(self) -> None:
        """Forget what happened in the period before."""
        self.touched, self.grasped, self.released = set(), [], []

    def observe(self, client: Client) -> Pushes:
        """Read the contacts of the physics step that was just made, and return what pushes at the links that can hold."""
        pairs: set[Pair] = set()
        pushes: Pushes = {}
        for contact in client.getContactPoints():
            a, b, force = contact[1], contact[2], contact[9]
            if force <= 0.0 or a == b or (a in self.beads and b in self.beads):
                continue
            first, second = self.named(a, contact[3]), self.named(b, contact[4])
            pairs.add(pair(first, second))
            for robot, link, other, sign in ((a, contact[3], second, 1.0), (b, contact[4], first, -1.0)):
                if robot == self.robot and link in self.links and not {a, b} & self.beads:
                    by_link = pushes.setdefault(other, {})
                    by_link[link] = by_link.get(link, np.zeros(3)) + sign * force * np.asarray(contact[7])
        self.touching = frozenset(pairs)
        self.touched |= pairs
        return pushes

    def named(self, body: int, link: int) -> str:
        """Return what a link of a body in the simulator is called."""
        return self.names[body] if body in self.names else self.parts[body, link]

    def forget(self, name: str) -> None:
        """Forget a body that is being removed."""
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

"""Who touches whom, and what the gripper has grasped, over every physics step of a control period."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from vlm_bench_sim.bullet.client import Client
from vlm_bench_sim.core.snapshot import Pair, pair

_LOOSE_STEPS = 3  # a grasp ends when opposed contact has been missing for so many physics steps in a row
_OPPOSED = -0.5  # cosine between the summed contact normals of the two fingers


@dataclass
class Contacts:
    """Contact memory.

    Attributes:
        names: of each body, by its number in the simulator.
        robot: number of the robot.
        fingers: numbers of its two finger links.
    """

    names: dict[int, str]
    robot: int
    _: KW_ONLY
    fingers: tuple[int, ...]
    held: str = ''
    touching: frozenset[Pair] = frozenset()

    def __post_init__(self) -> None:
        self._loose = 0
        self.touched: set[Pair] = set()
        self.grasped: list[str] = []
        self.released: list[str] = []

    def begin_period(self) -> None:
        """Forget what happened in the period before."""
        self.touched, self.grasped, self.released = set(), [], []

    def observe(self, client: Client, *, open_wide: bool) -> None:
        """Read the contacts of the physics step that was just made; `open_wide`: the gripper is fully open."""
        pairs: set[Pair] = set()
        normals: dict[str, dict[int, np.ndarray]] = {}
        for contact in client.getContactPoints():
            a, b, force = contact[1], contact[2], contact[9]
            if force <= 0.0 or a == b:
                continue
            pairs.add(pair(self.names[a], self.names[b]))
            if self.robot not in (a, b):
                continue
            link, other, push = (contact[3], b, force) if a == self.robot else (contact[4], a, -force)
            if link in self.fingers:
                pushes = normals.setdefault(self.names[other], {})
                pushes[link] = pushes.get(link, np.zeros(3)) + push * np.asarray(contact[7])
        self.touching = frozenset(pairs)
        self.touched |= pairs
        self._update_grasp('' if open_wide else _opposed(normals))

    def _update_grasp(self, seen: str) -> None:
        if seen == self.held:
            self._loose = 0
            return
        self._loose += 1
        if self.held and self._loose < _LOOSE_STEPS:
            return
        if self.held:
            self.released.append(self.held)
        if seen:
            self.grasped.append(seen)
        self.held, self._loose = seen, 0


def _opposed(normals: dict[str, dict[int, np.ndarray]]) -> str:
    for name in sorted(normals):
        pushes = [push / np.linalg.norm(push) for push in normals[name].values() if np.linalg.norm(push) > 0]
        if len(pushes) == 2 and float(pushes[0] @ pushes[1]) < _OPPOSED:
            return name
    return ''

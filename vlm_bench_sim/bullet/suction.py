"""The suction gripper: every sealed cup pulls with a limited force. Contact and friction do the rest, and a gap ends the seal.

Props are not attached: one that is too heavy or swung too fast comes off the cups, and one that is pushed aside slides.
At light props, cups pull only as hard as needed to carry them: a real lip gives way until it pushes back as strongly as it pulls,
and only the difference moves the prop. The simulator's contact is stiff instead, and reacts to a pull one physics step later: with
50 N, ten grams would have gained 21 m/s by then.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from math import inf

import numpy as np

from vlm_bench_sim.bullet.bodies import RigidBody
from vlm_bench_sim.bullet.client import Client
from vlm_bench_sim.bullet.contacts import Pushes
from vlm_bench_sim.core.control import CupControl
from vlm_bench_sim.core.geometry import Floats, Pose, vector
from vlm_bench_sim.core.gripper import Grip, Seal, SuctionProfile
from vlm_bench_sim.core.timing import STEPS_PER_PERIOD

CARRY = 200.0
"""Acceleration, m/s², up to which cups carry a prop if their force suffices: twenty times gravity, and more than ten times that of any
arm's tool here. In a physics step it gives less than 1 m/s, which a contact stops without a jump."""

_MARGIN = 0.001  # m of Bullet's margin around a cup, which keeps other bodies off
_BASE = -1  # link number of a prop's base
_BEHIND = 0.005  # m behind the tip, where a ray towards the surface begins


@dataclass(frozen=True, eq=False)
class Cup:
    """One cup: its link number, and its tip in the tool frame (z along the approach), m."""

    link: int
    tip: Floats


@dataclass
class _Hold:
    """What the cups hold: its name, its body, the force that carries it (N), and the sealed cups."""

    name: str
    body: RigidBody
    _: KW_ONLY
    carried: float
    cups: tuple[Cup, ...] = ()


class SuctionGripper(CupControl):
    """Suction cups on a head.

    Args:
        client: the simulator.
        robot: the robot's body number.
        head: number of the link that carries the cups.
        tool: pose of the tool centre point in that link, in the plane of the cups' tips.
        cups: numbers of the cups' links.
        bodies: the bodies that can be held, by name; kept up to date by the owner.
        profile: the gripper.
    """

    def __init__(
        self,
        client: Client,
        robot: int,
        *,
        head: int,
        tool: Pose,
        cups: Iterable[int],
        bodies: Mapping[str, RigidBody],
        profile: SuctionProfile,
    ) -> None:
        super().__init__()
        self._client, self._robot, self._head, self._tool = client, robot, head, tool
        self._bodies, self._profile = bodies, profile
        self._cups = tuple(self._cup(link) for link in cups)
        self._hold: _Hold | None = None
        self._steps = 0
        self._lips = profile.around()

    def begin(self, seal: Grip | Seal) -> None:
        """Begin to suck or to release at the next physics step.

        Raises:
            CommandError: the command is for fingers.
        """
        super().begin(seal)
        self._steps = 0
        if not self.on:
            self._hold = None

    def lose(self, name: str) -> None:
        """Release a prop that is being removed."""
        if self._hold is not None and self._hold.name == name:
            self._hold = None

    def drive(self) -> None:
        """Pull for one physics step at the held prop, and with the opposite force at the head."""
        if self._hold is None:
            return
        client, hold, at = self._client, self._hold, self._place()
        pull = min(self._profile.cup_force, min(self._profile.force, hold.carried) / len(hold.cups)) * at.rotation[:, 2]
        for tip in at.apply([cup.tip for cup in hold.cups]).tolist():
            client.applyExternalForce(hold.body.number, hold.body.link, vector(-pull), tip, client.WORLD_FRAME)
            client.applyExternalForce(self._robot, self._head, vector(pull), tip, client.WORLD_FRAME)

    def holds(self, pushes: Pushes, _opening: Callable[[], float]) -> str:
        """Return the prop at the cups, '' for none. Cups seal on the one prop that they touch, if it closes their whole rim."""
        touched = [name for name in sorted(pushes) if name in self._bodies] if self.on else []
        if self._hold is None and len(touched) == 1:
            body = self._bodies[touched[0]]
            self._hold = _Hold(touched[0], body, carried=self._carried(body))
        if self._hold is not None:
            self._hold.cups = self._sealed(self._hold, set(pushes.get(self._hold.name, ())))
            if not self._hold.cups:
                self._hold = None
        return self._hold.name if self._hold else ''

    @property
    def sealed(self) -> bool:
        """True while the cups hold something."""
        return self._hold is not None

    def _carried(self, body: RigidBody) -> float:
        """Return the force that carries a prop, N. A link of furniture moves the whole piece: all available force."""
        mass = float(self._client.getDynamicsInfo(body.number, body.link)[0]) if body.link == _BASE else 0.0
        return mass * CARRY or inf

    def _sealed(self, hold: _Hold, touching: set[int]) -> tuple[Cup, ...]:
        contacts = self._client.getContactPoints(self._robot, hold.body.number)
        near = {contact[3] for contact in contacts if contact[4] == hold.body.link and contact[8] < self._profile.lip}
        cups = tuple(cup for cup in hold.cups if cup.link in near)
        if self._steps % STEPS_PER_PERIOD == 0:
            at = self._place()
            reached = [cup for cup in self._cups if cup in cups or cup.link in touching]
            cups = tuple(cup for cup in reached if self._closed(cup, hold.body, at))
        self._steps += 1
        return cups

    def _closed(self, cup: Cup, body: RigidBody, at: Pose) -> bool:
        """Return whether the body lies under the whole lip of a cup, within its travel: a gap anywhere lets air in."""
        ends = [at.apply(cup.tip + self._lips + (0.0, 0.0, z)).tolist() for z in (-_BEHIND, self._profile.lip + _MARGIN)]
        # A ray may hit the cup itself before the body.
        looks = [self._client.rayTestBatch(*ends, reportHitNumber=n) for n in (0, 1)]
        return all(any(look[:2] == (body.number, body.link) for look in spot) for spot in zip(*looks, strict=True))

    def _cup(self, link: int) -> Cup:
        cup = self._client.getLinkState(self._robot, link, computeForwardKinematics=1)
        x, y, _ = (self._place().inverse() @ Pose(cup[4], cup[5])).position
        return Cup(link, np.array([x, y, 0.0]))

    def _place(self) -> Pose:
        """Return the pose of the tool centre point."""
        head = self._client.getLinkState(self._robot, self._head, computeForwardKinematics=1)
        return Pose(head[4], head[5]) @ self._tool

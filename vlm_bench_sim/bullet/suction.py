"""Suction cups in Bullet."""

from collections.abc import Iterable, Mapping

import numpy as np

from vlm_bench_sim.bullet.bodies import RigidBody
from vlm_bench_sim.bullet.client import Client
from vlm_bench_sim.core.geometry import Pose, Vector, vector
from vlm_bench_sim.core.gripper import SuctionProfile
from vlm_bench_sim.physics.cups import BEHIND, Cup, Cups

_MARGIN = 0.001  # m of Bullet's margin around a cup, which keeps other bodies off
_BASE = -1  # link number of a prop's base


class SuctionGripper(Cups):
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
        super().__init__(profile, bodies)
        self._client, self._robot, self._head, self._tool = client, robot, head, tool
        self._bodies = bodies
        self._all = tuple(self._cup(link) for link in cups)

    @property
    def _cups(self) -> tuple[Cup, ...]:
        return self._all

    def _pull(self, name: str, force: Vector, point: Vector) -> None:
        client, body = self._client, self._bodies[name]
        client.applyExternalForce(body.number, body.link, vector(-np.asarray(force)), point, client.WORLD_FRAME)
        client.applyExternalForce(self._robot, self._head, force, point, client.WORLD_FRAME)

    def _mass(self, name: str) -> float:
        body = self._bodies[name]
        return float(self._client.getDynamicsInfo(body.number, body.link)[0]) if body.link == _BASE else 0.0

    def _near(self, name: str) -> set[int]:
        body = self._bodies[name]
        contacts = self._client.getContactPoints(self._robot, body.number)
        return {contact[3] for contact in contacts if contact[4] == body.link and contact[8] < self._profile.lip}

    def _closed(self, cup: Cup, name: str, at: Pose) -> bool:
        body = self._bodies[name]
        ends = [at.apply(cup.tip + self._lips + (0.0, 0.0, z)).tolist() for z in (-BEHIND, self._profile.lip + _MARGIN)]
        # A ray may hit the cup itself before the body.
        looks = [self._client.rayTestBatch(*ends, reportHitNumber=n) for n in (0, 1)]
        return all(any(look[:2] == (body.number, body.link) for look in spot) for spot in zip(*looks, strict=True))

    def _cup(self, link: int) -> Cup:
        cup = self._client.getLinkState(self._robot, link, computeForwardKinematics=1)
        x, y, _ = (self._place().inverse() @ Pose(cup[4], cup[5])).position
        return Cup(link, np.array([x, y, 0.0]))

    def _place(self) -> Pose:
        head = self._client.getLinkState(self._robot, self._head, computeForwardKinematics=1)
        return Pose(head[4], head[5]) @ self._tool

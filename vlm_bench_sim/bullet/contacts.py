"""Contacts between bodies in Bullet, and the friction of gripping links."""

from collections.abc import Iterable, Mapping

from vlm_bench_sim.bullet.client import Client
from vlm_bench_sim.core.geometry import Vector
from vlm_bench_sim.core.snapshot import pair
from vlm_bench_sim.physics.contacts import ContactMemory, Meeting, Pushes

_Ends = tuple[int, int, int, int]
"""Numbers of the two bodies in contact and of their links, in Bullet's order."""


def roughen(client: Client, robot: int, links: Iterable[int], *, anchored: bool) -> None:
    """Give gripping links the friction of rubber.

    The friction anchor prevents creep within the solver (millimetres in seconds); Coulomb's law limits the force as before. The anchor also
    makes opening fingers wedge what is between them, so it is only for fingers that close.
    """
    for link in links:
        client.changeDynamics(robot, link, lateralFriction=1.0, spinningFriction=2e-3, rollingFriction=1e-4, frictionAnchor=int(anchored))


class Contacts(ContactMemory[_Ends]):
    """Contact memory.

    Args:
        names: names of the bodies, by body number.
        robot: body number of the robot.
        links: numbers of the gripper's links that can hold.
        parts: names by body and link, for bodies whose links have their own names.
        loose: body numbers of beads, floor and what is solid of the room; no gripper holds them, and contacts among them are ignored.
    """

    def __init__(
        self, names: dict[int, str], robot: int, *, links: tuple[int, ...], parts: Mapping[tuple[int, int], str], loose: frozenset[int]
    ) -> None:
        super().__init__()
        self.names, self._robot, self._links, self._parts, self._loose = names, robot, links, parts, loose

    def observe(self, client: Client) -> Pushes:
        """Read the contacts of the last physics step, and return the pushes at the gripping links."""
        contacts, loose = [contact for contact in client.getContactPoints() if contact[9] > 0.0], self._loose
        if len(loose) > 1:  # among themselves, beads touch in new pairs at every step
            contacts = [contact for contact in contacts if contact[1] not in loose or contact[2] not in loose]

        def push(index: int) -> Vector:
            (i, j, k), force = contacts[index][7], contacts[index][9]
            return force * i, force * j, force * k

        return self.see([contact[1:5] for contact in contacts], push)

    def _judged(self, ends: _Ends) -> Meeting | None:
        a, b, link_a, link_b = ends
        loose = len({a, b} & self._loose)
        if a == b or loose == 2:
            return None
        first, second = self.named(a, link_a), self.named(b, link_b)
        for robot, link, other, sign in ((a, link_a, second, 1.0), (b, link_b, first, -1.0)):
            if robot == self._robot and link in self._links and not loose:
                return Meeting(pair(first, second), link, other, sign)
        return Meeting(pair(first, second))

    def named(self, body: int, link: int) -> str:
        """Return the name of a body's link in the simulator."""
        return self.names[body] if body in self.names else self._parts[body, link]

    def forget(self, name: str) -> None:
        """Forget a body that is being removed."""
        super().forget(name)
        self.names = {number: other for number, other in self.names.items() if other != name}

"""Contacts between bodies in MuJoCo."""

import mujoco
import numpy as np

from vlm_bench_sim.core.geometry import Vector, vector
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.snapshot import ROBOT, ROOM, TABLE, pair
from vlm_bench_sim.mujoco.engine import Engine, Numbers
from vlm_bench_sim.mujoco.model import PROP
from vlm_bench_sim.physics.contacts import ContactMemory, Meeting, Pushes

_AWAKE = int(mujoco.mjtSleepState.mjS_AWAKE)

_Ends = tuple[int, int]
"""Numbers of the two bodies in contact."""


class Contacts(ContactMemory[_Ends]):
    """Contact memory.

    Args:
        engine: the simulation.
        profile: the robot, whose gripping links can hold.
        links: full names of all links of furniture.
    """

    def __init__(self, engine: Engine, profile: RobotProfile, *, links: frozenset[str]) -> None:
        super().__init__()
        self._engine, self._pads, self._links = engine, profile.gripper.links, links
        self._last: list[_Ends] = []
        self._brief: set[_Ends] = set()

    def glimpse(self) -> None:
        """Note the contacts within a physics step: an impact may be over before its end."""
        self._brief.update(self._now()[1])

    def observe(self) -> Pushes:
        """Read the contacts of the last physics step, and return the pushes at the gripping links."""
        real, ends = self._now()
        self._last = [*ends, *self._asleep(set(ends))]
        self.touched |= {meeting.pair for meeting in map(self._meeting, self._brief) if meeting}
        self._brief.clear()
        return self.see(self._last, lambda index: self._push(int(real[index])))

    def _now(self) -> tuple[Numbers, list[_Ends]]:
        """Return the numbers of the contacts that push, and the ends of each."""
        contact = self._engine.data.contact
        real = np.flatnonzero(contact.efc_address >= 0)
        return real, list(map(tuple, self._engine.model.geom_bodyid[contact.geom[real]].tolist()))

    def _asleep(self, seen: set[_Ends]) -> set[_Ends]:
        """Return the contacts of which MuJoCo says no more, because all that takes part in them sleeps; they are as they were."""
        data = self._engine.data
        if data.ntree_awake == self._engine.model.ntree:
            return set()
        awake = set(np.flatnonzero(data.body_awake == _AWAKE).tolist())
        return {ends for ends in self._last if ends not in seen and awake.isdisjoint(ends)}

    def forget(self, name: str) -> None:
        """Forget a body that is being removed: the others are about to get other numbers, and to wake."""
        super().forget(name)
        self._last = []
        self._brief.clear()

    def _push(self, number: int) -> Vector:
        data = self._engine.data
        return vector(data.efc_force[data.contact.efc_address[number]] * data.contact.frame[number, :3])

    def _judged(self, ends: _Ends) -> Meeting | None:
        model = self._engine.model
        first, second = (model.body(number).name for number in ends)
        a, b = self.named(first), self.named(second)
        if a == b:
            return None
        for body, link, other, sign in ((first, ends[0], b, 1.0), (second, ends[1], a, -1.0)):
            if body in self._pads and other != ROOM:
                return Meeting(pair(a, b), link, other, sign)
        return Meeting(pair(a, b))

    def named(self, body: str) -> str:
        """Return the name that snapshots give a body of the model."""
        if body.startswith(PROP):
            return body.removeprefix(PROP)
        return body if body in self._links or body in (TABLE, ROOM) else ROBOT

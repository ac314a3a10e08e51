"""Suction cups: every sealed cup pulls with a limited force. Contact and friction do the rest, and a gap ends the seal.

Props are not attached: one that is too heavy or swung too fast comes off the cups, and one that is pushed aside slides.
At light props, cups pull only as hard as needed to carry them: a real lip gives way until it pushes back as strongly as it pulls,
and only the difference moves the prop. An engine's contact is stiff instead, and reacts to a pull one physics step later: with
50 N, ten grams would have gained 21 m/s by then.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Container
from dataclasses import KW_ONLY, dataclass
from math import inf

from vlm_bench_sim.core.control import CupControl
from vlm_bench_sim.core.geometry import Floats, Pose, Vector, vector
from vlm_bench_sim.core.gripper import Grip, Seal, SuctionProfile
from vlm_bench_sim.core.timing import STEPS_PER_PERIOD
from vlm_bench_sim.physics.contacts import Pushes

CARRY = 200.0
"""Acceleration, m/s², up to which cups carry a prop if their force suffices: twenty times gravity, and more than ten times that of any
arm's tool here. In a physics step it gives less than 1 m/s, which a contact stops without a jump."""

BEHIND = 0.005
"""Distance behind a cup's tip where a ray towards the surface begins, m."""


@dataclass(frozen=True, eq=False)
class Cup:
    """One cup: its link number, and its tip in the tool frame (z along the approach), m."""

    link: int
    tip: Floats


@dataclass
class _Hold:
    """What the cups hold: its name, the force that carries it (N), and the sealed cups."""

    name: str
    _: KW_ONLY
    carried: float
    cups: tuple[Cup, ...] = ()


class Cups(CupControl, ABC):
    """Suction cups on a head.

    Args:
        profile: the gripper.
        bodies: names of what can be held; kept up to date by the owner.
    """

    def __init__(self, profile: SuctionProfile, bodies: Container[str]) -> None:
        super().__init__()
        self._profile, self._names = profile, bodies
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
        hold, at = self._hold, self._place()
        pull = min(self._profile.cup_force, min(self._profile.force, hold.carried) / len(hold.cups)) * at.rotation[:, 2]
        for tip in at.apply([cup.tip for cup in hold.cups]).tolist():
            self._pull(hold.name, vector(pull), tip)

    def holds(self, pushes: Pushes, _opening: Callable[[], float]) -> str:
        """Return the prop at the cups, '' for none. Cups seal on the one prop that they touch, if it closes their whole rim."""
        touched = [name for name in sorted(pushes) if name in self._names] if self.on else []
        if self._hold is None and len(touched) == 1:
            self._hold = _Hold(touched[0], carried=self._mass(touched[0]) * CARRY or inf)
        if self._hold is not None:
            self._hold.cups = self._sealed(self._hold, self._touching(self._hold.name, set(pushes.get(self._hold.name, ()))))
            if not self._hold.cups:
                self._hold = None
        return self._hold.name if self._hold else ''

    @property
    def sealed(self) -> bool:
        """True while the cups hold something."""
        return self._hold is not None

    def _sealed(self, hold: _Hold, touching: set[int]) -> tuple[Cup, ...]:
        near = self._near(hold.name)
        cups = tuple(cup for cup in hold.cups if cup.link in near)
        if self._steps % STEPS_PER_PERIOD == 0:
            at = self._place()
            reached = [cup for cup in self._cups if cup in cups or cup.link in touching]
            cups = tuple(cup for cup in reached if self._closed(cup, hold.name, at))
        self._steps += 1
        return cups

    def _touching(self, _name: str, pushing: set[int]) -> set[int]:
        """Return the links of the cups that touch a body, given those that push it."""
        return pushing

    @property
    @abstractmethod
    def _cups(self) -> tuple[Cup, ...]:
        """All cups."""

    @abstractmethod
    def _place(self) -> Pose:
        """Return the pose of the tool centre point."""

    @abstractmethod
    def _pull(self, name: str, force: Vector, point: Vector) -> None:
        """For one physics step, pull a body at a point towards the head, and the head towards the body.

        Args:
            name: of the body.
            force: on the head, (3,) N in the world.
            point: where both forces act, (3,) m in the world.
        """

    @abstractmethod
    def _mass(self, name: str) -> float:
        """Return the mass of a prop, kg; 0 for a link of furniture, which moves the whole piece: it takes all available force."""

    @abstractmethod
    def _near(self, name: str) -> set[int]:
        """Return the links of the cups from which a body is no farther than the travel of a lip."""

    @abstractmethod
    def _closed(self, cup: Cup, name: str, at: Pose) -> bool:
        """Return whether a body lies under the whole lip of a cup, within its travel: a gap anywhere lets air in."""

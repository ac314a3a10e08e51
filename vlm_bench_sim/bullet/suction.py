"""The suction gripper: seals only on contact, holds with a limited force, and lets go when that is not enough."""

from collections.abc import Mapping
from dataclasses import dataclass

from vlm_bench_sim.bullet.bodies import RigidBody
from vlm_bench_sim.bullet.client import Client
from vlm_bench_sim.bullet.contacts import Pushes
from vlm_bench_sim.core.command import Grip, Seal
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.protocols import MotionState
from vlm_bench_sim.core.robot import SuctionProfile

_SLIP = 0.004  # m and
_TWIST = 0.10  # rad by which a prop may stray from where it was sealed before the cups come off
_PATIENCE = 6  # control periods within which a command to suck either seals or is said to suck air


@dataclass(frozen=True)
class _Hold:
    """What the cups hold: the constraint, the body behind it, and where its mass centre was in the head when it was sealed."""

    name: str
    body: int
    constraint: int
    place: Pose


class SuctionGripper:
    """Cups on a head.

    Args:
        client: the simulator.
        robot: the robot's number there.
        head: number of the link that carries the cups.
        bodies: the props by name, as they are at any time.
        profile: of the gripper.
    """

    def __init__(self, client: Client, robot: int, *, head: int, bodies: Mapping[str, RigidBody], profile: SuctionProfile) -> None:
        self._client, self._robot, self._head, self._bodies, self._profile = client, robot, head, bodies, profile
        self.state = MotionState.IDLE
        self._on = False
        self._hold: _Hold | None = None
        self._periods = 0

    def begin(self, seal: Grip | Seal) -> None:
        """Begin to suck or to let go at the next physics step.

        Raises:
            CommandError: it is a command to fingers.
        """
        if isinstance(seal, Grip):
            raise CommandError('Grip needs fingers, and this robot has suction cups. Send Seal(on).')
        self._on, self._periods = seal.on, 0
        self.state = MotionState.RUNNING
        if not seal.on:
            self._let_go()

    def hold(self) -> None:
        """Go on as before; what is held stays held."""
        if self.state is MotionState.RUNNING:
            self.state = MotionState.STOPPED

    def lose(self, name: str) -> None:
        """Let go of a prop that is being removed."""
        if self._hold is not None and self._hold.name == name:
            self._let_go()

    def drive(self) -> None:
        """Nothing to set: a seal holds by itself."""

    def holds(self, pushes: Pushes, _opening: float) -> str:
        """Return the prop at the cups, '' for none; seal what all the cups in contact touch, let go of what has slipped."""
        if self._hold is not None and self._slipped(self._hold):
            self._let_go()
        elif self._hold is None and self._on and len(touched := [name for name in sorted(pushes) if name in self._bodies]) == 1:
            self._seal(touched[0])
        return self._hold.name if self._hold else ''

    def judge(self, _opening: float) -> None:
        """Say at the end of a control period what the command came to: STALLED on a prop, SUCCEEDED with nothing at the cups."""
        self._periods += 1
        if self.state is not MotionState.RUNNING:
            return
        if self._hold is not None:
            self.state = MotionState.STALLED
        elif not self._on or self._periods >= _PATIENCE:
            self.state = MotionState.SUCCEEDED

    def _seal(self, name: str) -> None:
        body = self._bodies[name].number
        place = self._place(body)
        constraint = self._client.createConstraint(
            self._robot, self._head, body, -1, self._client.JOINT_FIXED, [0, 0, 0],
            parentFramePosition=place.position, childFramePosition=[0, 0, 0], parentFrameOrientation=place.orientation,
        )  # fmt: skip
        self._client.changeConstraint(constraint, maxForce=self._profile.force)
        self._hold = _Hold(name, body, constraint, place)

    def _let_go(self) -> None:
        if self._hold is not None:
            self._client.removeConstraint(self._hold.constraint)
            self._hold = None

    def _slipped(self, hold: _Hold) -> bool:
        place = self._place(hold.body)
        return place.distance(hold.place) > _SLIP or place.angle(hold.place) > _TWIST

    def _place(self, body: int) -> Pose:
        """Return where a body's mass centre is, in the frame of the head's mass centre."""
        head = self._client.getLinkState(self._robot, self._head, computeForwardKinematics=1)
        return Pose(head[0], head[1]).inverse() @ Pose(*self._client.getBasePositionAndOrientation(body))

"""The robot's part of a world, independent of what moves the joints: its commands and their states."""

from vlm_bench_sim.core.command import Chunk, Command, Joints, Stop
from vlm_bench_sim.core.control import ArmControl, CupControl, FingerControl
from vlm_bench_sim.core.errors import CommandError, WorldError
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.core.protocols import MotionState
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.trajectory import direct


class Actuated:
    """A world with one robot. Loading a scene sets its controllers and the first snapshot.

    Attributes:
        profile: profile of the robot.
    """

    _arm: ArmControl
    _gripper: FingerControl | CupControl

    def __init__(self, profile: RobotProfile) -> None:
        self.profile = profile
        self._snapshot: Snapshot | None = None

    def apply(self, command: Command) -> None:
        """Begin a command at the next period; it replaces a running one of the same part (arm, gripper).

        Raises:
            CommandError: the command is malformed, or needs a planner.
        """
        self._loaded()
        if isinstance(command, Chunk):
            self._arm.follow(command)
        elif isinstance(command, Joints):
            self._arm.follow(direct(self._arm.positions, command.positions, self.profile.velocity))
        elif isinstance(command, Grip | Seal):
            self._gripper.begin(command)
        elif isinstance(command, Stop):
            self.hold_arm()
            self.hold_gripper()
        else:
            raise CommandError(
                f'A world takes Joints, Chunk, Grip, Seal and Stop; found {type(command).__name__}. '
                'Plan a ToolPose, split Both, and step for Wait.'
            )

    def hold_arm(self) -> None:
        """Stop the arm at the currently commanded position."""
        self._loaded()
        self._arm.hold()

    def hold_gripper(self) -> None:
        """Stop the gripper where it is, with the present force."""
        self._loaded()
        self._gripper.hold()

    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot.

        Raises:
            WorldError: no scene is loaded.
        """
        return self._loaded()

    @property
    def arm(self) -> MotionState:
        """State of the last arm command."""
        self._loaded()
        return self._arm.state

    @property
    def gripper(self) -> MotionState:
        """State of the last gripper command."""
        self._loaded()
        return self._gripper.state

    @property
    def assisting(self) -> bool:
        """False: a bare world has no aids."""
        return False

    @property
    def commanded(self) -> tuple[float, ...]:
        """The currently commanded arm positions, rad."""
        self._loaded()
        return tuple(self._arm.positions.tolist())

    def _loaded(self) -> Snapshot:
        if self._snapshot is None:
            raise WorldError('The world holds no scene. Call load(scene) first.')
        return self._snapshot

"""Base class of worlds that change what another world does."""

from vlm_bench_sim.core.command import Command
from vlm_bench_sim.core.protocols import MotionState, World
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot


class WorldWrapper:
    """A World that passes everything to another one. Subclasses override what they change.

    Args:
        world: the world to wrap.

    Attributes:
        profile: profile of the robot.
    """

    def __init__(self, world: World) -> None:
        self.profile, self._world = world.profile, world

    def load(self, scene: Scene) -> Snapshot:
        """Lay out a scene."""
        return self._world.load(scene)

    def apply(self, command: Command) -> None:
        """Begin a command.

        Raises:
            CommandError: as the inner world raises it.
        """
        self._world.apply(command)

    def step(self) -> Snapshot:
        """Advance one control period."""
        return self._world.step()

    def hold_arm(self) -> None:
        """Stop the arm where it is."""
        self._world.hold_arm()

    def hold_gripper(self) -> None:
        """Stop the gripper where it is, with its force."""
        self._world.hold_gripper()

    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot."""
        return self._world.snapshot

    @property
    def arm(self) -> MotionState:
        """State of the last arm command."""
        return self._world.arm

    @property
    def gripper(self) -> MotionState:
        """State of the last gripper command."""
        return self._world.gripper

    @property
    def assisting(self) -> bool:
        """True while an aid moves the robot."""
        return self._world.assisting

    @property
    def commanded(self) -> tuple[float, ...]:
        """The currently commanded arm positions, rad."""
        return self._world.commanded

    def state_hash(self) -> str:
        """SHA-256 of every pose, velocity, joint and grasp."""
        return self._world.state_hash()

    def close(self) -> None:
        """Release the simulator."""
        self._world.close()

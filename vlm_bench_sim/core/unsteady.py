"""A world with an unsteady robot: arm commands end slightly off their goal, and held objects may slip. All else is the wrapped world's."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from vlm_bench_sim.core.codes import EventKind
from vlm_bench_sim.core.command import Chunk, Command, Hold, Joints, Point, check_chunk, check_points
from vlm_bench_sim.core.geometry import Floats, Pose, Vector
from vlm_bench_sim.core.noise import displaced, drops, offset
from vlm_bench_sim.core.perturbation import SeededPerturbation
from vlm_bench_sim.core.protocols import World
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import PERIOD_NS
from vlm_bench_sim.core.world_wrapper import WorldWrapper

_SHARES = (1.0, 0.5, 0.25)  # of an offset, tried in turn, as an arm near the end of its reach may not be able to follow


class KinematicsSolver(Protocol):
    """Forward and inverse kinematics of the robot."""

    def tool_pose(self, arm: Floats) -> Pose:
        """Return the world pose of the tool centre point at these arm positions, rad."""
        ...

    def solve(self, target: Pose, seed: Floats) -> Floats | None:
        """Return arm positions near `seed` (rad) that bring the tool to `target`, or None."""
        ...


class UnsteadyWorld(WorldWrapper):
    """A wrapper of a World. The inner world receives the perturbed commands: replaying them there gives the same state without randomness.

    Args:
        world: the world to wrap.
        kinematics: kinematics of its robot.
        tell: called before each mishap takes effect, with the prop's name for a drop or the offset for an arm command.

    Attributes:
        seeded_perturbation: perturbation of this episode.
    """

    def __init__(self, world: World, kinematics: KinematicsSolver, *, tell: Callable[[EventKind, str], None]) -> None:
        super().__init__(world)
        self.seeded_perturbation = SeededPerturbation()
        self._kinematics, self._tell = kinematics, tell
        self._dropped = ''
        self._asked: list[tuple[int, Command | Hold]] = []

    def load(self, scene: Scene, seeded_perturbation: SeededPerturbation | None = None) -> Snapshot:
        """Lay out a scene for an episode with that perturbation; None keeps the previous one."""
        first = self._world.load(scene)
        self.seeded_perturbation, self._dropped = self.seeded_perturbation if seeded_perturbation is None else seeded_perturbation, ''
        self._asked = []
        return first

    def apply(self, command: Command) -> None:
        """Begin a command. The noise shifts the goal of an arm command.

        Raises:
            CommandError: as the inner world raises it.
        """
        asked = command
        if isinstance(command, Chunk | Joints) and self.seeded_perturbation.sizes.action_noise:
            command = self._displaced(command)
        self._world.apply(command)
        self._note(asked)

    @property
    def asked(self) -> Sequence[tuple[int, Command | Hold]]:
        """The original commands since the scene was loaded, each with the number of the period after which it began; the list grows."""
        return self._asked

    def step(self) -> Snapshot:
        """Advance one control period, in which the gripper may drop what it holds."""
        held = self._world.snapshot.held
        if held and held != self._dropped and drops(self.seeded_perturbation, self._world.snapshot.seq):
            self._tell(EventKind.DROPPED, held)
            self._world.apply(self.profile.gripper.open())
            self._dropped = held
        now = self._world.step()
        self._dropped = self._dropped if now.held else ''  # the fingers take a while to open, all of which is one drop
        return now

    def hold_arm(self) -> None:
        """Stop the arm where it is."""
        self._world.hold_arm()
        self._note(Hold('arm'))

    def hold_gripper(self) -> None:
        """Stop the gripper where it is, with its force."""
        self._world.hold_gripper()
        self._note(Hold('gripper'))

    def _note(self, asked: Command | Hold) -> None:
        self._asked.append((self._world.snapshot.seq, asked))

    def _displaced(self, command: Chunk | Joints) -> Chunk | Joints:
        count = len(self.profile.joints)
        if isinstance(command, Joints):
            check_points((Point(PERIOD_NS, command.positions),), count)
            chunk = Chunk((Point(PERIOD_NS, command.positions),))
        else:
            check_chunk(command, count)
            chunk = command
        end, by = np.asarray(chunk.points[-1].positions, dtype=float), offset(self.seeded_perturbation, self._world.snapshot.seq)
        reached, off = self._reached(end, by)
        self._tell(EventKind.DISPLACED, ' '.join(f'{v:+.6f}' for v in off) + ' m')
        moved = displaced(chunk, reached - end, self.profile)
        return replace(command, positions=moved.points[-1].positions) if isinstance(command, Joints) else moved

    def _reached(self, end: Floats, by: Vector) -> tuple[Floats, Floats]:
        """Return the arm positions reached instead of `end` (rad), and the tool's offset there, (3,) m."""
        here = self._kinematics.tool_pose(end)
        for share in _SHARES:
            off: Floats = np.asarray(by) * share
            found = self._kinematics.solve(here.shifted(off.tolist()), end)
            if found is not None:
                return found, off
        return end, np.zeros(3)

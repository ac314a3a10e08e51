"""What the aids of a policy take from the expert, and how it is read."""

from dataclasses import dataclass

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.command import Chunk, check_chunk, check_limits
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.core.robot import RobotProfile

MOST, POINTS, LATEST = 1000, 20_000, 20 * 3600
"""Greatest numbers of commands and of points of paths that the expert lends, and the latest control period."""

Hands = tuple[tuple[Grip | Seal, ...], ...]
"""Gripper commands after each tool pose of an episode."""

Given = tuple[tuple[int, Chunk | Grip | Seal], ...]
"""Commands of the arm and the gripper, each with the control period after which it begins, in order."""


@codec.serialisable
@dataclass(frozen=True)
class Lent:
    """What the aids take from the expert, which plays the episode beforehand.

    Attributes:
        hands: its gripper commands after each of its tool poses (gripper_state).
        grasp: its commands up to the first grasp (given_grasp); none if it grasps nothing.
        until: control period at which that grasp is complete.
    """

    hands: Hands = ()
    grasp: Given = ()
    until: int = 0

    def __post_init__(self) -> None:
        given, begins = [command for _, command in self.grasp], [seq for seq, _ in self.grasp]
        commands = max(len(self.hands), sum(map(len, self.hands)) + len(given))
        points = sum(len(command.points) for command in given if isinstance(command, Chunk))
        in_order = sorted(begins) == begins and all(0 <= seq < self.until for seq in begins)
        if commands > MOST or points > POINTS or not (in_order and 0 <= self.until <= LATEST):
            raise SceneError(
                f'The expert lends {commands} commands with {points} points, up to period {self.until}. Give at most {MOST} with {POINTS}, '
                f'in the order of their periods, which lie before the last one, {LATEST} at most.'
            )

    def check(self, profile: RobotProfile) -> None:
        """Check the commands.

        Raises:
            CommandError: one is malformed, or not for this robot.
        """
        for command in (*(command for each in self.hands for command in each), *(command for _, command in self.grasp)):
            if isinstance(command, Chunk):
                check_chunk(command, len(profile.joints))
                check_limits(command.points, profile)
            else:
                profile.gripper.checked(command)


NOTHING = Lent()


def read_lent(text: str) -> Lent:
    """Return what the expert lends, from JSON that `codec.dumps` wrote; nothing for ''.

    Raises:
        SceneError: the text holds another value, or cannot be read.
    """
    return codec.read(text, Lent, SceneError) if text else NOTHING

"""Pictures in an instruction: what a picture is made of, which is privileged, and the pixels that a policy receives."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import ConfigError, near
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.scene import Scene

OBJECT, TEXTURE, KEY_STEP, SCENE = 'object', 'texture', 'key_step', 'scene'
ROLES = {
    OBJECT: 'one thing alone, as it looks',
    TEXTURE: 'a look alone, on a tile',
    KEY_STEP: 'a state that is wanted',
    SCENE: 'the table at the start',
}
"""What a picture of an instruction can show, with a description (ClevrSkills, section 3)."""

MOST_PICTURES = 10
"""Greatest number of pictures of one instruction."""

PICTURE_SIZE = (256, 256)
"""Height and width of a picture unless it says otherwise, pixels."""

MOST_SIDE = 1024
"""Greatest width and height of one picture, pixels."""


@serialisable
@dataclass(frozen=True)
class PromptPicture:
    """A picture of an instruction as it is described. It can hold what is wanted, so only the bench may see it.

    Attributes:
        role: what it shows, one of `ROLES`.
        scene: every thing at its pose in the picture.
        camera: name of a camera, such as 'clevrskills:object'.
        robot: True to show the robot.
        tool: pose of its tool centre point in the world; None: the robot starts as the scene says.
        table: True to show the table and the room; False: a plain background.
        width, height: size, pixels.

    Raises:
        ConfigError: the role is unknown, a hidden robot is given a pose, or the size is invalid.
        CommandError: the pose of the tool is not finite, or its quaternion is zero.
    """

    role: str
    scene: Scene
    camera: str
    robot: bool = False
    tool: Pose | None = None
    table: bool = False
    width: int = PICTURE_SIZE[1]
    height: int = PICTURE_SIZE[0]

    def __post_init__(self) -> None:
        if not isinstance(self.role, str) or self.role not in ROLES:
            raise ConfigError(f'A picture of an instruction has no role {self.role!r}. {near(str(self.role), ROLES)}')
        if self.tool is not None and not self.robot:
            raise ConfigError('A picture of an instruction hides the robot, but gives a pose of its tool. Show the robot, or leave it out.')
        if self.tool is not None:
            Pose.of(self.tool.position, self.tool.orientation)
        if not all(isinstance(side, int) and 0 < side <= MOST_SIDE for side in (self.width, self.height)):
            asked = f'{self.width} x {self.height} pixels'
            raise ConfigError(
                f'A picture of an instruction cannot have {asked}; its sides are 1 to {MOST_SIDE} pixels long. Change its size.'
            )


@dataclass(frozen=True, eq=False)
class PromptImage:
    """A picture of an instruction as a policy receives it.

    Attributes:
        role: what it shows, one of `ROLES`.
        color: (height, width, 3) uint8 RGB.
        png: the same as a png file, as in /task/instruction.
    """

    role: str
    color: NDArray[np.uint8]
    png: bytes

    def copied(self) -> 'PromptImage':
        """Return the same with pixels of its own, which may be changed."""
        return replace(self, color=self.color.copy())


def marker(number: int) -> str:
    """Return the text that stands for a picture in a sentence; the first picture has the number 1."""
    return f'<image {number}>'


def image_key(number: int) -> str:
    """Return the key of a picture on the wire of policy servers and in numpy files; the first picture has the number 1."""
    return f'prompt/image_{number}'

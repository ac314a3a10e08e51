"""Draws the pictures of instructions, in process and over ROS: the same description gives the same bytes."""

from dataclasses import replace

import numpy as np

from vlm_bench_sim import profiles
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.camera import Picture
from vlm_bench_sim.core.chance import Chance
from vlm_bench_sim.core.errors import ConfigError, WorldError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.prompts import MOST_PICTURES, PromptImage, PromptPicture
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.render.png import png
from vlm_bench_sim.render.prompt import PromptPainter

_SAMPLES = 1  # as a camera of the bench: things look the same in both


class PromptStudio:
    """Draws the pictures of instructions for one robot. The first picture opens the renderer.

    Args:
        profile: the robot.
        kinematics: its kinematics.
    """

    def __init__(self, profile: RobotProfile, kinematics: Kinematics) -> None:
        self._profile, self._kinematics = profile, kinematics
        self._painter: PromptPainter | None = None
        self._newest: tuple[tuple[PromptPicture, ...], tuple[PromptImage, ...]] = ((), ())

    @property
    def renderer_string(self) -> str:
        """Name of the renderer; 'none' as long as nothing was drawn."""
        return self._painter.renderer_string if self._painter else 'none'

    def open(self) -> PromptPainter:
        """Open the renderer, if it is not open yet, and return the painter of the pictures."""
        if self._painter is None:
            self._painter = PromptPainter(self._profile, self._kinematics.link_poses)
        return self._painter

    def draw(self, pictures: tuple[PromptPicture, ...]) -> tuple[PromptImage, ...]:
        """Return the pictures of an instruction as a policy receives them; the newest ones are kept.

        Raises:
            ConfigError: there are too many, or a camera does not exist.
            WorldError: the robot cannot reach a pose, or there is no renderer.
            SceneError: a thing cannot be drawn.
        """
        if len(pictures) > MOST_PICTURES:
            raise ConfigError(f'An instruction has at most {MOST_PICTURES} pictures; {len(pictures)} were requested. Leave some out.')
        if pictures != self._newest[0]:
            self._newest = (pictures, tuple(_image(asked, self._picture(asked)) for asked in pictures))
        return self._newest[1]

    def close(self) -> None:
        """Free the renderer."""
        if self._painter:
            self._painter.close()
        self._painter = None

    def _picture(self, asked: PromptPicture) -> Picture:
        found = profiles.cameras(asked.camera, asked.width, asked.height, robot=self._profile.name)
        if len(found) != 1:
            raise ConfigError(f'A picture has one camera; {asked.camera!r} names {len(found)}. Name one, such as clevrskills:base.')
        return self.open().picture(self._posed(asked), found[0], robot=asked.robot, table=asked.table, samples=_SAMPLES)

    def _posed(self, asked: PromptPicture) -> Scene:
        """Return the scene with the robot's tool at the pose of the picture."""
        if asked.tool is None:
            return asked.scene
        home = np.array(self._profile.home)
        found = self._kinematics.inverse(asked.tool, home, Chance().at('prompt'))
        if not found:
            raise WorldError(f'{self._profile.name} does not reach the pose of a picture at {_place(asked.tool)}. Name another robot.')
        return replace(asked.scene, robot=replace(asked.scene.robot, joints=tuple(found[0].tolist())))


def _image(asked: PromptPicture, picture: Picture) -> PromptImage:
    kept = np.frombuffer(picture.color.tobytes(), np.uint8).reshape(picture.color.shape)  # nobody can write into it
    return PromptImage(asked.role, kept, png(kept))


def _place(tool: Pose) -> str:
    return ', '.join(f'{part:.3g}' for part in tool.position) + ' m'


def read(text: str) -> tuple[PromptPicture, ...]:
    """Return the pictures of an instruction from JSON that `codec.dumps` wrote of a tuple of them.

    Raises:
        VlmBenchError: the text cannot be read.
        ConfigError: it holds something else.
    """
    found = codec.loads(text)
    if not isinstance(found, tuple):
        raise ConfigError(f'The JSON of pictures of an instruction was expected; found that of a {type(found).__name__}.')
    for one in found:
        if not isinstance(one, PromptPicture):
            raise ConfigError(f'The JSON of pictures of an instruction was expected; found that of a {type(one).__name__}.')
    return tuple(one for one in found if isinstance(one, PromptPicture))

"""Renders pictures of scenes that need not exist, such as those of an instruction; needs no simulator."""

import sys
from dataclasses import replace
from typing import Any

from vlm_bench_sim import profiles, prompts
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.camera import Camera, Picture
from vlm_bench_sim.core.codes import OK
from vlm_bench_sim.core.errors import ConfigError, VlmBenchError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.nodes.base.answers import answer
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.process import run
from vlm_bench_sim.nodes.simulation.load_scene_server import read_scene
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.convert import fill
from vlm_bench_sim.ros.prompts import prompt_fields

INVALID = 101
MOST_PIXELS = 1_000_000


class PictureNode:
    """Serves RenderPicture, and to the bench alone DrawPrompt; the first request creates the renderer."""

    def __init__(self) -> None:
        self._node = BenchNode('picture_node', {'robot': 'panda'})
        self._profile = profiles.robot(self._node.values['robot'])
        self._studio = prompts.PromptStudio(self._profile, Kinematics(self._profile))
        self._node.service(names.RENDER_PICTURE, self._serve)
        self._node.service(names.DRAW_PROMPT, self._serve_prompt)

    def spin_once(self) -> None:
        """Handle pending callbacks."""
        self._node.spin_once(0.1)

    def close(self) -> None:
        """Free the node and the renderer."""
        self._node.close()
        self._studio.close()

    def _serve(self, request: Any, response: Any) -> Any:
        try:
            camera = read_camera(request.camera, request.width, request.height)
            picture = self._draw(request, camera)
        except VlmBenchError as error:
            return answer(response, INVALID, str(error))
        fill(response, as_fields(picture, camera))
        return answer(response, OK)

    def _draw(self, request: Any, camera: Camera) -> Picture:
        return self._studio.open().picture(read_scene(request.scene), camera, robot=request.robot, table=request.table)

    def _serve_prompt(self, request: Any, response: Any) -> Any:
        try:
            images = self._studio.draw(prompts.read(request.pictures))
        except VlmBenchError as error:
            return answer(response, INVALID, str(error))
        fill(response, prompt_fields(images))
        return answer(response, OK)


def read_camera(text: str, width: int, height: int) -> Camera:
    """Return the camera of a request, in another size unless `width` and `height` are 0.

    Raises:
        ConfigError: the text is another value, or the picture would be too large.
        VlmBenchError: the text cannot be decoded, or the camera is invalid.
    """
    camera = codec.loads(text)
    if not isinstance(camera, Camera):
        raise ConfigError(f'The JSON of a Camera was expected; found that of a {type(camera).__name__}.')
    pose = Pose.of(camera.pose.position, camera.pose.orientation)
    camera = replace(camera, pose=pose, width=width or camera.width, height=height or camera.height)
    if camera.width * camera.height > MOST_PIXELS:
        asked = f'{camera.width} x {camera.height} pixels'
        raise ConfigError(f'A picture of {asked} is too large; at most {MOST_PIXELS} pixels are allowed. Request a smaller one.')
    return camera


def as_fields(picture: Picture, camera: Camera) -> fields.Fields:
    """Return the fields of a response without its result; the pictures have no time stamp."""
    return {
        'color': fields.color_image(picture, camera, 0),
        'depth': fields.depth_image(picture, camera, 0, metres=True),
        'ids': fields.ids_image(picture, camera, 0),
        'info': fields.camera_info(camera, 0),
    }


def main() -> None:
    """Run the node."""
    sys.exit(run(PictureNode))


if __name__ == '__main__':
    main()

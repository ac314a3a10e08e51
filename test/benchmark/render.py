"""Pictures in numbers: one RGB-D picture with ids, from our renderer and from PyBullet's TinyRenderer, of the same scene.

Both draw the Panda at home and twelve cubes on the table, seen by the front camera, without shadows. Each draws the robot as it is used
in practice: TinyRenderer the model's files, ours what it makes of them when it starts. The two take turns, so that whatever else the
machine does falls on both alike.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter

import cv2
import numpy as np
import pybullet
from numpy.typing import NDArray

from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.props import Colour, Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.profiles import cameras, robot
from vlm_bench_sim.render import Renderer

PROFILE = robot('panda')
SIDE = 0.05
CAMERAS = 5
COLOURS = {
    'red': (1.0, 0.0, 0.0),
    'green': (0.0, 0.5, 0.0),
    'blue': (0.0, 0.0, 1.0),
    'yellow': (1.0, 1.0, 0.0),
    'cyan': (0.0, 1.0, 1.0),
    'magenta': (1.0, 0.0, 1.0),
    'orange': (1.0, 0.5, 0.0),
    'purple': (0.5, 0.0, 0.5),
    'teal': (0.0, 0.5, 0.5),
    'rose': (1.0, 0.0, 0.5),
    'white': (1.0, 1.0, 1.0),
    'gray': (0.5, 0.5, 0.5),
}
FOLDER = Path(__file__).resolve().parents[2] / 'docs'


def report(rounds: int = 20) -> list[str]:
    """Return the lines of the report, and write both pictures into docs/."""
    camera = cameras('vlmbench:front', 256, 256)[0]
    tiny = Tiny(cubes())
    ours = Renderer(PROFILE)
    ours.load(cubes())
    poses, links = {prop.name: prop.pose for prop in cubes().props}, tiny.links()
    mine, theirs = in_turns(rounds, lambda: ours.render(camera, poses, links), lambda: tiny.picture(camera))
    lines = [
        f'256x256 RGB-D+ids, Panda and {len(poses)} cubes: ours {mine:.2f} ms, TinyRenderer {theirs:.1f} ms, ratio {theirs / mine:.1f}x',
        f'drawn by {ours.renderer_string}; medians of {rounds * CAMERAS} pictures each, in turns of {CAMERAS}',
    ]
    save('ours', ours.render(camera, poses, links).colour)
    save('tinyrenderer', tiny.picture(camera))
    ours.close()
    tiny.close()
    return lines


def cubes() -> Scene:
    """Return twelve cubes in rows, each turned a little further."""
    props = []
    for i, (name, rgb) in enumerate(COLOURS.items()):
        pose = Pose.from_rpy((0.34 + 0.12 * (i // 4), -0.27 + 0.18 * (i % 4), SIDE / 2), (0.0, 0.0, 0.25 * i))
        props.append(Prop(name, 'cube', (SIDE, SIDE, SIDE), Colour(name, rgb), 0.1, pose=pose))
    return Scene(tuple(props))


def in_turns(rounds: int, *draw: Callable[[], object]) -> list[float]:
    """Return the median milliseconds of each function; a turn is five pictures in a row, as many as a robot has cameras."""
    times: list[list[float]] = [[] for _ in draw]
    for one in draw:
        one()  # the first picture builds what the others use
    for _ in range(rounds):
        for spent, one in zip(times, draw, strict=True):
            for _ in range(CAMERAS):
                start = perf_counter()
                one()
                spent.append(1e3 * (perf_counter() - start))
    return [median(spent) for spent in times]


def save(name: str, colour: NDArray[np.uint8]) -> None:
    """Write a picture as docs/benchmark_render_<name>.png."""
    cv2.imwrite(str(FOLDER / f'benchmark_render_{name}.png'), cv2.cvtColor(colour, cv2.COLOR_RGB2BGR))


class Tiny:
    """The same scene in PyBullet, drawn by its TinyRenderer."""

    def __init__(self, scene: Scene) -> None:
        self._client = pybullet.connect(pybullet.DIRECT)
        with tempfile.NamedTemporaryFile('w', suffix='.urdf') as file:
            file.write(PROFILE.urdf.replace('file://', ''))
            file.flush()
            flags = pybullet.URDF_USE_MATERIAL_COLORS_FROM_MTL
            self._robot = pybullet.loadURDF(file.name, useFixedBase=True, flags=flags, physicsClientId=self._client)
        self._box(scene.table.box.size, scene.table.colour, Pose(scene.table.box.centre))
        for prop in scene.props:
            self._box(prop.size, prop.colour, prop.pose)
        count = pybullet.getNumJoints(self._robot, physicsClientId=self._client)
        infos = [pybullet.getJointInfo(self._robot, j, physicsClientId=self._client) for j in range(count)]
        self._links = {info[12].decode(): info[0] for info in infos}
        home = dict(zip(PROFILE.joints, PROFILE.home, strict=True)) | dict.fromkeys(PROFILE.gripper.joints, PROFILE.gripper.max_opening / 2)
        for info in infos:
            pybullet.resetJointState(self._robot, info[0], home.get(info[1].decode(), 0.0), physicsClientId=self._client)

    def _box(self, size: tuple[float, ...], colour: Colour, pose: Pose) -> None:
        half = [s / 2 for s in size]
        look = pybullet.createVisualShape(pybullet.GEOM_BOX, halfExtents=half, rgbaColor=(*colour.rgb, 1), physicsClientId=self._client)
        pybullet.createMultiBody(0, -1, look, pose.position, pose.orientation, physicsClientId=self._client)

    def links(self) -> dict[str, Pose]:
        """Return where each link of the robot stands."""
        poses = {PROFILE.urdf.split('<link name="')[1].split('"')[0]: Pose()}
        for name, index in self._links.items():
            state = pybullet.getLinkState(self._robot, index, computeForwardKinematics=1, physicsClientId=self._client)
            poses[name] = Pose.of(state[4], state[5])
        return poses

    def picture(self, camera: Camera) -> NDArray[np.uint8]:
        """Return the colours, (height, width, 3) RGB; depth and ids are drawn along with them."""
        view = np.diag([1.0, -1.0, -1.0, 1.0]) @ camera.pose.inverse().matrix
        lens = pybullet.computeProjectionMatrixFOV(np.degrees(camera.fov), camera.width / camera.height, camera.near, camera.far)
        _, _, rgba, _, _ = pybullet.getCameraImage(
            camera.width,
            camera.height,
            view.T.ravel().tolist(),
            lens,
            shadow=0,
            renderer=pybullet.ER_TINY_RENDERER,
            physicsClientId=self._client,
        )
        return np.asarray(rgba, dtype=np.uint8).reshape(camera.height, camera.width, 4)[..., :3]

    def close(self) -> None:
        """Free the client."""
        pybullet.disconnect(self._client)

"""Pictures in numbers: RGB-D with ids, from our renderer and from PyBullet's TinyRenderer, of the same scene.

Both draw the Panda and twelve plain cubes on the table, seen by one, three or five cameras of the VLMbench set. TinyRenderer draws no
shadows; ours is measured without and with them, all cameras of a turn in one call. Each draws the robot as it is used in practice:
TinyRenderer the model's files, ours what it makes of them when it starts. They take turns, so that whatever else the machine does falls on
all alike, and every turn shows the arm elsewhere, so that shadows are cast anew. Then a world with three cameras, a picture of each in
every control period, against the clock.
"""

import tempfile
from collections.abc import Callable
from dataclasses import replace
from math import sin
from pathlib import Path
from statistics import median
from time import perf_counter

import cv2
import numpy as np
import pybullet
from numpy.typing import NDArray

from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.command import Joints
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.core.scene import Light, Scene
from vlm_bench_sim.core.timing import CONTROL_HZ
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.profiles import cameras, robot
from vlm_bench_sim.render import Renderer
from vlm_bench_tasks.run import Bench

PROFILE = robot('panda')
SIDE = 0.05
SIZES = ((84, 84), (128, 128), (256, 256), (640, 480))
SETS = ('vlmbench:front', 'vlmbench:left_shoulder,right_shoulder,front', 'vlmbench')
COLORS = {
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


def report(rounds: int = 9, periods: int = 100) -> list[str]:
    """Return the lines of the report, and write a picture of each renderer into docs/."""
    plain = replace(cubes(), light=Light(shadows=False))
    tiny, ours = Tiny(plain), Ours(plain, cubes())
    lines = [
        'RGB-D with ids of the Panda and twelve cubes; ms for all cameras together, medians of turns',
        f'drawn by {ours.renderer_string}',
        '  size     cameras   ours   with shadows   TinyRenderer   ratio   ratio with shadows',
    ]
    for width, height in SIZES:
        for name in SETS:
            chosen = cameras(name, width, height)
            lone, shaded, theirs = in_turns(rounds, *(ours.drawer(i, chosen) for i in (0, 1)), tiny.drawer(chosen))
            lines.append(
                f'  {width}x{height}'.ljust(14) + f'{len(chosen)}  {lone:8.2f}  {shaded:11.2f}  {theirs:14.1f}   {theirs / lone:6.1f}x  '
                f'{theirs / shaded:8.1f}x'
            )
    camera = cameras('vlmbench:front', 256, 256)[0]
    save('ours', ours.picture(1, camera))
    save('tinyrenderer', tiny.picture(camera))
    ours.close()
    tiny.close()
    return [*lines, *real_time(periods), *seeing()]


def real_time(periods: int) -> list[str]:
    """Return the real-time factor of a world whose arm moves while three cameras of 256² draw every control period."""
    factors: dict[bool, list[float]] = {False: [], True: []}
    bench = Bench(cameras=SETS[1])
    for _ in range(3):
        for shadows, found in factors.items():
            scene = replace(cubes(), light=Light(shadows=shadows))
            bench.world.load(scene)
            bench.renderer.load(scene)
            begin = perf_counter()
            for k in range(periods):
                bench.world.apply(Joints((0.3 * sin(0.1 * k), *PROFILE.home[1:])))
                bench.pictures(bench.world.step())
            found.append(periods / CONTROL_HZ / (perf_counter() - begin))
    bench.close()
    without, shaded = (median(found) for found in factors.values())
    return [f'three 256x256 RGB-D cameras at {CONTROL_HZ} Hz, arm moving: {without:.1f} x real time without shadows, {shaded:.1f} x with']


def seeing(rounds: int = 40) -> list[str]:
    """Return what it costs to count how much of each thing is hidden."""
    ours, chosen = Ours(cubes()), cameras(SETS[0])
    picture, counts = in_turns(rounds, ours.drawer(0, chosen), ours.drawer(0, chosen, count=True))
    ours.close()
    return [f'256x256 picture with shadows {picture:.2f} ms; how much of each of 14 things is hidden {counts:.2f} ms']


def cubes() -> Scene:
    """Return twelve cubes in rows, each turned a little further."""
    props = []
    for i, (name, rgb) in enumerate(COLORS.items()):
        pose = Pose.from_rpy((0.34 + 0.12 * (i // 4), -0.27 + 0.18 * (i % 4), SIDE / 2), (0.0, 0.0, 0.25 * i))
        props.append(Prop(name, 'cube', (SIDE, SIDE, SIDE), Color(name, rgb), 0.1, pose=pose))
    return Scene(tuple(props))


def in_turns(rounds: int, *draw: Callable[[int], object]) -> list[float]:
    """Return the median milliseconds of each function; each is told the number of the turn."""
    times: list[list[float]] = [[] for _ in draw]
    for one in draw:
        one(0)  # the first picture builds what the others use
    for k in range(1, rounds + 1):
        for spent, one in zip(times, draw, strict=True):
            start = perf_counter()
            one(k)
            spent.append(1e3 * (perf_counter() - start))
    return [median(spent) for spent in times]


def joints(turn: int) -> dict[str, float]:
    """Return where the joints are in a turn: home, the arm swung a little."""
    home = dict(zip(PROFILE.joints, PROFILE.home, strict=True)) | dict.fromkeys(PROFILE.gripper.joints, PROFILE.gripper.max_opening / 2)
    return home | {PROFILE.joints[0]: 0.02 * (turn % 5)}


def save(name: str, color: NDArray[np.uint8]) -> None:
    """Write a picture as docs/benchmark_render_<name>.png."""
    cv2.imwrite(str(FOLDER / f'benchmark_render_{name}.png'), cv2.cvtColor(color, cv2.COLOR_RGB2BGR))


class Ours:
    """Our renderer, one for each of the scenes."""

    def __init__(self, *scenes: Scene) -> None:
        self._poses = [{prop.name: prop.pose for prop in scene.props} for scene in scenes]
        self._links = [Kinematics(PROFILE).link_poses(joints(turn)) for turn in range(5)]
        self._renderers = [Renderer(PROFILE) for _ in scenes]
        for renderer, scene in zip(self._renderers, scenes, strict=True):
            renderer.load(scene)

    @property
    def renderer_string(self) -> str:
        """What draws."""
        return self._renderers[0].renderer_string

    def drawer(self, scene: int, chosen: tuple[Camera, ...], *, count: bool = False) -> Callable[[int], object]:
        """Return what draws all of the cameras in a turn, or counts what they would see of each thing alone."""
        renderer, poses = self._renderers[scene], self._poses[scene]
        if count:
            return lambda turn: [renderer.alone(camera, poses, self._links[turn % 5]) for camera in chosen]
        return lambda turn: renderer.pictures(chosen, poses, self._links[turn % 5])

    def picture(self, scene: int, camera: Camera) -> NDArray[np.uint8]:
        """Return the colors, (height, width, 3) RGB."""
        return self._renderers[scene].render(camera, self._poses[scene], self._links[0]).color

    def close(self) -> None:
        """Free the renderers."""
        for renderer in self._renderers:
            renderer.close()


class Tiny:
    """The same scene in PyBullet, drawn by its TinyRenderer."""

    def __init__(self, scene: Scene) -> None:
        self._client = pybullet.connect(pybullet.DIRECT)
        with tempfile.NamedTemporaryFile('w', suffix='.urdf') as file:
            file.write(PROFILE.urdf.replace('file://', ''))
            file.flush()
            flags = pybullet.URDF_USE_MATERIAL_COLORS_FROM_MTL
            self._robot = pybullet.loadURDF(file.name, useFixedBase=True, flags=flags, physicsClientId=self._client)
        self._box(scene.table.box.size, scene.table.color, Pose(scene.table.box.centre))
        for prop in scene.props:
            self._box(prop.size, prop.color, prop.pose)
        count = pybullet.getNumJoints(self._robot, physicsClientId=self._client)
        infos = [pybullet.getJointInfo(self._robot, j, physicsClientId=self._client) for j in range(count)]
        self._links = {info[12].decode(): info[0] for info in infos}
        self._joints = {info[1].decode(): info[0] for info in infos}
        self.move(0)

    def move(self, turn: int) -> None:
        """Put the robot where it stands in a turn."""
        where = joints(turn)
        for name, index in self._joints.items():
            pybullet.resetJointState(self._robot, index, where.get(name, 0.0), physicsClientId=self._client)

    def _box(self, size: tuple[float, ...], color: Color, pose: Pose) -> None:
        half = [s / 2 for s in size]
        look = pybullet.createVisualShape(pybullet.GEOM_BOX, halfExtents=half, rgbaColor=(*color.rgb, 1), physicsClientId=self._client)
        pybullet.createMultiBody(0, -1, look, pose.position, pose.orientation, physicsClientId=self._client)

    def links(self) -> dict[str, Pose]:
        """Return where each link of the robot stands."""
        poses = {PROFILE.urdf.split('<link name="')[1].split('"')[0]: Pose()}
        for name, index in self._links.items():
            state = pybullet.getLinkState(self._robot, index, computeForwardKinematics=1, physicsClientId=self._client)
            poses[name] = Pose.of(state[4], state[5])
        return poses

    def drawer(self, chosen: tuple[Camera, ...]) -> Callable[[int], object]:
        """Return what draws all of the cameras in a turn; that the arm has moved is its own affair, as it is ours."""

        def draw(turn: int) -> list[NDArray[np.uint8]]:
            self.move(turn)
            links = self.links() if any(camera.link for camera in chosen) else {}
            return [self.picture(replace(c, link='', pose=links[c.link] @ c.pose) if c.link else c) for c in chosen]

        return draw

    def picture(self, camera: Camera) -> NDArray[np.uint8]:
        """Return the colors, (height, width, 3) RGB; depth and ids are drawn along with them."""
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

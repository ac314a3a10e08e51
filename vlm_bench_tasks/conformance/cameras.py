"""The checks of a camera set: that it shows what a policy needs to see."""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from functools import cached_property

import numpy as np

from vlm_bench_sim.core.camera import Camera, Picture
from vlm_bench_sim.core.geometry import Floats, Pose
from vlm_bench_sim.core.perturbation import NONE, SeededPerturbation
from vlm_bench_tasks import catalogue, settings
from vlm_bench_tasks.conformance.check import Check
from vlm_bench_tasks.conformance.robots import PICK
from vlm_bench_tasks.run import Bench

_STEPS = 8  # points along each side of the workspace
_SEEN = 0.5  # least share of the workspace that a camera which stands shows
_NEAR = 0.02  # m: what is nearer covers the lens
_COVERED = 0.25  # share of the picture
_AHEAD = 0.03  # m beyond the tool centre point: where a camera on the hand must look


@dataclass
class CameraSubject:
    """A camera set under test, with a robot at its home and the table of an episode of `PICK`.

    Attributes:
        name: of the set.
        robot: name of the profile.
        size: of the pictures, width and height, pixels.
    """

    name: str
    robot: str = 'panda'
    _: KW_ONLY
    size: tuple[int, int] = (256, 256)

    @cached_property
    def bench(self) -> Bench:
        """The bench with it."""
        width, height = self.size
        bench = Bench(self.robot, self.name, width=width, height=height)
        bench.lay_out(catalogue.build(PICK, '', 0).scene, SeededPerturbation(NONE, 0))
        return bench

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """What its cameras show, by name."""
        return self.bench.pictures(self.bench.world.snapshot)

    @property
    def standing(self) -> tuple[Camera, ...]:
        """The cameras that are not on a link of the robot."""
        return tuple(camera for camera in self.bench.cameras if not camera.link)

    def pose(self, camera: Camera) -> Pose:
        """Return the pose of a camera's optical frame in the world."""
        return self.bench.camera_poses(self.bench.world.snapshot)[camera.name]

    def share(self, camera: Camera, points: Floats) -> float:
        """Return the share of points (n, 3) of the world that a camera has in its picture, whatever hides them."""
        pose = self.pose(camera)
        ahead = pose.inverse().apply(points)[:, 2] > _NEAR
        pixels = camera.project(points, pose)
        return float((ahead & (pixels >= 0).all(axis=1) & (pixels < (camera.width, camera.height)).all(axis=1)).mean())


def _workspace() -> Floats:
    space = settings.workspace()
    grid = np.meshgrid(np.linspace(*space.x, _STEPS), np.linspace(*space.y, _STEPS))
    return np.column_stack([*(side.ravel() for side in grid), np.zeros(_STEPS**2)])


def _stands_above(cameras: CameraSubject) -> Iterator[str]:
    for camera in cameras.standing:
        if (height := cameras.pose(camera).position[2]) <= 0.0:
            yield f'{camera.name} stands {height:.2f} m high, in or below the table, whose top is at 0'


def _show_the_table(cameras: CameraSubject) -> Iterator[str]:
    for camera in cameras.standing:
        if (share := cameras.share(camera, _workspace())) < _SEEN:
            need = f'at least {100 * _SEEN:.0f} % are needed'
            yield f'{camera.name} has {100 * share:.0f} % of the places where props are placed in its picture; {need}'


def _look_along_the_tool(cameras: CameraSubject) -> Iterator[str]:
    tool = cameras.bench.world.snapshot.tool
    for camera in cameras.bench.cameras:
        if camera.link == cameras.bench.profile.tool_link and not cameras.share(camera, tool.apply([(0.0, 0.0, _AHEAD)])):
            yield f'{camera.name}, on the tool, does not show what is {1000 * _AHEAD:.0f} mm ahead of the tool centre point'


def _show_something(cameras: CameraSubject) -> Iterator[str]:
    for name, picture in cameras.pictures.items():
        covered = float(((picture.depth > 0) & (picture.depth < _NEAR)).mean())
        if covered > _COVERED:
            near = f'what is nearer than {1000 * _NEAR:.0f} mm in {100 * covered:.0f} % of its picture'
            yield f'{name} shows {near}; it stands inside of something'
        elif not np.ptp(picture.color.reshape(-1, 3), axis=0).any():
            yield f'{name} shows one color and nothing else'


def _show_the_props(cameras: CameraSubject) -> Iterator[str]:
    ids = catalogue.build(PICK, '', 0).scene.ids
    seen = {int(one) for picture in cameras.pictures.values() for one in np.unique(picture.ids)}
    if cameras.standing and (hidden := sorted(name for name, number in ids.items() if number not in seen)):
        yield f'no camera shows {", ".join(hidden)} of {PICK} with seed 0'


CAMERA_CHECKS = (
    Check('place', 'cameras that stand are above the table', _stands_above),
    Check('table', 'cameras that stand have most of the places where props are placed in their pictures', _show_the_table),
    Check('tool', 'cameras on the tool show what lies ahead of it', _look_along_the_tool),
    Check('picture', 'nothing covers a lens, and every picture shows something', _show_something),
    Check('props', 'together they show every prop of an episode', _show_the_props),
)
"""All of them."""

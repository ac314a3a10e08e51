"""Pinhole cameras, their calibration, and the images of one rendering pass."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf, pi, tan

import numpy as np
from numpy.typing import NDArray

from vlm_bench_sim.core.algebra import matmul
from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.geometry import Floats, Pose


@serialisable
@dataclass(frozen=True)
class Camera:
    """A pinhole camera without distortion.

    Raises:
        ConfigError: the field of view, the clipping distances or the size are invalid.

    Attributes:
        name: name of the camera; its frame is `<name>_color_optical_frame`.
        pose: pose of the optical frame (x right, y down, z forward) in the world, or in `link` if given.
        link: name of the robot link that carries the camera, or ''.
        fov: vertical field of view, rad.
        width, height: image size, pixels.
        near, far: clipping distances, m.
    """

    name: str
    pose: Pose
    link: str = ''
    fov: float = 0.7
    width: int = 256
    height: int = 256
    near: float = 0.01
    far: float = 10.0

    def __post_init__(self) -> None:
        lens = 0.0 < self.fov < pi and 0.0 < self.near < self.far < inf
        if not (lens and all(isinstance(n, int) and n > 0 for n in (self.width, self.height))):
            raise ConfigError(
                f'A camera needs a field of view between 0 and π rad, whole pixels and 0 < near < far; camera {self.name!r} has '
                f'{self.fov:g} rad, {self.width} x {self.height} pixels, {self.near:g} to {self.far:g} m. Correct it.'
            )

    @property
    def frame(self) -> str:
        """Name of the optical frame."""
        return f'{self.name}_color_optical_frame'

    @property
    def focal(self) -> float:
        """Focal length, pixels (square pixels)."""
        return self.height / (2 * tan(self.fov / 2))

    @property
    def intrinsics(self) -> Floats:
        """(3, 3) matrix K. The centre of the top left pixel is (0, 0), so the principal point is ((width - 1)/2, (height - 1)/2)."""
        f = self.focal
        return np.array([[f, 0.0, (self.width - 1) / 2], [0.0, f, (self.height - 1) / 2], [0.0, 0.0, 1.0]])

    @property
    def calibration(self) -> 'Calibration':
        """The calibration that users of the camera receive."""
        return Calibration(self.name, self.width, self.height, self.intrinsics, self.link, self.pose)

    def world_pose(self, links: Mapping[str, Pose]) -> Pose:
        """Return the pose of the optical frame in the world. `links` holds the world pose of the link that carries the camera."""
        return links[self.link] @ self.pose if self.link else self.pose

    def project(self, points: Floats, pose: Pose) -> Floats:
        """Return (n, 2) pixel coordinates of (n, 3) world points for an optical frame at `pose`."""
        seen = pose.inverse().apply(points)
        pixels: Floats = matmul(seen / seen[:, 2:], self.intrinsics.T)
        return pixels[:, :2]


@dataclass(frozen=True, eq=False)
class Calibration:
    """What users of a camera know about it, as in a CameraInfo and a static transform.

    Attributes:
        name: name of the camera.
        width, height: image size, pixels.
        intrinsics: (3, 3) matrix K, pixels; the centre of the top left pixel is (0, 0).
        link: name of the robot link that carries the camera; '' for a fixed camera.
        pose: pose of the optical frame (x right, y down, z forward) in that link, or in the world for a fixed camera.
    """

    name: str
    width: int
    height: int
    intrinsics: Floats
    link: str
    pose: Pose


@dataclass(frozen=True, eq=False)
class Picture:
    """The images of one rendering pass of one camera.

    Attributes:
        color: (height, width, 3) uint8 RGB.
        depth: (height, width) float32 m along the optical axis; 0 where nothing is seen.
        ids: (height, width) uint16 instance ids of `Scene.ids`; 0 background.
    """

    color: NDArray[np.uint8]
    depth: NDArray[np.float32]
    ids: NDArray[np.uint16]

    def without_ids(self) -> 'Picture':
        """Return the picture with all ids set to background, so that it does not reveal the instances."""
        return replace(self, ids=np.zeros_like(self.ids))

"""Effects of a perturbation during an episode: pure functions of their input, the seed and the time in the episode.

Nothing here keeps a state: how often pictures are read, or by how many readers, changes no other picture.
"""

from dataclasses import replace

import numpy as np

from vlm_bench_sim.core.camera import Camera, Picture
from vlm_bench_sim.core.chance import Chance
from vlm_bench_sim.core.command import LIMIT_SLACK, Chunk, Point
from vlm_bench_sim.core.geometry import Floats, Pose, Vector, vector
from vlm_bench_sim.core.perturbation import SeededPerturbation
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.timing import PERIOD_S


def noisy(picture: Picture, seeded_perturbation: SeededPerturbation, *, camera: str, step: int) -> Picture:
    """Return the picture with the camera's noise at a physics step. The ids are not a measurement and stay exact."""
    colors, depths = seeded_perturbation.sizes.pixel_noise, seeded_perturbation.sizes.depth_noise
    if not (colors or depths):
        return picture
    color, depth = picture.color, picture.depth
    if colors:
        chance = Chance(seeded_perturbation.seed).at(f'pixels/{camera}', step)
        noise = chance.standard_normal(color.shape, dtype=np.float32)
        noise *= np.float32(colors)
        noise += color
        color = np.clip(np.rint(noise, out=noise), 0.0, 255.0, out=noise).astype(np.uint8)
    if depths:
        chance = Chance(seeded_perturbation.seed).at(f'depths/{camera}', step)
        found = depth + np.float32(depths) * chance.standard_normal(depth.shape, dtype=np.float32)
        depth = np.where((depth > 0) & (found > 0), found, np.float32(0.0)).astype(np.float32)
    return replace(picture, color=color, depth=depth)


def strayed(camera: Camera, seeded_perturbation: SeededPerturbation) -> Camera:
    """Return the camera at its true pose in this episode."""
    sizes = seeded_perturbation.sizes
    if not (sizes.camera_position or sizes.camera_angle):
        return camera
    chance = Chance(seeded_perturbation.seed).at(f'camera/{camera.name}')
    shift, turn = chance.standard_normal(3), chance.standard_normal(3) * sizes.camera_angle
    here = camera.pose.shifted((shift * sizes.camera_position).tolist())
    return replace(camera, pose=here @ Pose.from_rpy((0.0, 0.0, 0.0), turn.tolist()))


def drops(seeded_perturbation: SeededPerturbation, seq: int) -> bool:
    """Return whether the gripper drops what it holds in the control period after `seq`."""
    rate = seeded_perturbation.sizes.drop_rate
    return bool(rate) and float(Chance(seeded_perturbation.seed).at('drop', seq).random()) < 1.0 - (1.0 - rate) ** PERIOD_S


def offset(seeded_perturbation: SeededPerturbation, seq: int) -> Vector:
    """Return the offset from its goal, (3,) m in the world, of an arm command that begins at control period `seq`."""
    size = seeded_perturbation.sizes.action_noise
    return vector(Chance(seeded_perturbation.seed).at('action', seq).standard_normal(3) * size) if size else (0.0, 0.0, 0.0)


def displaced(chunk: Chunk, by: Floats, profile: RobotProfile) -> Chunk:
    """Return the chunk with its end moved by `by` (rad, one per joint), and its path bent smoothly towards the new end.

    The share of `by` grows with time from none to all, without a jump of speed. Points beyond a joint limit are clipped to it.
    """
    shares, slopes = _bent(chunk.points)
    low, high = (np.asarray(ends) for ends in zip(*profile.limits, strict=True))
    points = []
    for point, share, slope in zip(chunk.points, shares, slopes, strict=True):
        positions = np.clip(np.asarray(point.positions) + share * by, low - LIMIT_SLACK, high + LIMIT_SLACK)
        velocities = tuple((np.asarray(point.velocities) + slope * by).tolist()) if point.velocities else ()
        points.append(Point(point.time_ns, tuple(positions.tolist()), velocities))
    return replace(chunk, points=tuple(points))


def _bent(points: tuple[Point, ...]) -> tuple[Floats, Floats]:
    """Return for each point the share of the offset, 0…1, and its rate of change, 1/s."""
    end = points[-1].time_ns
    if end == 0:
        return np.ones(len(points)), np.zeros(len(points))
    done = np.array([point.time_ns for point in points]) / end
    return done**2 * (3 - 2 * done), 6 * done * (1 - done) / (end * 1e-9)

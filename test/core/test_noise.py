"""The noise of an episode: the right size, of the right things, and the same whoever looks."""

from dataclasses import replace
from math import sqrt
from types import SimpleNamespace

import numpy as np
import pytest

from vlm_bench_sim import profiles
from vlm_bench_sim.core.algebra import all_on_grid
from vlm_bench_sim.core.camera import Camera, Picture
from vlm_bench_sim.core.command import Chunk, Point
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.noise import displaced, drops, noisy, offset, strayed
from vlm_bench_sim.core.perturbation import Perturbation, SeededPerturbation, kinds
from vlm_bench_sim.core.timing import CONTROL_HZ, PERIOD_NS
from vlm_bench_sim.core.trajectory import Trajectory
from vlm_bench_sim.core.unsteady import UnsteadyWorld
from vlm_bench_sim.motion.kinematics import Kinematics

PANDA = profiles.robot('panda')
NOISE = SeededPerturbation(Perturbation(pixel_noise=3.0, depth_noise=0.003), 11)


def picture(level: int = 128, depth: float = 1.0, size: int = 200) -> Picture:
    return Picture(np.full((size, size, 3), level, np.uint8), np.full((size, size), depth, np.float32), np.full((size, size), 3, np.uint16))


def test_pixels_have_the_spread_that_was_asked_for_and_no_bias():
    error = noisy(picture(), NOISE, camera='front', step=0).color.astype(float) - 128
    assert abs(error.mean()) < 4 * 3.0 / sqrt(error.size)
    assert error.std() == pytest.approx(sqrt(3.0**2 + 1 / 12), rel=0.01)  # whole numbers add their rounding
    flat = error.reshape(-1, 3)
    assert np.abs(np.corrcoef(flat.T) - np.eye(3)).max() < 0.02, 'each channel has noise of its own'


def test_colors_stay_colors():
    assert noisy(picture(level=0), NOISE, camera='front', step=0).color.max() < 30
    assert noisy(picture(level=255), NOISE, camera='front', step=0).color.min() > 225


def test_depths_have_the_spread_that_was_asked_for_and_what_is_unseen_stays_so():
    seen = noisy(picture(depth=0.8), NOISE, camera='front', step=0).depth
    assert seen.dtype == np.float32
    assert abs(float(seen.mean()) - 0.8) < 4 * 0.003 / sqrt(seen.size)
    assert float(seen.std()) == pytest.approx(0.003, rel=0.02)
    assert not noisy(picture(depth=0.0), NOISE, camera='front', step=0).depth.any()
    assert noisy(picture(depth=0.001), NOISE, camera='front', step=0).depth.min() >= 0.0


def test_each_noise_is_one_kind_only_and_ids_are_left_alone():
    colors = noisy(picture(), replace(NOISE, sizes=Perturbation(pixel_noise=3.0)), camera='front', step=0)
    depths = noisy(picture(), replace(NOISE, sizes=Perturbation(depth_noise=0.003)), camera='front', step=0)
    both = noisy(picture(), NOISE, camera='front', step=0)
    assert (colors.depth == 1.0).all() and (depths.color == 128).all()
    assert (both.color == colors.color).all() and (both.depth == depths.depth).all()
    assert (both.ids == 3).all()


def test_without_noise_a_picture_is_left_as_it_is():
    clean = picture()
    assert noisy(clean, SeededPerturbation(Perturbation(drop_rate=1.0), 1), camera='front', step=0) is clean


def test_noise_depends_on_seed_camera_and_step_and_not_on_who_looked_before():
    first = noisy(picture(size=40), NOISE, camera='front', step=24).color
    for camera, step in (('wrist', 24), ('front', 0), ('front', 24), ('left', 48)):
        noisy(picture(size=40), NOISE, camera=camera, step=step)
    assert (noisy(picture(size=40), NOISE, camera='front', step=24).color == first).all()
    for seeded_perturbation, camera, step in ((replace(NOISE, seed=12), 'front', 24), (NOISE, 'wrist', 24), (NOISE, 'front', 36)):
        assert (noisy(picture(size=40), seeded_perturbation, camera=camera, step=step).color != first).mean() > 0.5


def test_cameras_stray_as_far_as_was_asked_for():
    base = Camera('front', Pose.look_at((1.4, 0.0, 1.0), (0.3, 0.0, 0.2)))
    seeded = [SeededPerturbation(Perturbation(camera_position=0.02, camera_angle=0.05), seed) for seed in range(600)]
    moved = [strayed(base, one).pose for one in seeded]
    shifts = np.array([np.subtract(pose.position, base.pose.position) for pose in moved])
    turns = np.array([pose.angle(base.pose) for pose in moved])
    assert np.abs(shifts.mean(axis=0)).max() < 4 * 0.02 / sqrt(600)
    assert shifts.std(axis=0) == pytest.approx([0.02] * 3, rel=0.15)
    assert sqrt(float((turns**2).mean()) / 3) == pytest.approx(0.05, rel=0.1)
    assert strayed(base, seeded[3]) == replace(base, pose=moved[3])
    assert strayed(base, SeededPerturbation(Perturbation(pixel_noise=1.0), 3)) is base
    still = strayed(base, SeededPerturbation(Perturbation(camera_position=0.02), 3)).pose
    assert still.orientation == pytest.approx(base.pose.orientation) and still.position == pytest.approx(moved[3].position)


def test_what_is_held_is_dropped_as_often_a_second_as_was_asked_for():
    rate, seconds, trials = 0.1, 1, 1000
    seeded = [SeededPerturbation(Perturbation(drop_rate=rate), seed) for seed in range(trials)]
    dropped = sum(any(drops(one, seq) for seq in range(seconds * CONTROL_HZ)) for one in seeded)
    assert abs(dropped - rate * trials) < 4 * sqrt(trials * rate * (1 - rate))
    assert not any(drops(SeededPerturbation(Perturbation(), seed), 0) for seed in range(100))
    assert all(drops(SeededPerturbation(Perturbation(drop_rate=1.0), seed), 5) for seed in range(100))


def test_commands_end_as_far_off_as_was_asked_for():
    seeded_perturbation = SeededPerturbation(Perturbation(action_noise=0.0025), 4)
    found = np.array([offset(seeded_perturbation, seq) for seq in range(2000)])
    assert np.abs(found.mean(axis=0)).max() < 4 * 0.0025 / sqrt(2000)
    assert found.std(axis=0) == pytest.approx([0.0025] * 3, rel=0.06)
    assert offset(SeededPerturbation(Perturbation(), 4), 0) == (0.0, 0.0, 0.0)


def chunk(velocities: bool = True) -> Chunk:
    """A second from home to a turn of the first joint, smooth at both ends."""
    home = np.asarray(PANDA.home)
    points = []
    for i in range(1, 21):
        s = i / 20
        turn = np.eye(7)[0] * 0.3
        speed = tuple((turn * 6 * s * (1 - s)).tolist()) if velocities else ()
        points.append(Point(i * PERIOD_NS, tuple((home + turn * s * s * (3 - 2 * s)).tolist()), speed))
    return Chunk(tuple(points))


@pytest.mark.parametrize('velocities', [True, False])
def test_a_displaced_chunk_leaves_where_it_left_and_ends_where_it_shall_without_a_jump(velocities):
    by = np.linspace(-0.02, 0.02, 7)
    start = (np.asarray(PANDA.home), np.zeros(7))
    plain, moved = (Trajectory(start, c.points) for c in (chunk(velocities), displaced(chunk(velocities), by, PANDA)))
    assert tuple(moved.goal) == all_on_grid(plain.goal + by)
    times = [round(1e9 * t / 240) for t in range(1, 241)]
    off = np.array([moved.sample(t)[0] - plain.sample(t)[0] for t in times])
    assert np.abs(off[0]).max() < 1e-4
    assert np.abs(np.diff(off, axis=0)).max() < 0.02 * 1.6 / 240, 'no faster than half as much again as evenly'


def test_a_displaced_chunk_keeps_to_the_limits_of_the_joints():
    high = np.asarray(PANDA.limits)[:, 1]
    moved = displaced(Chunk((Point(PERIOD_NS, tuple(high.tolist())),)), np.full(7, 0.1), PANDA)
    assert np.abs(np.asarray(moved.points[0].positions) - high).max() <= 0.0011
    assert displaced(Chunk((Point(0, PANDA.home),)), np.full(7, 0.1), PANDA).points[0].positions[0] == pytest.approx(PANDA.home[0] + 0.1)


def test_offsets_up_to_the_bound_are_hardly_ever_cut_short():
    """What is out of reach is tried by halves, so that a size which is mostly out of reach would be another than was asked for."""
    kinematics, chance = Kinematics(PANDA), np.random.default_rng(0)
    most = next(kind.most for kind in kinds() if kind.name == 'action_noise')
    world, shares = UnsteadyWorld(SimpleNamespace(profile=PANDA), kinematics, tell=print), []
    while len(shares) < 100:
        at = chance.uniform((0.3, -0.35, 0.02), (0.68, 0.35, 0.35))
        arm = kinematics.solve(Pose.from_rpy(tuple(at), (np.pi, 0.0, 0.0)), np.asarray(PANDA.home))
        by = chance.standard_normal(3) * most
        shares += [] if arm is None else [float(np.linalg.norm(world._reached(arm, tuple(by))[1]) / np.linalg.norm(by))]
    assert np.mean(shares) > 0.95 and min(shares) > 0.2

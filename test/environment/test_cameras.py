"""Intrinsics and poses of cameras in the Gymnasium environment, and depth if asked for: true, and what a bag of the episode tells."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import vlm_bench_tasks.environment as environment
from test.back_projection import in_the_world, off_a_prop, off_the_table
from vlm_bench_sim.core.command import Stop, Wait
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.profiles import cameras
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dataset.exports.frames import Wish, frames
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.policy import Player
from vlm_bench_tasks.run import Bench

gymnasium.register_envs(environment)
TASK, ID = 'vlmbench/pick_place', 'vlm_bench/vlmbench-pick_place-v0'
MORE = {'depth', 'intrinsics', 'camera_pose'}
"""What is told of each camera besides its picture."""
STRAY = ['camera_position=0.02', 'camera_angle=0.02']


@pytest.fixture
def env():
    """An environment with depth."""
    made = gymnasium.make(ID, depth=True, size=(64, 48))
    yield made
    made.close()


def test_gymnasium_finds_nothing_wrong():
    env = gymnasium.make(ID, depth=True, size=(32, 24), render_mode='rgb_array')
    check_env(env.unwrapped)
    env.close()


def test_every_picture_has_intrinsics_and_pose_and_depth_if_asked_for(env):
    plain = gymnasium.make(ID, size=(64, 48))
    assert set(env.observation_space.spaces) == set(plain.observation_space.spaces) | {'depth'}
    ours, theirs = env.reset(seed=3)[0], plain.reset(seed=3)[0]
    plain.close()
    assert list(theirs) == [name for name in ours if name != 'depth']
    for name, shape in (('pixels', (48, 64, 3)), ('depth', (48, 64)), ('intrinsics', (3, 3)), ('camera_pose', (7,))):
        kind = np.uint8 if name == 'pixels' else np.float32
        found = {camera: (value.shape, value.dtype) for camera, value in ours[name].items()}
        assert found == dict.fromkeys(('front', 'wrist'), (shape, kind))
        assert name == 'depth' or all(np.array_equal(ours[name][camera], theirs[name][camera]) for camera in found)


def test_without_pictures_nothing_is_told_of_cameras():
    blind = gymnasium.make(ID, cameras='none')
    assert not ({'pixels'} | MORE) & (set(blind.observation_space.spaces) | set(blind.reset(seed=3)[0]))
    blind.close()


def test_depth_without_a_camera_is_refused():
    with pytest.raises(ConfigError, match=r'depth=True needs a camera, but there is none. Name one'):
        gymnasium.make(ID, depth=True, cameras='none')


@pytest.mark.parametrize('perturb', [[], STRAY], ids=['steady', 'perturbed'])
def test_depths_lie_on_the_table_and_on_the_props(env, perturb):
    seen, _ = env.reset(seed=3, options={'perturb': perturb})
    moved = [seen]
    for _ in range(12):
        moved.append(env.step(np.array([0.3, 0.2, -0.5, 0.0, 0.0, 0.3, 0.0]))[0])
    laid, bench = env.unwrapped._laid, env.unwrapped._bench
    scene, now = laid.episode.scene, laid.play.world.snapshot
    for camera in bench.cameras:
        last = moved[-1]
        points = in_the_world(*(last[name][camera.name] for name in ('depth', 'intrinsics', 'camera_pose')))
        ids = bench.picture(camera, now).ids
        assert off_the_table(scene, ids, points) < 1e-4
        there = [prop for prop in scene.props if (ids == scene.ids[prop.name]).sum() > 3]
        assert there and all(off_a_prop(scene, prop, ids, points) < 0.001 for prop in there)
        assert (last['depth'][camera.name][ids == 0] == 0).all(), 'nothing is 0'
        distance = np.linalg.norm(last['camera_pose'][camera.name][:3] - seen['camera_pose'][camera.name][:3])
        assert bool(distance > 0.05) is bool(camera.link)


def test_noise_leaves_depths_in_their_space(env):
    seen, _ = env.reset(seed=3, options={'perturb': ['depth_noise=1']})
    assert env.observation_space.contains(seen)
    assert (seen['depth']['front'] == 0).any()


class Waits(Player):
    """Waits a moment and is done."""

    def reset(self, context) -> None:
        self._left = [Wait(0.2), Stop()]

    def act(self, observation):
        return self._left.pop(0)


@pytest.mark.parametrize('perturb', [[], STRAY], ids=['steady', 'perturbed'])
def test_a_bag_of_the_episode_tells_the_same(env, tmp_path, perturb):
    """So that what was learned from an export holds in the environment: also where cameras stand elsewhere than they usually do."""
    seen, _ = env.reset(seed=3, options={'perturb': perturb})
    bench = Bench(cameras='vlmbench:front,wrist', width=64, height=48)
    episode = catalogue.perturbed(catalogue.build(TASK, 'seen', 3), catalogue.perturbation(perturb))
    recorder = Recorder(bench, episode, folder=tmp_path)
    found = frames(recorder.close(bench.run(episode, Waits(), recorder).report), Wish(depth=True))
    bench.close()
    for usual in cameras('vlmbench:front,wrist'):
        name = usual.name
        assert seen['camera_pose'][name] == pytest.approx(found.columns[f'camera_pose.{name}'][0], abs=1e-6)
        assert np.array_equal(seen['intrinsics'][name], found.intrinsics[name].astype(np.float32))
        assert np.abs(seen['depth'][name] - found.depths[name][0]).max() < 0.000501
    off = np.linalg.norm(seen['camera_pose']['front'][:3] - cameras('vlmbench:front')[0].pose.position)
    assert bool(off > 0.005) is bool(perturb)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_many_see_depths_at_once_in_processes_of_their_own():
    vector = {'context': 'spawn'}
    envs = gymnasium.make_vec(ID, num_envs=2, vectorization_mode='async', vector_kwargs=vector, size=(32, 24), depth=True)
    try:
        seen, _ = envs.reset(seed=3)
        shapes = {name: seen[name]['wrist'].shape for name in MORE}
        assert shapes == {'depth': (2, 24, 32), 'intrinsics': (2, 3, 3), 'camera_pose': (2, 7)}
    finally:
        envs.close()

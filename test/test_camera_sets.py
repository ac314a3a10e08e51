"""What the file of cameras may say, and what is said of what it may not."""

import math

import numpy as np
import pytest

from vlm_bench_sim import profiles
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.profiles import camera_sets, cameras, robot


def written(monkeypatch, tmp_path, text):
    (tmp_path / 'cameras.yaml').write_text(text)
    monkeypatch.setattr(profiles, 'config', lambda relative: tmp_path / relative)


@pytest.mark.parametrize(
    'camera',
    [
        '{fov_deg: 40}',
        '{eye: [0, 0, 1], fov_deg: 40}',
        '{position: [0, 0, 1], fov_deg: 40}',
        '{eye: [0, 0, 1], target: [0, 0, 0], position: [0, 0, 1], rpy_deg: [0, 0, 0], fov_deg: 40}',
        '{eye: [0, 0, 1], target: [0, 0, 0], rpy_deg: [0, 0, 0], fov_deg: 40}',
        '{link: tool, eye: [0, 0, 1], target: [0, 0, 0], fov_deg: 40}',
        '{eye: [0, 0, 1], target: [0, 0, 0], fov_deg: 180}',
        '{eye: [0, 0, 1], target: [0, 0, 0], fov: 40}',
    ],
)
def test_a_camera_that_stands_nowhere_or_twice_is_refused_by_its_name(monkeypatch, tmp_path, camera):
    written(monkeypatch, tmp_path, f'mine: {{eye: {camera}}}')
    with pytest.raises(ConfigError, match=r'cameras\.yaml: mine\.eye is wrong'):
        cameras('mine')


def test_a_set_of_ones_own_is_chosen_by_its_name(monkeypatch, tmp_path):
    written(monkeypatch, tmp_path, 'mine: {door: {position: [1, 2, 3], rpy_deg: [180, 0, 0], fov_deg: 40, prompt: true}}')
    assert camera_sets() == {'mine': ('door',)}
    assert cameras('mine') == ()
    (door,) = cameras('mine:door', 40, 30)
    assert (door.pose.position, door.width, door.height) == ((1.0, 2.0, 3.0), 40, 30)


def test_what_is_not_there_is_told_with_what_is_near():
    for wrong, near in (('lohoraven', 'lohoravens'), ('lohoravens:tp', 'top'), ('clevrskills:objct', 'object')):
        with pytest.raises(ConfigError, match=f'Did you mean {near}'):
            cameras(wrong)


def test_published_poses_are_the_published_ones():
    """LoHoRavens' Euler angles and ClevrSkills' look-at, against directions worked out by hand."""
    found = {camera.name: camera for camera in cameras('lohoravens', 640, 480)}
    root = math.sqrt(0.5)
    assert np.allclose(found['front'].pose.rotation[:, 2], (-root, 0, -root))
    assert np.allclose(
        found['left'].pose.rotation[:, 2], np.array([root, -root, 0]) * math.sin(math.radians(40)) - (0, 0, math.cos(math.radians(40)))
    )
    assert np.allclose(found['right'].pose.rotation[:, 2] * (1, -1, 1), found['left'].pose.rotation[:, 2])
    assert np.allclose(found['top'].pose.rotation[:, 1:], [(1, 0), (0, 0), (0, -1)], atol=1e-9)
    assert [round(found[name].focal, 2) for name in ('front', 'left', 'right', 'top')] == [450, 450, 450, 315.99]
    (base, hand, overview) = cameras('clevrskills', robot='xarm6')
    assert np.allclose(np.subtract(base.pose.position, (0.562, 0, 0)), (0.3, -0.1, 0.3))
    assert np.allclose(np.cross(base.pose.rotation[:, 2], np.subtract((-0.1, 0, 0.1), (0.3, -0.1, 0.3))), 0)
    assert np.allclose(hand.pose.position, (0.0465, -0.02, 0.036)) and np.allclose(hand.pose.rotation[:, 2], (0, 0, 1))
    assert np.allclose(np.subtract(overview.pose.position, (0.562, 0, 0)), (1.0, 1.0, 0.8))
    assert overview.fov == pytest.approx(1.0, abs=1e-5)
    (prompt,) = cameras('clevrskills:object')
    assert np.allclose(prompt.project(np.zeros((1, 3)), prompt.pose), [(127.5, 127.5)])
    assert prompt.fov == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize('name', profiles.robots())
def test_the_hand_of_every_robot_carries_the_cameras_of_the_hand(name):
    """They look along the tool, from the same place beside its tip."""
    profile = robot(name)
    links = Kinematics(profile).link_poses(dict(zip(profile.joints, profile.home, strict=True)))
    for group in camera_sets():
        for camera in cameras(group, robot=name):
            if camera.link:
                tip = links[profile.tool_link] @ profile.tool
                seen = tip.inverse() @ links[camera.link] @ camera.pose
                same = next(one for one in cameras(group) if one.name == camera.name)
                assert seen.distance(robot('panda').tool.inverse() @ same.pose) < 1e-9, camera.name
                assert Pose(orientation=seen.orientation).apply([(0, 0, 1)])[0, 2] > 0.9

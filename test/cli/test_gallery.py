"""Every robot is drawn whole, from two sides that differ, large and lit, above a line of words."""

from pathlib import Path

import numpy as np
import pytest

from vlm_bench_sim import profiles
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_tasks.cli import gallery
from vlm_bench_tasks.cli.scene_sheet import families

SIZE = 96


@pytest.mark.parametrize('name', profiles.robots())
def test_a_robot_is_drawn_from_two_sides(name):
    picture = gallery.robot(name, SIZE)
    assert picture.shape == (SIZE + 2 * SIZE // 30, 2 * SIZE, 3)
    left, right = (picture[:SIZE, i * SIZE : (i + 1) * SIZE].astype(int) for i in (0, 1))
    assert np.abs(left - right).mean() > 5
    assert all(side.std() > 15 and np.unique(side.reshape(-1, 3), axis=0).shape[0] > 200 for side in (left, right))


def test_all_corners_are_in_the_picture_and_fill_it():
    corners = np.random.default_rng(0).uniform((-0.2, -0.3, 0.0), (0.6, 0.3, 0.9), (50, 3))
    for side in gallery.SIDES:
        camera = gallery._camera(corners, side, SIZE)
        x, y, z = camera.pose.inverse().apply(corners).T
        reach = max(np.abs(x / z).max(), np.abs(y / z).max()) / np.tan(camera.fov / 2)
        assert 0.8 < reach < 1.0


def test_words_tell_the_twins_apart():
    said = {name: gallery.words(profiles.robot(name), Kinematics(profiles.robot(name))) for name in ('panda', 'fr3', 'ur5e')}
    assert 'joint 6 0.54 to 4.52' in said['fr3'] and 'joint 6 -0.02 to 3.75' in said['panda']
    assert 'fingers to 80 mm, 7 joints' in said['panda'] and '1 suction cup, 6 joints' in said['ur5e']


def test_there_is_a_picture_of_each_robot_of_every_sheet_and_of_every_suite():
    sheets = {'props', 'textures', 'mechanisms', 'matter', 'cameras', 'disturbances', 'lohoravens', 'rooms'}
    robots = {f'robot_{name}' for name in profiles.robots()}
    assert {Path(name).stem for name in gallery.pictures()} == sheets | robots | {f'tasks_{family}' for family in families()}
    assert 'vlmbench' in families()


def test_the_command_writes_what_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(gallery, 'FOLDER', tmp_path / 'gallery')
    monkeypatch.setattr(gallery.robot, '__defaults__', (SIZE,))
    assert gallery.main(['robot_panda.png', 'robot_ur5e.png']) == 0
    assert {path.name for path in (tmp_path / 'gallery').iterdir()} == {'robot_panda.png', 'robot_ur5e.png'}
    assert len(capsys.readouterr().out.splitlines()) == 2
    with pytest.raises(SystemExit):
        gallery.main(['robot_pandas.png'])
    assert 'Did you mean robot_panda.png' in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_picture_that_is_committed_is_drawn_and_no_larger_than_500_kB(tmp_path, monkeypatch):
    monkeypatch.setattr(gallery, 'FOLDER', tmp_path / 'gallery')
    assert gallery.main([]) == 0
    sizes = {path.name: path.stat().st_size for path in (tmp_path / 'gallery').iterdir()}
    assert sizes.keys() == set(gallery.pictures())
    assert max(sizes.values()) < 500_000

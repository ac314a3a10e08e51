"""Every robot is drawn whole, from two sides that differ, large and lit, above a line of words."""

import re
from fnmatch import fnmatchcase
from pathlib import Path

import cv2
import numpy as np
import pytest

from vlm_bench_sim import profiles
from vlm_bench_sim.core.areas import AREAS
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.pages import gallery, task_sheet
from vlm_bench_tasks.pages.prop_sheet import TILE, sheet
from vlm_bench_tasks.pages.scene_sheet import families

SIZE = 96
COMMITTED = Path(__file__).parents[2] / 'docs' / 'gallery'


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
    sheets = {
        'props',
        'bottles',
        'cups',
        'textures',
        'household',
        'looks_clevrskills',
        'prompt',
        'mechanisms',
        'chests',
        'cabinets',
        'matter',
        'cameras',
        'frames',
        'perturbations',
        'lohoravens',
        'rooms',
        'rooms_arnold',
    }
    robots = {f'robot_{name}' for name in profiles.robots()}
    assert {Path(name).stem for name in gallery.pictures()} == sheets | robots | {f'tasks_{family}' for family in families()}
    assert {'vlmbench', 'lohoravens'} <= set(families())


def test_the_folder_holds_what_the_gallery_makes_and_nothing_else():
    """Drawing takes minutes, so here names are compared, and below what can be counted; `make gallery` renews all."""
    held = {path.name for path in COMMITTED.iterdir()}
    assert held == {'README.md', *gallery.files()}, 'run make gallery'
    assert set(gallery.files()) == set(gallery.pictures()) | {task_sheet.file(name) for name in catalogue.tasks()} | {'episode.webp'}
    assert max(path.stat().st_size for path in COMMITTED.iterdir()) < 500_000


@pytest.mark.parametrize('family', families())
def test_the_sheet_of_a_suite_has_a_row_for_each_of_its_tasks(family):
    found = cv2.imread(str(COMMITTED / f'tasks_{family}.jpg'))
    tasks = [name for name in catalogue.tasks() if name.startswith(f'{family}/')]
    views = profiles.cameras(family)
    blank = np.zeros((TILE, TILE, 3), dtype=np.uint8)
    assert found.shape == sheet([('', blank)] * (len(tasks) * len(views)), columns=len(views)).shape, 'run make gallery'


def test_the_table_of_the_folder_names_every_picture_once():
    patterns = [re.sub('<[^>]*>', '*', name) for name in re.findall(r'^\| `([^`]+)` \|', (COMMITTED / 'README.md').read_text(), re.M)]
    for name in gallery.files():
        assert len([pattern for pattern in patterns if fnmatchcase(name, pattern)]) == 1, name
    assert all(any(fnmatchcase(name, pattern) for name in gallery.files()) for pattern in patterns)


def test_the_page_of_the_folder_shows_every_sheet_once():
    shown = re.findall(r'^!\[.+\]\((.+)\)$', (COMMITTED / 'README.md').read_text(), re.M)
    assert sorted(shown) == sorted(name for name in gallery.pictures() if not name.startswith('robot_'))


def test_named_areas_are_outlined_in_the_pictures_of_their_tasks():
    built = catalogue.build('lohoravens/move_between_areas', 'train', 0)
    assert built.instruction.text == 'Pick up the blocks in the top left area and put them down in the bottom left area.'
    rims = task_sheet.outlines(built)
    for edges, area, color in ((rims[:4], AREAS['top_left'], 'dark'), (rims[4:], AREAS['bottom_left'], 'white')):
        assert [edge.color.name for edge in edges] == [color] * 4
        corners = np.concatenate([edge.pose.apply(edge.solid.vertices) for edge in edges])
        middle, half = np.asarray(area.pose.position[:2]), np.asarray(area.size) / 2
        assert np.abs(corners[:, :2] - middle).max(axis=0) == pytest.approx(half + 0.003)
    assert all(rim.ghost for rim in rims)
    assert task_sheet.outlines(catalogue.build('lohoravens/match_bowls', 'train', 0)) == ()


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
    assert sizes.keys() == set(gallery.files())
    assert max(sizes.values()) < 500_000

"""The page of facts for policies says what profiles say, and its example grasps what a pixel shows."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vlm_bench_sim import profiles
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.pages import frames_sheet
from vlm_bench_tasks.pages.policy_page import policy_page
from vlm_bench_tasks.policy import Played
from vlm_bench_tasks.run import Bench

PAGE = policy_page('head')
RED, BLUE = Color('red', (1.0, 0.0, 0.0)), Color('blue', (0.0, 0.0, 1.0))


def rows(start: str) -> list[list[str]]:
    """Return the cells of all rows of tables of the page that begin with these characters."""
    return [[cell.strip() for cell in line.strip('|').split('|')] for line in PAGE.splitlines() if line.startswith(f'| {start}')]


@pytest.mark.parametrize('name', profiles.robots())
def test_the_hand_of_each_robot_is_told(name):
    (row,) = rows(f'[`{name}`]')
    profile = profiles.robot(name)
    assert row[1] == f'`{profile.tool_link}`' and f'{profile.tool.position[2]:.4g}' in row[2] and row[3].endswith(' mm')


def test_fingers_move_along_y_of_the_tool():
    """The page says so of every hand with fingers: opened, they part along that axis and along no other."""
    for name in ('panda', 'fr3'):
        assert rows(f'[`{name}`]')[0][4] == 'y of the tool'
        profile = profiles.robot(name)
        kinematics, home = Kinematics(profile), dict(zip(profile.joints, profile.home, strict=True))
        wide, shut = (kinematics.link_poses(home | dict.fromkeys(profile.gripper.joints, at)) for at in (0.04, 0.0))
        tool = (wide[profile.tool_link] @ profile.tool).inverse()
        moved = [np.subtract((tool @ wide[link]).position, (tool @ shut[link]).position) for link in wide if 'finger' in link]
        assert len(moved) == 2 and sorted(step[1] for step in moved) == pytest.approx([-0.04, 0.04])
        assert all(abs(step[axis]) < 1e-9 for step in moved for axis in (0, 2))


def test_each_camera_of_each_set_has_a_row():
    told = {(row[0], row[1]) for name in profiles.camera_sets() for row in rows(f'`{name}`')}
    assert told == {(f'`{name}`', f'`{camera.name}`') for name in profiles.camera_sets() for camera in profiles.cameras(name)}


def test_the_example_grasps_the_thing_that_its_pixel_shows():
    """As printed: in a real episode whose thing is painted red, seen by `front`."""
    namespace: dict[str, object] = {}
    (code,) = re.findall(r'```python\n(.*?)```', PAGE, re.DOTALL)
    exec(compile(code, 'policy_facts.md', 'exec'), namespace)
    seen = []

    class Watched(namespace['GraspPixel']):
        def act(self, observation):
            seen.append(observation)
            return super().act(observation)

    episode = catalogue.build('vlmbench/pick_place', 'seen', 1)
    wanted = episode.goal.prop.name
    scene = replace(episode.scene, props=tuple(replace(prop, color=RED if prop.name == wanted else BLUE) for prop in episode.scene.props))
    bench = Bench(cameras='vlmbench:front')
    bench.run(replace(episode, scene=scene), Played(Watched()))
    bench.close()
    assert [observation.outcome.done for observation in seen[1:]] == [True] * 5
    assert seen[4].outcome.stalled and seen[5].tool.position[2] > 0.1 and seen[5].opening > 0.01


def test_the_picture_of_the_frames_is_the_one_that_is_committed():
    """Names, sizes and the yellow way of the fingers, right and left of the tool."""
    picture = frames_sheet.frames()
    assert picture.shape[1] == 2 * frames_sheet.SIZE + 8 and Path('docs/gallery/frames.png').is_file()
    yellow = (picture == (255, 221, 0)).all(axis=2)[:, frames_sheet.SIZE :]
    columns = np.flatnonzero(yellow.any(axis=0)) - 8
    assert yellow.sum() > 200 and columns.min() < 0.2 * frames_sheet.SIZE and columns.max() > 0.8 * frames_sheet.SIZE

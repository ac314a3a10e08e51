"""Pictures of scenes that need not exist."""

from dataclasses import replace
from math import pi

import numpy as np
import pytest

from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.errors import SceneError, WorldError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.matter import Beads, inside, packed
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.core.scene import RobotStart, Scene
from vlm_bench_sim.core.shapes import usual_size
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.profiles import cameras, robot
from vlm_bench_sim.render.prompt import PromptPainter, as_described

(OBJECT,) = cameras('clevrskills:object', 96, 96)
(FRONT,) = cameras('vlmbench:front', 96, 96)
CUBE = Scene((Prop('cube', 'cube', (0.05, 0.05, 0.05), Color('red', (1.0, 0.0, 0.0)), 0.1),))


@pytest.fixture(scope='module')
def painter():
    profile = robot('panda')
    made = PromptPainter(profile, Kinematics(profile).link_poses)
    yield made
    made.close()


def test_an_object_stands_alone_in_the_middle_before_a_plain_ground(painter):
    picture = painter.picture(CUBE, OBJECT)
    assert set(np.unique(picture.ids)) == {0, 3}
    rows, columns = np.nonzero(picture.ids == 3)
    assert abs(rows.mean() - 47.5) < 2 and abs(columns.mean() - 47.5) < 2


def test_table_and_robot_are_shown_on_request(painter):
    assert set(np.unique(painter.picture(CUBE, FRONT, table=True).ids)) == {0, 1, 3}
    assert {1, 2} <= set(np.unique(painter.picture(CUBE, FRONT, robot=True, table=True).ids))


def test_the_robot_stands_as_the_scene_says(painter):
    bent = replace(CUBE, robot=RobotStart(joints=(1.2, 0.3, 0.0, -1.8, 0.0, 2.0, 0.0)))
    home, other = (painter.picture(scene, FRONT, robot=True).ids == 2 for scene in (CUBE, bent))
    assert (home != other).mean() > 0.02


def test_what_the_robot_holds_is_in_its_hand_wherever_it_was_described(painter):
    profile = robot('panda')
    links = Kinematics(profile).link_poses(dict(zip(profile.joints, profile.home, strict=True)))
    down = Pose.from_rpy((0.01, 0.0, 0.0), (pi, 0.0, 0.0))
    lying = replace(CUBE.props[0], pose=Pose((0.3, 0.4, 0.025)))
    there = replace(lying, pose=links[profile.tool_link] @ profile.tool @ down.inverse())
    held = painter.picture(Scene((lying,), robot=RobotStart(held='cube', grasp=down)), FRONT)
    free = painter.picture(Scene((there,)), FRONT)
    assert (free.ids == 3).any() and np.array_equal(held.ids == 3, free.ids == 3)


def test_beads_in_a_cup_that_is_held_are_in_the_hand_with_it(painter):
    mug = Prop('mug', 'mug1', usual_size('mug1'), Color('red', (1.0, 0.0, 0.0)), 0.1, pose=Pose((0.3, 0.4, 0.05)))
    beads = Beads('water', (*packed(mug, 5, np.random.default_rng(0)), (0.3, -0.3, 0.01)))
    grasp = Pose.from_rpy((0.0, 0.0, 0.03), (pi, 0.0, 0.0))
    tool = Pose.from_rpy((0.5, 0.0, 0.4), (pi, 0.0, 0.0))
    start = RobotStart(held='mug', grasp=grasp)
    seen = as_described(Scene((mug,), beads=(beads,), robot=start), {}, tool=tool)
    *within, beside = seen.beads['water']
    assert inside(mug.at(seen.pose('mug')), within).all()
    assert beside == (0.3, -0.3, 0.01)
    lying = as_described(Scene((mug,), beads=(beads,)), {}, tool=tool)
    assert (lying.beads['water'], lying.pose('mug')) == (beads.centres, mug.pose)


def test_a_camera_on_the_robot_looks_from_there_though_the_robot_is_not_shown(painter):
    (wrist,) = cameras('vlmbench:wrist', 96, 96)
    profile = robot('panda')
    links = Kinematics(profile).link_poses(dict(zip(profile.joints, profile.home, strict=True)))
    below = (links['panda_hand'] @ Pose((0.02, 0.0, 0.2))).position
    scene = Scene((replace(CUBE.props[0], pose=Pose(below)),))
    assert set(np.unique(painter.picture(scene, wrist).ids)) == {0, 3}


@pytest.mark.parametrize(
    ('scene', 'camera', 'error', 'words'),
    [
        (replace(CUBE, robot=RobotStart(joints=(0.0,) * 6)), FRONT, SceneError, '6 joint positions; panda has 7 joints'),
        (CUBE, Camera('eye', Pose(), link='panda_hnd'), WorldError, "'panda_hnd', a link"),
        (Scene((replace(CUBE.props[0], kind='cubee'),)), FRONT, SceneError, 'cubee'),
    ],
)
def test_what_cannot_be_drawn_is_refused(painter, scene, camera, error, words):
    with pytest.raises(error, match=words):
        painter.picture(scene, camera)
    assert (painter.picture(CUBE, OBJECT).ids == 3).any(), 'and the next picture is drawn all the same'

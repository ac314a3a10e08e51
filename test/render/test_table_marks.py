"""What is drawn over a picture of the table that a person lays."""

import numpy as np
import pytest

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.profiles import cameras
from vlm_bench_sim.render.table_marks import marked
from vlm_bench_tasks import catalogue

(CAMERA,) = cameras('vlmbench:overhead', 512, 512)
PROPS = catalogue.build('vlmbench/pick_place', 'seen', 1000).scene.props
GROUND = np.full((512, 512, 3), 150, np.uint8)


def changed(scene):
    return (marked(GROUND, CAMERA, scene) != GROUND).any(axis=2)


def at(*point):
    across, down = CAMERA.project(np.array([point]), CAMERA.pose)[0].round().astype(int)
    return down, across


def test_lines_are_drawn_every_ten_centimetres_of_the_table():
    lines = changed(Scene(()))
    assert lines[at(0.5, 0.13, 0)] and lines[at(0.53, -0.2, 0)], 'a line where x is 50 cm, and where y is -20 cm'
    assert not lines[at(0.55, 0.15, 0)], 'and none between'


@pytest.mark.parametrize('number', [1, 3])
def test_each_thing_has_its_number_and_a_small_one_is_not_hidden(number):
    prop = PROPS[number - 1]
    own = changed(Scene((prop,))) & ~changed(Scene(()))
    down, across = at(*prop.pose.position)
    near = own[down - 60 : down + 60, across - 60 : across + 60]
    assert near.sum() == own.sum() > 100, 'the number stands near it, and nowhere else'
    assert own[down, across] == (number == 1), 'on the tray, but beside the cylinder'


def test_a_thing_behind_the_camera_or_outside_of_its_picture_has_no_number():
    away = [PROPS[2].at(Pose((x, y, z))) for x, y, z in ((0.5, 0.0, 5.0), (5.0, 0.0, 0.0))]
    assert (marked(GROUND, CAMERA, Scene(tuple(away[:1]))) == marked(GROUND, CAMERA, Scene(()))).all()
    assert (marked(GROUND, CAMERA, Scene(tuple(away[1:]))) == marked(GROUND, CAMERA, Scene(()))).all()

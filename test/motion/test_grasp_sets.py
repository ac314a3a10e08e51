"""A grasp set is built once for a content, and again only when the content is another or the file cannot be read."""

import json
from dataclasses import replace

import pytest

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.protocols import Grasp
from vlm_bench_sim.core.shapes import kinds, solid
from vlm_bench_sim.motion import grasp_sets
from vlm_bench_sim.motion.collision import CollisionModel
from vlm_bench_sim.motion.grasp_sets import LARGE, GraspSets, content
from vlm_bench_sim.motion.gripper import GripperBody
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.profiles import robot

SIZE = (0.1, 0.1, 0.1)
BIG = next(kind for kind in kinds() if len(solid(kind).faces) >= LARGE)


class Counting:
    """Finds the same two grasps each time, and counts how often it was asked."""

    signature = 'a gripper'

    def __init__(self) -> None:
        self.asked = 0

    def sample(self, kind, size, friction):
        self.asked += 1
        return tuple(Grasp(Pose.from_rpy((0.1, 1 / 3, z), (0.1, 0.2, 0.3)), 0.04 + 1 / 7, 1 / 9) for z in (0.0, 0.1))


@pytest.fixture
def sampler():
    return Counting()


def test_a_set_is_built_once(sampler, tmp_path):
    sets = GraspSets(sampler, tmp_path)
    assert sets.find('cube', SIZE, 1.0) is sets.find('cube', SIZE, 1.0)
    assert sampler.asked == 1
    for other in (('star', SIZE, 1.0), ('cube', (0.1, 0.1, 0.11), 1.0), ('cube', SIZE, 0.9)):
        sets.find(*other)
    assert sampler.asked == 4


def test_a_small_shape_leaves_no_file_and_a_large_one_does(sampler, tmp_path):
    GraspSets(sampler, tmp_path).find('cube', SIZE, 1.0)
    assert not list(tmp_path.iterdir())
    GraspSets(sampler, tmp_path).find(BIG, SIZE, 1.0)
    assert len(list(tmp_path.iterdir())) == 1


def test_a_file_gives_the_same_grasps_to_the_last_bit(sampler, tmp_path):
    built = GraspSets(sampler, tmp_path).find(BIG, SIZE, 1.0)
    assert GraspSets(sampler, tmp_path).find(BIG, SIZE, 1.0) == built
    assert sampler.asked == 1


@pytest.mark.parametrize('text', ['', '{', '[[1, 2]]', '[["a"]]', '7', '[[0,0,0,0,0,0,0,0,0]]', '[[0,0,0,0,0,0,1,0.04,0.5,9]]'])
def test_a_file_that_holds_anything_else_is_built_again(sampler, tmp_path, text):
    built = GraspSets(sampler, tmp_path).find(BIG, SIZE, 1.0)
    (path,) = tmp_path.iterdir()
    path.write_text(text)
    assert GraspSets(sampler, tmp_path).find(BIG, SIZE, 1.0) == built
    assert sampler.asked == 2 and len(json.loads(path.read_text())) == 2


def test_no_more_files_are_kept_than_agreed(sampler, tmp_path, monkeypatch):
    monkeypatch.setattr(grasp_sets, 'MOST_FILES', 3)
    sets = GraspSets(sampler, tmp_path)
    for i in range(6):
        sets.find(BIG, (0.1, 0.1, 0.1 + i / 100), 1.0)
    assert len(list(tmp_path.iterdir())) == 3


def test_no_more_sets_are_kept_in_memory_than_agreed_and_the_one_asked_for_last_stays(sampler, tmp_path, monkeypatch):
    monkeypatch.setattr(grasp_sets, 'MOST_SETS', 2)
    sets = GraspSets(sampler, tmp_path)
    for friction in (0.1, 0.2, 0.1, 0.3, 0.1):
        sets.find('cube', SIZE, friction)
    assert sampler.asked == 3
    sets.find('cube', SIZE, 0.2)
    assert sampler.asked == 4


def test_another_mesh_under_the_same_name_is_another_content(monkeypatch):
    before = content('g', 'cube', SIZE, 1.0)
    cube = solid('cube').scaled(SIZE)
    monkeypatch.setattr(grasp_sets, 'sized', lambda kind, size: replace(cube, vertices=cube.vertices * 1.001))
    assert content('g', 'cube', SIZE, 1.0) != before


def test_grippers_differ_in_their_signature_and_twins_do_not():
    def signature(profile) -> str:
        return GripperBody(CollisionModel(Kinematics(profile))).signature

    panda = robot('panda')
    narrow = replace(panda, gripper=replace(panda.gripper, max_opening=0.07))
    assert len({signature(panda), signature(robot('ur5e')), signature(robot('xarm6')), signature(narrow)}) == 4
    assert signature(panda) == signature(panda)

"""MoveIt's adapter, over a stand-in of moveit_py's shape: MoveIt itself cannot be installed here."""

import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from moveit_stand_in import Builder, modules

from test.motion.planner_contract import CUBE, WALL, PlannerContract, down
from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.errors import ConfigError, PlanError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.protocols import PlanCode, PlanRequest
from vlm_bench_sim.motion.planner import MotionPlanner
from vlm_bench_sim.motion.planning import Route
from vlm_bench_sim.nodes.driving.moveit_planner import MoveItPlanner, planner_of
from vlm_bench_sim.profiles import robot
from vlm_bench_sim.ros import convert

PANDA = robot('panda')


class Searching:
    """Looks for a way around the wall if it is shown one, as MoveIt would."""

    def __init__(self) -> None:
        self.planner, self.asked, self.blind = MotionPlanner(PANDA), 0, False

    def __call__(self, start, goal, shown):
        self.asked += 1
        if self.blind:
            return list(np.linspace(start, goal, 20))
        around = (WALL,) if 'wall' in shown else ()
        route = Route(self.planner.kinematics, self.planner.collision.scene(around, opening=0.08).checker(0.005))
        found = route.direct(np.asarray(start), np.asarray(goal))
        return found if found is not None else route.around(np.asarray(start), np.asarray(goal), 1, 1.0)


@pytest.fixture
def search():
    return Searching()


@pytest.fixture
def subject(monkeypatch, search):
    for name, module in modules(PANDA.joints, search).items():
        monkeypatch.setitem(sys.modules, name, module)
    convert.interface.cache_clear()
    yield planner_of('moveit', PANDA)
    convert.interface.cache_clear()


class TestMoveIt(PlannerContract):
    """The planners' contract."""


def free(pose: Pose, **more) -> PlanRequest:
    return PlanRequest(PANDA.home, ToolPose(pose, allowed=more.pop('allowed', ())), **more)


def test_moveit_searches_free_paths_and_only_those(subject, search):
    subject.plan(free(down(0.5, 0.3, 0.2)))
    assert search.asked == 1
    home = subject.plan(free(down(0.5, 0.3, 0.2))).points[-1].positions
    subject.plan(PlanRequest(home, ToolPose(down(0.5, 0.3, 0.1), straight=True)))
    assert search.asked == 2


def test_moveit_is_shown_the_table_and_every_prop_but_what_may_be_touched(subject):
    subject.plan(free(down(0.5, 0.3, 0.2), obstacles=(CUBE, WALL), allowed=('cube',)))
    scene = subject._moveit.scene
    assert set(scene.objects) == {'table', 'wall'} and not scene.attached
    wall = scene.objects['wall']
    assert (wall.pose.position.x, wall.pose.position.z, wall.header.frame_id) == (0.5, 0.15, 'world')
    corners = np.array([(p.x, p.y, p.z) for p in wall.meshes[0].vertices])
    assert np.ptp(corners, axis=0) == pytest.approx(WALL.size) and len(wall.meshes[0].triangles) == 12
    table = np.array([(p.x, p.y, p.z) for p in scene.objects['table'].meshes[0].vertices])
    assert table[:, 2].max() + scene.objects['table'].pose.position.z == pytest.approx(-0.001)


def test_what_is_held_is_attached_and_gone_with_the_next_request(subject):
    held = CUBE.at(Pose((0.0, 0.0, 0.01)))
    subject.plan(free(down(0.5, 0.3, 0.2), held=held, opening=0.044))
    (attached,) = subject._moveit.scene.attached.values()
    assert attached.link_name == 'panda_hand' and set(attached.touch_links) == {'panda_hand', 'panda_leftfinger', 'panda_rightfinger'}
    assert attached.object.pose.position.z == pytest.approx(0.1034 + 0.01)
    subject.plan(free(down(0.5, 0.3, 0.2)))
    assert not subject._moveit.scene.attached and set(subject._moveit.scene.objects) == {'table'}


def test_a_path_through_a_prop_is_refused_whoever_found_it(subject, search):
    start = subject.plan(free(down(0.5, -0.25, 0.1))).points[-1].positions
    request = PlanRequest(start, ToolPose(down(0.5, 0.25, 0.1)), (WALL,))
    subject.plan(request)
    search.blind = True
    with pytest.raises(PlanError, match='our collision check') as caught:
        subject.plan(request)
    assert caught.value.code == PlanCode.NO_PATH


def test_a_group_that_moveit_does_not_know_is_refused_with_a_remedy(subject):
    with pytest.raises(ConfigError, match=r"no planning group 'arm'.*planner to ours"):
        planner_of('moveit', PANDA, 'arm')


def test_without_moveit_py_it_is_refused_with_a_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, 'moveit', None)
    with pytest.raises(ConfigError, match=r'moveit\.planning cannot be imported.*Install moveit_py'):
        planner_of('moveit', PANDA)


@pytest.mark.parametrize('name', ['auto', 'ours'])
def test_without_being_asked_for_it_is_ours(name):
    assert isinstance(planner_of(name, PANDA), MotionPlanner)


def test_a_planner_that_is_none_is_refused_with_near_names():
    with pytest.raises(ConfigError, match='moveit'):
        planner_of('moveti', PANDA)


def test_the_group_comes_from_the_controller(subject):
    assert isinstance(subject, MoveItPlanner)
    other = replace(PANDA, controller='scaled_arm_controller')
    with pytest.raises(ConfigError, match="'scaled_arm'"):
        planner_of('moveit', other)


def test_moveit_is_told_of_a_robot_by_its_package_if_there_is_one(subject, search, monkeypatch):
    assert subject._moveit.told is None, 'no package: the parameters of the node'
    root = Path(__file__).parents[2] / 'moveit'
    utils = ModuleType('moveit_configs_utils')
    utils.MoveItConfigsBuilder = type('Found', (Builder,), {'root': root})
    monkeypatch.setitem(sys.modules, 'moveit_configs_utils', utils)
    told = planner_of('moveit', PANDA)._moveit.told
    assert told['robot_description'] == PANDA.urdf, 'with meshes that are found'
    assert 'panda_arm' in told['robot_description_kinematics'] and told['plan_request_params']['planner_id'] == 'RRTConnect'
    utils.MoveItConfigsBuilder = type('Elsewhere', (Builder,), {'root': root / 'nowhere'})
    assert planner_of('moveit', PANDA)._moveit.told is None


def test_a_package_that_is_built_and_cannot_be_read_is_told(subject, tmp_path, monkeypatch):
    class Broken(Builder):
        def planning_pipelines(self, *, pipelines):
            raise KeyError('File pilz_cartesian_limits.yaml does not exist')

    utils = ModuleType('moveit_configs_utils')
    utils.MoveItConfigsBuilder = type('Found', (Broken,), {'root': Path(__file__).parents[2] / 'moveit'})
    monkeypatch.setitem(sys.modules, 'moveit_configs_utils', utils)
    with pytest.raises(ConfigError, match=r'panda_moveit_config cannot be read.*pilz'):
        planner_of('moveit', PANDA)

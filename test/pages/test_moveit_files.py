"""MoveIt's configuration packages, by the rules of those who read them: srdfdom, MoveItConfigsBuilder and the simple controller manager."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from vlm_bench_sim import profiles
from vlm_bench_sim.core.gripper import ParallelProfile
from vlm_bench_sim.motion.collision import CollisionModel
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.nodes.driving.moveit_planner import planner_of
from vlm_bench_sim.ros.names import arm_names
from vlm_bench_tasks.pages import moveit_files

ROOT = Path(__file__).parents[2]
ROBOTS = profiles.robots()


def folder(robot):
    return ROOT / moveit_files.FOLDER / moveit_files.package_of(robot)


def read(robot, name):
    return yaml.safe_load((folder(robot) / 'config' / f'{name}.yaml').read_text())


def srdf(robot):
    return ElementTree.parse(folder(robot) / 'config' / f'{robot}.srdf').getroot()


def urdf(robot):
    return ElementTree.fromstring(profiles.robot(robot).urdf)


def chain(robot, base, tip):
    """The joints from one link to another, in order; srdfdom walks from the tip to the base."""
    parents = {joint.find('child').get('link'): joint for joint in urdf(robot).iter('joint')}
    found = []
    while tip != base:
        found.append(parents[tip])
        tip = parents[tip].find('parent').get('link')
    return [joint.get('name') for joint in reversed(found) if joint.get('type') != 'fixed']


def test_there_is_a_package_for_each_robot_and_no_other_file():
    known = {folder(robot) / path for robot in ROBOTS for path in moveit_files.paths(robot)}
    assert {path for path in (ROOT / moveit_files.FOLDER).rglob('*') if path.is_file()} == known


@pytest.mark.parametrize('robot', ROBOTS)
def test_the_builder_finds_every_file_where_it_looks(robot):
    """`MoveItConfigsBuilder(robot)` takes URDF and SRDF from .setup_assistant, and the rest by their names in config/."""
    config = yaml.safe_load((folder(robot) / '.setup_assistant').read_text())['moveit_setup_assistant_config']
    assert config['urdf']['package'] == 'vlm_bench_sim' and (ROOT / config['urdf']['relative_path']).is_file()
    assert (folder(robot) / config['srdf']['relative_path']).is_file()
    manifest = ElementTree.parse(folder(robot) / 'package.xml').getroot()
    assert manifest.find('name').text == folder(robot).name and manifest.find('export/build_type').text == 'ament_cmake'
    cmake = (folder(robot) / 'CMakeLists.txt').read_text()
    assert f'project({folder(robot).name})' in cmake and 'DIRECTORY config' in cmake and 'FILES .setup_assistant' in cmake


@pytest.mark.parametrize('robot', ROBOTS)
def test_the_srdf_is_of_its_urdf_and_names_what_is_there(robot):
    """srdfdom refuses another robot's name, a chain that is none, and links, joints, groups and states that do not exist."""
    profile, semantic, model = profiles.robot(robot), srdf(robot), urdf(robot)
    assert semantic.tag == 'robot' and semantic.get('name') == model.get('name')
    links, joints = ({one.get('name') for one in model.iter(kind)} for kind in ('link', 'joint'))
    groups = {group.get('name'): group for group in semantic.findall('group')}
    arm = moveit_files.group_of(profile)
    assert set(groups) == {arm, moveit_files.HAND}
    (only,) = groups[arm].findall('chain')
    assert chain(robot, only.get('base_link'), only.get('tip_link')) == list(profile.joints)
    for one in semantic.iter('link'):
        assert one.get('name') in links
    for one in semantic.iter('joint'):
        assert one.get('name') in joints
    (state,) = semantic.findall('group_state')
    assert state.get('group') == arm
    assert {one.get('name'): float(one.get('value')) for one in state} == dict(zip(profile.joints, profile.home, strict=True))
    (hand,) = semantic.findall('end_effector')
    assert (hand.get('group'), hand.get('parent_group'), hand.get('parent_link')) == (moveit_files.HAND, arm, profile.tool_link)
    (virtual,) = semantic.findall('virtual_joint')
    assert (virtual.get('type'), virtual.get('parent_frame'), virtual.get('child_link')) == ('fixed', 'world', only.get('base_link'))


@pytest.mark.parametrize('robot', ROBOTS)
def test_what_is_never_checked_is_what_our_planner_does_not_check(robot):
    kinematics = Kinematics(profiles.robot(robot))
    _, links = CollisionModel(kinematics).robot_parts()
    pairs = {frozenset((one.get('link1'), one.get('link2'))) for one in srdf(robot).findall('disable_collisions')}
    assert all(len(two) == 2 for two in pairs), 'no link against itself'
    scene = CollisionModel(kinematics).scene()
    checked = {frozenset(two) for i, two in enumerate(scene.owners) if i not in scene._outside}
    every = {frozenset((a, b)) for a in links for b in links if a != b}
    assert pairs == every - checked and checked


@pytest.mark.parametrize('robot', ROBOTS)
def test_controllers_are_the_actions_of_our_interfaces(robot):
    """The simple controller manager joins the name and `action_ns`; it knows two types, and wants joints."""
    profile, content = profiles.robot(robot), read(robot, 'moveit_controllers')
    assert content['moveit_controller_manager'] == 'moveit_simple_controller_manager/MoveItSimpleControllerManager'
    manager = content['moveit_simple_controller_manager']
    assert set(manager) == {'controller_names', *manager['controller_names']}
    follow, _, grip = (row.name for row in arm_names(profile))
    actions = {f'/{name}/{manager[name]["action_ns"]}': manager[name] for name in manager['controller_names']}
    assert actions[follow]['type'] == 'FollowJointTrajectory' and actions[follow]['joints'] == list(profile.joints)
    if isinstance(profile.gripper, ParallelProfile):
        assert actions[grip]['type'] == 'GripperCommand' and actions[grip]['joints'] == list(profile.gripper.joints)
    assert set(actions) == {follow} | ({grip} if isinstance(profile.gripper, ParallelProfile) else set())


@pytest.mark.parametrize('robot', ROBOTS)
def test_limits_kinematics_and_pipeline_are_for_the_group_that_our_planner_asks_for(robot):
    profile = profiles.robot(robot)
    group = moveit_files.group_of(profile)
    (solver,) = read(robot, 'kinematics').items()
    assert solver[0] == group and re.fullmatch(r'\w+/\w+', solver[1]['kinematics_solver'])
    limits = read(robot, 'joint_limits')['joint_limits']
    assert [limits[name]['max_velocity'] for name in profile.joints] == list(profile.velocity)
    assert [limits[name]['max_acceleration'] for name in profile.joints] == list(profile.acceleration)
    ompl, cpp = read(robot, 'ompl_planning'), read(robot, 'moveit_cpp')
    assert set(ompl[group]['planner_configs']) <= set(ompl['planner_configs'])
    assert cpp['plan_request_params']['planner_id'] in ompl['planner_configs']
    assert cpp['planning_pipelines']['pipeline_names'] == ['ompl'] == [cpp['plan_request_params']['planning_pipeline']]
    assert cpp['planning_scene_monitor_options']['joint_state_topic'] == '/joint_states'


def test_the_planner_asks_for_that_group(monkeypatch):
    from vlm_bench_sim.nodes.driving import moveit_planner

    asked = []
    monkeypatch.setattr(moveit_planner, 'MoveItPlanner', lambda _ours, group: asked.append(group))
    for robot in ROBOTS:
        planner_of('moveit', profiles.robot(robot))
    assert asked == [moveit_files.group_of(profiles.robot(robot)) for robot in ROBOTS]

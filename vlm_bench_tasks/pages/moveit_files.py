"""MoveIt's configuration packages of our robots: what MoveIt must know of a robot, from its profile and our collision model.

The names of files and keys are those that `moveit_configs_utils` and `moveit_simple_controller_manager` read; the SRDF is that of srdfdom.
"""

from functools import cache
from itertools import combinations
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import yaml

from vlm_bench_sim import profiles
from vlm_bench_sim.core.frames import ROOT
from vlm_bench_sim.core.gripper import ParallelProfile
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.motion.collision import CollisionModel
from vlm_bench_sim.motion.kinematics import Kinematics

FOLDER = 'moveit'
"""The folder of the packages, in the repository."""

HAND = 'hand'
"""The group of the gripper, and its end effector."""

_HEAD = 'Written by `make docs` from {}; a test fails when it is stale. Do not edit.'
_PIPELINE = {
    'planning_plugins': ['ompl_interface/OMPLPlanner'],
    'request_adapters': [
        'default_planning_request_adapters/ResolveConstraintFrames', 'default_planning_request_adapters/ValidateWorkspaceBounds',
        'default_planning_request_adapters/CheckStartStateBounds', 'default_planning_request_adapters/CheckStartStateCollision',
    ],
    'response_adapters': [
        'default_planning_response_adapters/AddTimeOptimalParameterization', 'default_planning_response_adapters/ValidateSolution',
    ],
    'planner_configs': {'RRTConnect': {'type': 'geometric::RRTConnect', 'range': 0.0}},
}  # fmt: skip
_SCENE = {
    'name': 'planning_scene_monitor', 'robot_description': 'robot_description', 'joint_state_topic': '/joint_states',
    'attached_collision_object_topic': '/moveit_cpp/attached_collision_object',
    'publish_planning_scene_topic': '/moveit_cpp/publish_planning_scene',
    'monitored_planning_scene_topic': '/moveit_cpp/monitored_planning_scene', 'wait_for_initial_state_timeout': 10.0,
}  # fmt: skip
_CARTESIAN = {'max_trans_vel': 1.0, 'max_trans_acc': 2.25, 'max_trans_dec': -5.0, 'max_rot_vel': 1.57}
"""Limits of the Pilz planner, m/s, m/s² and rad/s, by the setup assistant: the builder loads that planner unless told not to."""

_REQUEST = {
    'planning_attempts': 1, 'planning_pipeline': 'ompl', 'planner_id': 'RRTConnect', 'planning_time': 2.0,
    'max_velocity_scaling_factor': 1.0, 'max_acceleration_scaling_factor': 1.0,
}  # fmt: skip
_CMAKE = """\
# {head}
cmake_minimum_required(VERSION 3.16)
project({package})

find_package(ament_cmake REQUIRED)
install(DIRECTORY config DESTINATION share/${{PROJECT_NAME}})
install(FILES .setup_assistant DESTINATION share/${{PROJECT_NAME}})
ament_package()
"""
_PACKAGE = """\
<?xml version="1.0"?>
<!-- {head} -->
<package format="3">
  <name>{package}</name>
  <version>0.1.0</version>
  <description>MoveIt's configuration of the robot {robot} of vlm_bench</description>
  <maintainer email="vlm_bench@example.org">vlm_bench</maintainer>
  <license>Apache-2.0</license>
  <buildtool_depend>ament_cmake</buildtool_depend>
  <exec_depend>vlm_bench_sim</exec_depend>
  <exec_depend>moveit_configs_utils</exec_depend>
  <exec_depend>moveit_kinematics</exec_depend>
  <exec_depend>moveit_planners_ompl</exec_depend>
  <exec_depend>moveit_simple_controller_manager</exec_depend>
  <export>
    <build_type>ament_cmake</build_type>
  </export>
</package>
"""


def package_of(robot: str) -> str:
    """Return the name of the MoveIt configuration package of a robot, as `MoveItConfigsBuilder` expects it."""
    return f'{robot}_moveit_config'


def group_of(profile: RobotProfile) -> str:
    """Return the planning group of a robot's arm, which the planner asks for: its controller's name without the ending."""
    return profile.controller.removesuffix('_controller')


def paths(robot: str) -> tuple[str, ...]:
    """Return the files of a robot's package, by their paths in it."""
    named = ('kinematics', 'joint_limits', 'moveit_controllers', 'ompl_planning', 'pilz_cartesian_limits', 'moveit_cpp')
    return ('.setup_assistant', 'CMakeLists.txt', f'config/{robot}.srdf', *(f'config/{name}.yaml' for name in named), 'package.xml')


@cache
def package(robot: str) -> dict[str, str]:
    """Return the text of each file of a robot's package, by its path in it."""
    profile, head, name = profiles.robot(robot), _HEAD.format(f'config/robots/{robot}.yaml'), robot
    words = {'head': head, 'package': package_of(name), 'robot': name}
    pages = {
        'config/kinematics.yaml': {
            group_of(profile): {
                'kinematics_solver': 'kdl_kinematics_plugin/KDLKinematicsPlugin', 'kinematics_solver_search_resolution': 0.005,
                'kinematics_solver_timeout': 0.05,
            }
        },
        'config/joint_limits.yaml': _limits(profile),
        'config/moveit_controllers.yaml': _controllers(profile),
        'config/ompl_planning.yaml': _PIPELINE | {group_of(profile): {'planner_configs': list(_PIPELINE['planner_configs'])}},
        'config/pilz_cartesian_limits.yaml': {'cartesian_limits': _CARTESIAN},
        'config/moveit_cpp.yaml': {
            'planning_scene_monitor_options': _SCENE, 'planning_pipelines': {'pipeline_names': ['ompl']}, 'plan_request_params': _REQUEST,
        },
        '.setup_assistant': {
            'moveit_setup_assistant_config': {
                'urdf': {'package': 'vlm_bench_sim', 'relative_path': f'config/robots/{name}.urdf'},
                'srdf': {'relative_path': f'config/{name}.srdf'},
                'package_settings': {'author_name': 'vlm_bench', 'author_email': 'vlm_bench@example.org'},
            }
        },
    }  # fmt: skip
    texts = {path: f'# {head}\n' + yaml.safe_dump(content, sort_keys=False, width=120) for path, content in pages.items()}
    texts[f'config/{name}.srdf'] = _srdf(profile, head)
    return texts | {'CMakeLists.txt': _CMAKE.format(**words), 'package.xml': _PACKAGE.format(**words)}


def _limits(profile: RobotProfile) -> dict[str, object]:
    rows = {
        joint: {'has_velocity_limits': True, 'max_velocity': velocity, 'has_acceleration_limits': True, 'max_acceleration': acceleration}
        for joint, velocity, acceleration in zip(profile.joints, profile.velocity, profile.acceleration, strict=True)
    }
    return {'default_velocity_scaling_factor': 1.0, 'default_acceleration_scaling_factor': 1.0, 'joint_limits': rows}


def _controllers(profile: RobotProfile) -> dict[str, object]:
    """Return the controllers by our names. Cups have no joints, without which MoveIt takes no GripperCommand: they are not among them."""
    namespace, _, action = profile.gripper.action.rpartition('/')
    own: dict[str, object] = {
        profile.controller: {
            'type': 'FollowJointTrajectory', 'action_ns': 'follow_joint_trajectory', 'default': True, 'joints': list(profile.joints),
        }
    }  # fmt: skip
    if isinstance(profile.gripper, ParallelProfile):
        own[namespace] = {'type': 'GripperCommand', 'action_ns': action, 'default': True, 'joints': list(profile.gripper.joints)}
    return {
        'moveit_controller_manager': 'moveit_simple_controller_manager/MoveItSimpleControllerManager',
        'moveit_simple_controller_manager': {'controller_names': list(own), **own},
        'trajectory_execution': {
            'allowed_execution_duration_scaling': 1.2, 'allowed_goal_duration_margin': 0.5,
            'allowed_start_tolerance': profile.goal_tolerance,
        },
    }  # fmt: skip


def _srdf(profile: RobotProfile, head: str) -> str:
    """Return the semantic description: the arm as a chain, the gripper, the home position, and which links never need a check."""
    urdf = ElementTree.fromstring(profile.urdf)
    children = {joint.find('child').attrib['link'] for joint in urdf.iter('joint')}  # type: ignore[union-attr]
    base = next(link.attrib['name'] for link in urdf.iter('link') if link.attrib['name'] not in children)
    group, root = group_of(profile), Element('robot', name=urdf.attrib['name'])
    SubElement(SubElement(root, 'group', name=group), 'chain', base_link=base, tip_link=profile.tool_link)
    hand = SubElement(root, 'group', name=HAND)
    for link in profile.gripper.links:
        SubElement(hand, 'link', name=link)
    for joint in profile.gripper.joints:
        SubElement(hand, 'joint', name=joint)
    home = SubElement(root, 'group_state', name='home', group=group)
    for joint, value in zip(profile.joints, profile.home, strict=True):
        SubElement(home, 'joint', name=joint, value=f'{value:g}')
    SubElement(root, 'end_effector', name=HAND, parent_link=profile.tool_link, group=HAND, parent_group=group)
    SubElement(root, 'virtual_joint', name='world_joint', type='fixed', parent_frame=ROOT, child_link=base)
    for one, other, reason in _unchecked(profile):
        SubElement(root, 'disable_collisions', link1=one, link2=other, reason=reason)
    ElementTree.indent(root)
    return f'<?xml version="1.0"?>\n<!-- {head} -->\n' + ElementTree.tostring(root, encoding='unicode') + '\n'


def _unchecked(profile: RobotProfile) -> list[tuple[str, str, str]]:
    """Return the pairs of links that our planner does not check against each other either, with the reason."""
    kinematics = Kinematics(profile)
    model = kinematics.model
    _, links = CollisionModel(kinematics).robot_parts()
    joint = {link: int(model.frames[model.getFrameId(link)].parentJoint) for link in links}
    found = []
    for one, other in combinations(dict.fromkeys(links), 2):
        a, b = joint[one], joint[other]
        if a == b or model.parents[a] == b or model.parents[b] == a:
            found.append((one, other, 'Adjacent'))
        elif model.parents[a] == model.parents[b]:
            found.append((one, other, 'Never'))
    return found

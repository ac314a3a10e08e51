"""MoveIt behind the Planner protocol, if moveit_py is installed: MoveIt searches free paths, our planner does all else.

Arm positions at the target, allowed contacts, straight lines, constraints, grasps and timing stay ours. Each path from MoveIt is checked
again before use: it must be free by our own collision check, which knows what the gripper may touch and how deep things may overlap.
"""

from importlib import import_module
from typing import Any

import numpy as np

from vlm_bench_sim.core.command import Chunk, ToolPose
from vlm_bench_sim.core.errors import ConfigError, PlanError, near
from vlm_bench_sim.core.geometry import Floats, Pose
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.protocols import Feasibility, Grasp, PlanCode, PlanRequest
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import Table
from vlm_bench_sim.core.snapshot import TABLE
from vlm_bench_sim.motion.collision import CollisionModel
from vlm_bench_sim.motion.planner import MotionPlanner
from vlm_bench_sim.motion.search import CANDIDATES, Search, where
from vlm_bench_sim.ros import fields
from vlm_bench_sim.ros.convert import message

PLANNERS = ('auto', 'ours', 'moveit')
_NO_PACKAGE = 'PackageNotFoundError'  # of ament_index_python, which comes with ROS alone
_SUNK = 0.001  # m that the table is lowered for MoveIt, which knows no margins: props standing on it must not count as collisions


def planner_of(name: str, profile: RobotProfile, group: str = '') -> 'MotionPlanner | MoveItPlanner':
    """Return the planner of that name; auto means ours.

    Args:
        name: one of `PLANNERS`.
        profile: the robot.
        group: MoveIt's planning group; '': the controller's name without its ending, such as panda_arm.

    Raises:
        ConfigError: there is no such planner, or moveit_py cannot be imported.
    """
    if name not in PLANNERS:
        raise ConfigError(f'There is no planner called {name!r}. {near(name, PLANNERS)}')
    ours = MotionPlanner(profile)
    return MoveItPlanner(ours, group or profile.controller.removesuffix('_controller')) if name == 'moveit' else ours


class MoveItPlanner:
    """Plans with MoveIt for one robot.

    Args:
        ours: our planner, for everything but free paths.
        group: MoveIt's planning group with the robot's arm joints.

    Raises:
        ConfigError: moveit_py cannot be imported, or has no configuration of such a group.
    """

    def __init__(self, ours: MotionPlanner, group: str) -> None:
        self._ours, self._group = ours, group
        planning, state = _moveit('moveit.planning'), _moveit('moveit.core.robot_state')
        self._state_type = state.RobotState
        try:
            self._moveit = planning.MoveItPy(node_name='vlm_bench_moveit', **_configuration(ours.profile))
            self._component = self._moveit.get_planning_component(group)
        except RuntimeError as error:
            raise ConfigError(
                f'MoveIt has no planning group {group!r} for {ours.profile.name} ({error}). Build {ours.profile.name}_moveit_config of the '
                'folder moveit, or start the node with the parameters of another MoveIt configuration, or set planner to ours.'
            ) from error

    @property
    def profile(self) -> RobotProfile:
        """The robot."""
        return self._ours.profile

    @property
    def collision(self) -> CollisionModel:
        """Our own collision check."""
        return self._ours.collision

    def plan(self, request: PlanRequest) -> Chunk:
        """Return a trajectory within the robot's limits, one sample per control period, at rest at both ends.

        Raises:
            PlanError: none was found; its code says why.
        """
        return self._ours.plan_by(request, self._free)

    def check(self, request: PlanRequest, chain: tuple[ToolPose, ...]) -> Feasibility:
        """Check whether the tool can reach the poses of `chain` one after the other from `request.start`."""
        return self._ours.check(request, chain)

    def grasps(self, prop: Prop) -> tuple[Grasp, ...]:
        """Return diverse grasps of the prop, best first."""
        return self._ours.grasps(prop)

    def close(self) -> None:
        """Stop MoveIt."""
        self._moveit.shutdown()

    def _free(self, search: Search) -> Floats:
        self._lay(search.request)
        for goal, touched in search.goals()[:CANDIDATES]:
            found = self._searched(search.start, goal)
            knots = None if found is None else search.route(0.0, touched).smooth([search.start, *found[1:-1], goal])
            if knots is not None:
                return knots
        raise PlanError(
            f'MoveIt found no path to {where(search.request.target.pose)} that passes our collision check. Clear the way, or set planner '
            'to ours.',
            PlanCode.NO_PATH,
        )

    def _lay(self, request: PlanRequest) -> None:
        """Set MoveIt's obstacles: all but what the gripper may touch, and the held prop as attached."""
        table = _TABLE.at(_TABLE.pose.shifted((0.0, 0.0, request.floor)))
        stands = [table, *(prop for prop in request.obstacles if prop.name not in request.target.allowed)]
        with self._moveit.get_planning_scene_monitor().read_write() as scene:
            scene.process_attached_collision_object(_attached(None, self.profile))
            scene.remove_all_collision_objects()
            for prop in stands:
                scene.apply_collision_object(_object(prop, 'world'))
            if request.held is not None:
                scene.process_attached_collision_object(_attached(request.held, self.profile))

    def _searched(self, start: Floats, goal: Floats) -> list[Floats] | None:
        """Return the arm positions (rad) of MoveIt's path in the profile's joint order, or None if it finds none."""
        self._component.set_start_state(robot_state=self._state(start))
        self._component.set_goal_state(robot_state=self._state(goal))
        result = self._component.plan()
        if not result:
            return None
        path = result.trajectory.get_robot_trajectory_msg().joint_trajectory
        order = [list(path.joint_names).index(name) for name in self.profile.joints]
        return [np.asarray(point.positions, dtype=float)[order] for point in path.points]

    def _state(self, arm: Floats) -> Any:
        state = self._state_type(self._moveit.get_robot_model())
        state.joint_positions = dict(zip(self.profile.joints, arm.tolist(), strict=True))
        state.update()
        return state


_BOX = Table().box
_TABLE = Prop(TABLE, 'cube', _BOX.size, Table().color, 0.0, pose=Pose(_BOX.centre).shifted((0.0, 0.0, -_SUNK)))


def _object(prop: Prop, frame: str) -> Any:
    """Return a CollisionObject to add: the convex parts of a prop at its pose in a frame."""
    found = message('moveit_msgs/msg/CollisionObject', {'id': prop.name, 'header': {'frame_id': frame}, 'pose': fields.pose(prop.pose)})
    found.operation = found.ADD
    found.meshes = [_mesh(prop)]
    found.mesh_poses = [message('geometry_msgs/msg/Pose', {})]
    return found


def _mesh(prop: Prop) -> Any:
    shape = prop.solid
    mesh = message('shape_msgs/msg/Mesh', {})
    mesh.vertices = [message('geometry_msgs/msg/Point', dict(zip('xyz', corner, strict=True))) for corner in shape.vertices.tolist()]
    mesh.triangles = [message('shape_msgs/msg/MeshTriangle', {'vertex_indices': face}) for face in shape.faces.tolist()]
    return mesh


def _attached(prop: Prop | None, profile: RobotProfile) -> Any:
    """Return an AttachedCollisionObject: a prop in the gripper (its pose in the tool's frame), or None, which detaches everything."""
    found = message('moveit_msgs/msg/AttachedCollisionObject', {'link_name': profile.tool_link})
    found.touch_links = [profile.tool_link, *profile.gripper.links]
    if prop is None:
        found.object.operation = found.object.REMOVE
    else:
        found.object = _object(prop.at(profile.tool @ prop.pose), profile.tool_link)
    return found


def _configuration(profile: RobotProfile) -> dict[str, Any]:
    """Return what MoveItPy is told of a robot: its package of moveit/ with our URDF, if it is built; nothing: the node's own parameters.

    Raises:
        ConfigError: the package is built and cannot be read.
    """
    package = f'{profile.name}_moveit_config'
    try:
        builder = import_module('moveit_configs_utils').MoveItConfigsBuilder(profile.name, package_name=package)
        found = builder.planning_pipelines(pipelines=['ompl']).moveit_cpp().to_moveit_configs().to_dict()
    except ImportError:
        return {}
    except LookupError as error:
        if type(error).__name__ == _NO_PACKAGE:
            return {}
        raise ConfigError(f'The package {package} cannot be read: {error}. Build it anew from moveit/.') from error
    return {'config_dict': found | {'robot_description': profile.urdf}}


def _moveit(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise ConfigError(
            f'The planner moveit was requested, but {name} cannot be imported ({error}). Install moveit_py (ros-<distro>-moveit-py) '
            'and source its installation, or set planner to ours.'
        ) from error

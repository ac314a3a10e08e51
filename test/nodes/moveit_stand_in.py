"""Modules of the same shape as moveit_py and moveit_msgs, as far as the adapter uses them; paths come from our own search.

They keep the order of calls that MoveIt wants: attached objects are detached first, else removing all objects would leave them.
"""

from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace

import yaml
from geometry_msgs.msg import Pose as PoseMessage
from shape_msgs.msg import Mesh
from std_msgs.msg import Header


class CollisionObject:
    ADD, REMOVE = b'\x00', b'\x01'

    def __init__(self) -> None:
        self.header, self.pose, self.id, self.operation = Header(), PoseMessage(), '', self.ADD
        self.meshes: list[Mesh] = []
        self.mesh_poses: list[PoseMessage] = []


class AttachedCollisionObject:
    def __init__(self) -> None:
        self.link_name, self.object, self.touch_links = '', CollisionObject(), []


class RobotState:
    def __init__(self, model) -> None:
        assert model == 'model'
        self.joint_positions, self.updated = {}, False

    def update(self) -> None:
        self.updated = True


class Scene:
    def __init__(self) -> None:
        self.objects: dict[str, CollisionObject] = {}
        self.attached: dict[str, AttachedCollisionObject] = {}

    def remove_all_collision_objects(self) -> None:
        self.objects.clear()

    def apply_collision_object(self, found: CollisionObject) -> None:
        assert found.operation == found.ADD and len(found.meshes) == len(found.mesh_poses) == 1
        self.objects[found.id] = found

    def process_attached_collision_object(self, found: AttachedCollisionObject) -> None:
        if found.object.operation == found.object.REMOVE:
            self.objects |= {name: held.object for name, held in self.attached.items()}
            self.attached.clear()
        else:
            self.attached[found.object.id] = found


class Component:
    """Plans with what `search` returns for two lists of arm positions: a list of such, or None."""

    def __init__(self, joints, search) -> None:
        self._joints, self._search = joints, search

    def set_start_state(self, *, robot_state: RobotState) -> None:
        assert robot_state.updated
        self._start = [robot_state.joint_positions[name] for name in self._joints]

    def set_goal_state(self, *, robot_state: RobotState) -> None:
        assert robot_state.updated
        self._goal = [robot_state.joint_positions[name] for name in self._joints]

    def plan(self):
        path = self._search(self._start, self._goal)
        if path is None:
            return None
        turned = [SimpleNamespace(positions=[float(v) for v in arm][::-1]) for arm in path]
        message = SimpleNamespace(joint_trajectory=SimpleNamespace(joint_names=list(self._joints)[::-1], points=turned))
        return SimpleNamespace(trajectory=SimpleNamespace(get_robot_trajectory_msg=lambda: message))


class MoveItPy:
    def __init__(self, *, node_name: str, config_dict: dict | None = None) -> None:
        self.node_name, self.scene, self.told = node_name, Scene(), config_dict

    def get_planning_component(self, group: str) -> Component:
        if group != 'panda_arm':
            raise RuntimeError(f'Group {group} not found')
        return Component(self.joints, lambda start, goal: self.search(start, goal, set(self.scene.objects)))

    def get_planning_scene_monitor(self):
        @contextmanager
        def read_write():
            yield self.scene

        return SimpleNamespace(read_write=read_write)

    def get_robot_model(self) -> str:
        return 'model'


class PackageNotFoundError(KeyError):
    """As of ament_index_python."""


class Builder:
    """MoveItConfigsBuilder, as far as the adapter uses it: it reads a package of the folder `root`."""

    root = Path()

    def __init__(self, robot_name: str, *, package_name: str) -> None:
        self.folder, self.found = self.root / package_name, {}
        if not self.folder.is_dir():
            raise PackageNotFoundError(package_name)
        names = yaml.safe_load((self.folder / '.setup_assistant').read_text())['moveit_setup_assistant_config']
        self.found['robot_description_semantic'] = (self.folder / names['srdf']['relative_path']).read_text()
        self.found['robot_description'] = '<robot name="with meshes that nobody finds"/>'
        self.found['robot_description_kinematics'] = self._read('kinematics')
        self.found |= self._read('moveit_controllers')

    def _read(self, name: str) -> dict:
        return yaml.safe_load((self.folder / 'config' / f'{name}.yaml').read_text())

    def planning_pipelines(self, *, pipelines: list[str]) -> 'Builder':
        self.found |= {name: self._read(f'{name}_planning') for name in pipelines}
        return self

    def moveit_cpp(self) -> 'Builder':
        self.found |= self._read('moveit_cpp')
        return self

    def to_moveit_configs(self) -> 'Builder':
        return self

    def to_dict(self) -> dict:
        return self.found


def modules(joints, search) -> dict[str, ModuleType]:
    """Return what to put into sys.modules; `search(start, goal, names of the objects shown)` finds the paths."""
    made = {
        'moveit': {},
        'moveit.planning': {'MoveItPy': type('Bound', (MoveItPy,), {'joints': joints, 'search': staticmethod(search)})},
        'moveit.core': {},
        'moveit.core.robot_state': {'RobotState': RobotState},
        'moveit_msgs': {},
        'moveit_msgs.msg': {'CollisionObject': CollisionObject, 'AttachedCollisionObject': AttachedCollisionObject},
    }
    found = {}
    for name, members in made.items():
        found[name] = ModuleType(name)
        found[name].__dict__.update(members)
    return found

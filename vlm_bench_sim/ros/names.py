"""Every ROS name of the project, in one place: its type, QoS, server and visibility.

Nodes, recorder, docs and tests read this table; no other module spells a name.
"""

from dataclasses import dataclass, replace
from enum import Enum

from vlm_bench_sim.core.aids import IDS_AID
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.ros.signature import BENCH, PERSON


class Kind(Enum):
    """The kind of interface of a name."""

    TOPIC = 'topic'
    SERVICE = 'service'
    ACTION = 'action'


@dataclass(frozen=True)
class Name:
    """One row of the table.

    Attributes:
        name: absolute; a camera's rows hold `{camera}`.
        type: ROS interface, for example 'sensor_msgs/msg/Image'.
        kind: topic, service or action.
        server: the node that publishes the topic or serves the service or action; '' if any policy publishes it.
        private: True if only the bench may see it (a scored bench keeps such names in a second domain).
        occasional: True for a camera's topic that does not come with each of its pictures.
        aid: the aid that shows it to policies, too; '' if there is none.
        latched: transient_local: late subscribers receive the last message.
        depth: queue depth.
        recorded: True if bags hold it.
        signed: the key that signs it if a bench has one (`sim.ros.keyring`): the bench's or its person's; '': none.
        note: a remark for readers of the docs.
    """

    name: str
    type: str
    kind: Kind = Kind.TOPIC
    server: str = 'sim_node'
    private: bool = False
    latched: bool = False
    depth: int = 10
    recorded: bool = True
    note: str = ''
    signed: str = ''
    aid: str = ''
    occasional: bool = False

    def shown(self, *aids: str) -> 'Name':
        """Return this row if policies are given these aids: public if one of the aids shows it."""
        return replace(self, private=False) if self.aid in aids and self.aid else self

    def camera(self, name: str) -> 'Name':
        """Return this row for one camera."""
        return replace(self, name=self.name.format(camera=name))


def _service(name: str, type_: str, server: str, note: str, *, private: bool = False, kind: Kind = Kind.SERVICE, signed: str = '') -> Name:
    return Name(name, type_, kind, server, private, recorded=False, note=note, signed=signed)


CLOCK = Name('/clock', 'rosgraph_msgs/msg/Clock', depth=1, note='monotonic, also across resets; once a control period')
JOINT_STATES = Name('/joint_states', 'sensor_msgs/msg/JointState', depth=100, note='arm and fingers: position, velocity, effort')
ROBOT_DESCRIPTION = Name('/robot_description', 'std_msgs/msg/String', latched=True, depth=1, note='URDF')
TF = Name('/tf', 'tf2_msgs/msg/TFMessage', depth=100, note='root `world`')
TF_STATIC = Name('/tf_static', 'tf2_msgs/msg/TFMessage', latched=True, depth=1, note='cameras that do not move, fixed links')
TCP_POSE = Name('/arm/tcp_pose', 'geometry_msgs/msg/PoseStamped', note='tool centre point in `world`')

_CAMERA = '/cameras/{camera}/'
COLOR = Name(_CAMERA + 'color/image_raw', 'sensor_msgs/msg/Image', depth=5, recorded=False, note='`rgb8`')
COLOR_INFO = Name(_CAMERA + 'color/camera_info', 'sensor_msgs/msg/CameraInfo', depth=5, note='same stamp and frame as the image')
COLOR_JPEG = Name(_CAMERA + 'color/image_raw/compressed', 'sensor_msgs/msg/CompressedImage', depth=5, note='jpeg')
DEPTH = Name(_CAMERA + 'aligned_depth_to_color/image_raw', 'sensor_msgs/msg/Image', depth=5, note='`16UC1` mm, 0 invalid (or `32FC1` m)')
DEPTH_INFO = Name(_CAMERA + 'aligned_depth_to_color/camera_info', 'sensor_msgs/msg/CameraInfo', depth=5)
SEGMENTATION = Name(
    _CAMERA + 'segmentation/image_raw', 'sensor_msgs/msg/Image', private=True, depth=5, aid=IDS_AID,
    note='`16UC1` instance ids; public with the aid segmentation',
)  # fmt: skip
LABELS = Name(
    _CAMERA + 'segmentation/labels', 'vlm_bench_msgs/msg/Labels', private=True, latched=True, depth=1, aid=IDS_AID,
    note='id, name and part of each instance; public with the aid segmentation',
)  # fmt: skip
BOXES = Name(
    _CAMERA + 'segmentation/boxes', 'vlm_bench_msgs/msg/ObjectBoxes', private=True, depth=5,
    note='box, pixels and visibility of each object in the picture',
)  # fmt: skip
KEY_STEP = Name(
    _CAMERA + 'key_step/image_raw/compressed', 'sensor_msgs/msg/CompressedImage', private=True, occasional=True,
    note='jpeg, at each key step: a clause of the goal that was false becomes true',
)  # fmt: skip
KEY_STEP_WITHOUT_ROBOT = replace(KEY_STEP, name=_CAMERA + 'key_step_without_robot/image_raw/compressed', note='the same without the robot')
KEY_STEP_NAMES = (KEY_STEP, KEY_STEP_WITHOUT_ROBOT)
CAMERA_NAMES = (COLOR, COLOR_INFO, COLOR_JPEG, DEPTH, DEPTH_INFO, SEGMENTATION, LABELS, BOXES, *KEY_STEP_NAMES)

FOLLOW = _service(
    '/{controller}/follow_joint_trajectory', 'control_msgs/action/FollowJointTrajectory', 'sim_node', 'as in ros2_controllers',
    kind=Kind.ACTION,
)  # fmt: skip
CHUNK = Name('/{controller}/joint_trajectory', 'trajectory_msgs/msg/JointTrajectory', server='', note="a policy's action chunk")
GRIPPER = _service('/{gripper}', 'control_msgs/action/GripperCommand', 'sim_node', 'a grasp succeeds with `stalled`', kind=Kind.ACTION)
PARALLEL_GRIPPER = _service(
    '/{gripper_controller}/parallel_gripper_cmd',
    'control_msgs/action/ParallelGripperCommand',
    'sim_node',
    'the same, with positions of the finger joints; a goal on one action aborts the goal on the other',
    kind=Kind.ACTION,
)
DELTA_TWIST = Name(
    '/arm/delta_twist_cmds', 'geometry_msgs/msg/TwistStamped', server='', note='twist of the tool for one control period; rules below'
)
POSE_TARGET = Name(
    '/arm/pose_target_cmds', 'geometry_msgs/msg/PoseStamped', server='', note='the tool moves towards this pose; rules below'
)
SERVO_STATUS = Name('/arm/servo_status', 'std_msgs/msg/Int8', server='arm_node', note='MoveIt Servo codes for twists and pose targets')
MOVE_TCP = _service('/arm/move_tcp', 'vlm_bench_msgs/action/MoveTcp', 'arm_node', 'planned, collision-free', kind=Kind.ACTION)
PLAN = _service('/arm/plan', 'vlm_bench_msgs/srv/Plan', 'arm_node', 'feasible, cost, reason')
GRASPS = _service('/arm/grasps', 'vlm_bench_msgs/srv/Grasps', 'arm_node', 'grasps of a given prop')
PICK_PLACE = _service(
    '/arm/pick_place', 'vlm_bench_msgs/action/PickPlace', 'pick_place_node', 'by words, by pixels or by poses', kind=Kind.ACTION
)

RENDER_PICTURE = _service(
    '/render_picture', 'vlm_bench_msgs/srv/RenderPicture', 'picture_node', 'draws a picture of a scene; needs no simulator'
)

INSTRUCTION = Name('/task/instruction', 'vlm_bench_msgs/msg/Instruction', server='task_node', latched=True, depth=1, signed=BENCH)
EPISODE = Name(
    '/task/episode', 'vlm_bench_msgs/msg/Episode', server='task_node', latched=True, depth=1, note='without seed, goal and plan',
    signed=BENCH,
)  # fmt: skip
STATUS = Name('/task/status', 'vlm_bench_msgs/msg/Status', server='task_node', latched=True, depth=1, signed=BENCH)
REPORT = Name(
    '/task/report', 'vlm_bench_msgs/msg/Report', server='monitor_node', latched=True, depth=1, note='when the episode has ended',
    signed=BENCH,
)  # fmt: skip
START_EPISODE = _service(
    '/task/start_episode', 'vlm_bench_msgs/srv/StartEpisode', 'task_node', 'returns a token, or an error with similar names', signed=BENCH
)
STOP_EPISODE = _service('/task/stop', 'vlm_bench_msgs/srv/StopEpisode', 'task_node', 'the policy is done')

AGENT_STEP = Name('/agents/step', 'vlm_bench_msgs/msg/PlannedStep', server='planner_node', latched=True, depth=1, note='one step, or DONE')
AGENT_DEED = Name('/agents/deed', 'vlm_bench_msgs/msg/Deed', server='actor_node', latched=True, depth=1, note='outcome of a step')
AGENT_REPORT = Name(
    '/agents/report', 'vlm_bench_msgs/msg/AgentReport', server='reporter_node', latched=True, depth=100,
    note='the scene in words, and whether the step has succeeded; a planner receives nothing else about the scene',
)  # fmt: skip
AGENT_COURSE = Name(
    '/agents/course', 'vlm_bench_msgs/msg/Course', server='actor_node', latched=True, depth=1, note='steps and problems so far'
)

TICK = Name(
    '/sim/tick',
    'vlm_bench_msgs/msg/Tick',
    depth=100,
    note='lockstep: a control period has passed; in a pause, late joiners receive the last tick',
    signed=BENCH,
)
LAG = Name('/sim/lag', 'std_msgs/msg/Float64', note='realtime: delay of simulated time behind the wall clock, s; once a control period')
ACK = Name(
    '/sim/ack', 'vlm_bench_msgs/msg/Ack', server='', depth=100, recorded=False, note='lockstep: a participant is ready', signed=BENCH
)
JOIN = _service('/sim/join', 'vlm_bench_msgs/srv/Join', 'sim_node', 'joins the barrier; on a real arm: observer_node', signed=BENCH)

WORLD_STATE = Name(
    '/truth/world_state', 'vlm_bench_msgs/msg/WorldState', private=True, depth=100,
    note='once a control period; in a pause, late joiners receive the last state', signed=BENCH,
)  # fmt: skip
COMMANDED = Name(
    '/truth/commanded', 'vlm_bench_msgs/msg/WorldAction', private=True, depth=100, note='commands that the robot receives', signed=BENCH
)
APPLIED = Name(
    '/truth/applied', 'vlm_bench_msgs/msg/WorldAction', private=True, depth=100,
    note='every action on the world, including noise, mishaps and services; sufficient to replay the episode', signed=BENCH,
)  # fmt: skip
SCENE = Name('/truth/scene', 'vlm_bench_msgs/msg/SceneDescription', private=True, latched=True, depth=1, signed=BENCH)
EPISODE_TRUTH = Name(
    '/truth/episode', 'vlm_bench_msgs/msg/EpisodeTruth', server='task_node', private=True, latched=True, depth=1, signed=BENCH
)
RUNNING_REPORT = Name(
    '/truth/report', 'vlm_bench_msgs/msg/Report', server='monitor_node', private=True,
    note='once a control period, while the episode runs', signed=BENCH,
)  # fmt: skip
EVENTS = Name(
    '/truth/events', 'vlm_bench_msgs/msg/Event', server='', private=True, depth=100,
    note='what the judge must know but no snapshot shows', signed=BENCH,
)  # fmt: skip
SET_LOOK = _service(
    '/vlm_bench_sim/set_look', 'vlm_bench_msgs/srv/SetLook', 'sim_node', 'for cues: changes the look of a prop, never its physics',
    private=True, signed=BENCH,
)  # fmt: skip
DRAW_KEY_STEP = _service(
    '/vlm_bench_sim/draw_key_step', 'std_srvs/srv/Trigger', 'sim_node', 'draws the present state for the topics of key steps', private=True
)
LOAD_SCENE = _service(
    '/vlm_bench_sim/load_scene', 'vlm_bench_msgs/srv/LoadScene', 'sim_node', 'lay out a scene', private=True, signed=BENCH
)
DRAW_PROMPT = _service(
    '/truth/draw_prompt', 'vlm_bench_msgs/srv/DrawPrompt', 'picture_node', 'the pictures of an instruction', private=True, signed=BENCH
)

QUESTION = Name(
    '/person/question', 'vlm_bench_msgs/msg/Question', server='', private=True, latched=True, depth=1, note='on a real arm: to a person',
    signed=PERSON,
)  # fmt: skip
ANSWER = Name('/person/answer', 'vlm_bench_msgs/msg/Answer', server='', private=True, note='on a real arm: from a person', signed=PERSON)
TRACKED = Name(
    '/tracker/poses',
    'tf2_msgs/msg/TFMessage',
    server='',
    private=True,
    depth=100,
    note='on a real arm: poses from your own tracker; child frames are named like props, or `mechanism/link`; the parent is `world`',
)
STAND_IN_STATE = Name(
    '/stand_in/state', 'vlm_bench_msgs/msg/WorldState', server='physics_driver_node', private=True, depth=100,
    note="the truth of a stand-in for a real arm, to compare verdicts with; only with the driver's parameter `truth`",
)  # fmt: skip


def _simulation(name: str, interface: str, note: str) -> Name:
    kind = Kind.ACTION if interface.startswith('action/') else Kind.SERVICE
    return _service(f'/vlm_bench_sim/{name}', f'simulation_interfaces/{interface}', 'sim_node', note, private=True, kind=kind)


SIMULATOR_FEATURES = _simulation('get_simulator_features', 'srv/GetSimulatorFeatures', 'supported features of simulation_interfaces')
SIMULATION_STATE = _simulation('get_simulation_state', 'srv/GetSimulationState', 'playing, paused or stopped')
SET_SIMULATION_STATE = _simulation('set_simulation_state', 'srv/SetSimulationState', 'pausing aborts goals; the robot holds')
RESET_SIMULATION = _simulation('reset_simulation', 'srv/ResetSimulation', 'aborts goals; the clock goes on')
STEP_SIMULATION = _simulation('step_simulation', 'srv/StepSimulation', 'control periods; only while paused')
SIMULATE_STEPS = _simulation('simulate_steps', 'action/SimulateSteps', 'the same with feedback and cancel')
SPAWN_ENTITY = _simulation('spawn_entity', 'srv/SpawnEntity', 'a prop, from `vlm_bench://<shape>?…` or the JSON of a Prop')
SPAWN_ENTITIES = _simulation('spawn_entities', 'srv/SpawnEntities', 'all or none')
DELETE_ENTITY = _simulation('delete_entity', 'srv/DeleteEntity', 'a prop')
ENTITIES = _simulation('get_entities', 'srv/GetEntities', 'props, furniture with its links, table and robot; no beads, no dirt')
ENTITIES_STATES = _simulation('get_entities_states', 'srv/GetEntitiesStates', 'poses and twists; a link moves with its joint')
ENTITY_STATE = _simulation('get_entity_state', 'srv/GetEntityState', 'pose and twist')
SET_ENTITY_STATE = _simulation('set_entity_state', 'srv/SetEntityState', 'pose and twist of a prop')
ENTITY_INFO = _simulation('get_entity_info', 'srv/GetEntityInfo', 'category, description, tags')
ENTITY_BOUNDS = _simulation('get_entity_bounds', 'srv/GetEntityBounds', 'a box')
SPAWNABLES = _simulation('get_spawnables', 'srv/GetSpawnables', 'the shapes')
UNSUPPORTED = tuple(
    _simulation(name, f'srv/{type_}', 'answers that it is not supported')
    for name, type_ in (
        ('set_entity_info', 'SetEntityInfo'), ('get_named_poses', 'GetNamedPoses'), ('get_named_pose_bounds', 'GetNamedPoseBounds'),
        ('load_world', 'LoadWorld'), ('unload_world', 'UnloadWorld'), ('get_current_world', 'GetCurrentWorld'),
        ('get_available_worlds', 'GetAvailableWorlds'),
    )
)  # fmt: skip
SIMULATION = (
    SIMULATOR_FEATURES, SIMULATION_STATE, SET_SIMULATION_STATE, RESET_SIMULATION, STEP_SIMULATION, SIMULATE_STEPS,
    SPAWN_ENTITY, SPAWN_ENTITIES, DELETE_ENTITY, ENTITIES, ENTITIES_STATES, ENTITY_STATE, SET_ENTITY_STATE, ENTITY_INFO, ENTITY_BOUNDS,
    SPAWNABLES, *UNSUPPORTED,
)  # fmt: skip

FIXED = (
    CLOCK, JOINT_STATES, ROBOT_DESCRIPTION, TF, TF_STATIC, TCP_POSE, DELTA_TWIST, POSE_TARGET, SERVO_STATUS, MOVE_TCP, PLAN, GRASPS,
    PICK_PLACE, RENDER_PICTURE, INSTRUCTION, EPISODE, STATUS, REPORT, START_EPISODE, STOP_EPISODE,
    AGENT_STEP, AGENT_DEED, AGENT_REPORT, AGENT_COURSE, TICK, LAG, ACK, JOIN,
    WORLD_STATE, COMMANDED, APPLIED, SCENE, EPISODE_TRUTH, RUNNING_REPORT, EVENTS, LOAD_SCENE, SET_LOOK, DRAW_KEY_STEP,
    DRAW_PROMPT,
    QUESTION, ANSWER, TRACKED, STAND_IN_STATE, *SIMULATION,
)  # fmt: skip


def arm_names(profile: RobotProfile) -> tuple[Name, Name, Name]:
    """Return the robot's own names: trajectory action, trajectory topic, gripper action."""
    return (
        replace(FOLLOW, name=FOLLOW.name.format(controller=profile.controller)),
        replace(CHUNK, name=CHUNK.name.format(controller=profile.controller)),
        replace(GRIPPER, name=GRIPPER.name.format(gripper=profile.gripper.action)),
    )


def parallel_gripper(profile: RobotProfile) -> Name:
    """Return the robot's ParallelGripperCommand action; ros2_controllers' name for it is taken by the GripperCommand action."""
    controller = profile.gripper.action.rpartition('/')[0]
    return replace(PARALLEL_GRIPPER, name=PARALLEL_GRIPPER.name.format(gripper_controller=controller))


def camera_names(cameras: tuple[str, ...]) -> tuple[Name, ...]:
    """Return all camera topics of the named cameras."""
    return tuple(row.camera(name) for name in cameras for row in CAMERA_NAMES)


def picture_names(camera: str) -> tuple[Name, ...]:
    """Return the topics of a camera that come with each of its pictures."""
    return tuple(row for row in camera_names((camera,)) if not (row.latched or row.occasional))


def recorded(profile: RobotProfile, cameras: tuple[str, ...]) -> tuple[Name, ...]:
    """Return the topics that a bag holds."""
    return tuple(row for row in (*FIXED, *arm_names(profile), *camera_names(cameras)) if row.kind is Kind.TOPIC and row.recorded)

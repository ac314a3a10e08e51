"""The description of the ROS graph: nodes and their parameters. The launch files, `vlm-bench up` and `vlm-bench real` all use it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import yaml

from vlm_bench_sim.assets import config, share
from vlm_bench_sim.core import aids, arithmetic
from vlm_bench_sim.core.aids import GUIDING
from vlm_bench_sim.core.errors import ConfigError, near, quoted
from vlm_bench_sim.core.timing import periods_between
from vlm_bench_tasks.sizes import HEIGHT, WIDTH

PACKAGE = 'vlm_bench_sim'
MODES = ('lockstep', 'realtime')
POLICIES = ('oracle', 'agents', 'none')
PLANNERS = ('rules', 'chat', 'none')
REPORTERS = ('truth', 'vision', 'silent', 'none')
RECORDS = 'records'  # default folder for bags
ARENAS = {'MALLOC_ARENA_MAX': '1'}  # with one arena per thread, freed memory accumulates over hundreds of episodes


@dataclass(frozen=True)
class Setting:
    """An argument of a launch file, and the option of the same name of its command."""

    default: Any
    help: str


SETTINGS = {
    'task': Setting('vlmbench/pick_place', 'id of the task'),
    'split': Setting('', 'pool of the task, such as seen; empty: its first'),
    'seed': Setting(0, 'random seed'),
    'axis': Setting('', 'what varies; empty: the first axis of the task'),
    'prompt': Setting('', 'how the policy is asked: words, pictures or pictures,first_frame; empty: the first that the task has'),
    'policy': Setting('none', 'oracle; agents: planner, actor and reporter; module:Class: your own Policy; none: your own node'),
    'policy_args': Setting('', 'arguments of a module:Class: name=value separated by commas, or a JSON object of strings'),
    'step_planner': Setting('rules', 'planner of agents: rules; chat: the model of VLM_BENCH_LLM_BASE_URL and _MODEL; none: your own node'),
    'reporter': Setting('truth', 'reporter of agents: truth; vision: model of VLM_BENCH_VLM_…; silent: first report only; none: your own'),
    'reporter_camera': Setting('top', 'camera whose pictures the vision reporter receives'),
    'examples': Setting('', 'task of the ten worked examples for models, such as match_bowls; seen: two of each seen task; empty: none'),
    'steps': Setting(20, 'maximum number of steps of agents, failed ones included'),
    'answer_timeout': Setting(30.0, 'timeout for an answer of planner and reporter, wall-clock s'),
    'pick_place': Setting(default=False, help='true: serve /arm/pick_place; agents always have it'),
    'robot': Setting('', 'robot profile; empty: the one that the task names'),
    'engine': Setting('pybullet', 'physics engine: pybullet, or mujoco (an extra), which holds no beads and no dirt'),
    'mode': Setting('lockstep', 'lockstep: simulated time waits for every participant; realtime: it keeps the wall clock'),
    'planner': Setting('auto', 'motion planner: ours, or moveit if moveit_py is installed; auto: ours'),
    'record': Setting('', 'folder for bags; true: records; empty: nothing is recorded'),
    'topics': Setting('', 'topics to record: names or globs, such as /cameras/*,/tf; empty: all; those for the judge are always included'),
    'leave_out': Setting('', 'topics not to record: parts of their names, separated by commas, such as boxes,/tf'),
    'record_rate': Setting(0.0, 'pictures to record per second of simulated time; divides 20; 0: all that are published'),
    'cameras': Setting('vlmbench', 'camera set, some of its cameras (vlmbench:front,wrist), or none'),
    'width': Setting(WIDTH, 'width of the pictures, pixels'),
    'height': Setting(HEIGHT, 'height of the pictures, pixels'),
    'camera_rate': Setting(10.0, 'pictures per second of simulated time; divides 20'),
    'pictures': Setting(default=True, help='true: run picture_node, which draws the pictures of instructions'),
    'perturb': Setting('', 'perturbations: kind=size and presets of config/perturbations.yaml, separated by commas; empty: none'),
    'assist': Setting('', 'aids of the policy, separated by commas, such as subgoals,oracle_stop; reports list them'),
    'scored': Setting(default=False, help='true: private topics and services, hidden from policies, use ROS_DOMAIN_ID + 1'),
    'autostart': Setting(default=True, help='true: begin the episode as soon as the bench is ready'),
    'policy_timeout': Setting(60.0, 'timeout for a silent policy, wall-clock s; for agents, added to the timeouts of all answers'),
    'dash': Setting(default=False, help='true: serve the window, a page in the browser that shows the bench; its address is printed'),
    'dash_port': Setting(8100, 'port of the window on 127.0.0.1; 0: any that is free'),
    'missions': Setting('', 'file of missions that people carry out in the window'),
    'participant_timeout': Setting(10.0, 'timeout for a silent part of the bench, wall-clock s'),
}
"""Settings of `bench.launch.py` and `vlm-bench up`."""

ASKED = ('task', 'split', 'seed', 'axis', 'prompt')  # what an episode is built from


def read(name: str, text: str, settings: Mapping[str, Setting] = SETTINGS) -> Any:
    """Return the value of a setting, converted from text to the setting's type.

    Raises:
        ConfigError: the setting does not exist, or has another type.
    """
    if name not in settings:
        raise ConfigError(f'There is no setting called {name!r}. {near(name, settings)}')
    default = settings[name].default
    if isinstance(default, str):
        return text
    kind = type(default)
    try:
        value = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):  # an invalid date, such as 2001-13-45, is a ValueError
        value = text
    if type(value) is not kind and not (kind is float and type(value) is int):
        raise ConfigError(f'{name} takes a value such as {str(default).lower()}; found {quoted(text)}.')
    return kind(value)


@dataclass(frozen=True)
class NodeSpec:
    """One node: executable in the package, Python module, and parameters."""

    name: str
    module: str
    parameters: dict[str, Any] = field(default_factory=dict)


def environment(present: Mapping[str, str]) -> dict[str, str]:
    """Return the environment variables to add to those that are `present`.

    They limit discovery to this machine, give Fast DDS room for the pictures of one period, and make sines equal on every processor.
    """
    wanted = ARENAS | {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST', 'FASTDDS_DEFAULT_PROFILES_FILE': str(config('fastdds.xml'))}
    return {name: value for name, value in wanted.items() if name not in present} | arithmetic.environment(present)


def bench(values: dict[str, Any]) -> tuple[NodeSpec, ...]:
    """Return the nodes of a bench.

    Args:
        values: settings by the names of `SETTINGS`; missing ones have their defaults.

    Raises:
        ConfigError: a setting does not exist, or has an unsupported value.
    """
    s = complete(values, SETTINGS)
    one_of('mode', s['mode'], MODES)
    periods_between(s['camera_rate'])
    if ':' not in s['policy']:  # otherwise it is the path of a class
        one_of('policy', s['policy'], POLICIES)
    if s['policy_timeout'] <= s['participant_timeout']:
        raise ConfigError(
            f'policy_timeout {s["policy_timeout"]:g} s must exceed participant_timeout {s["participant_timeout"]:g} s: '
            'otherwise the policy fails if a part of the bench hangs. Raise policy_timeout, or lower participant_timeout.'
        )
    shared = {'scored': s['scored']}
    actors, guided = acting(s, shared), GUIDING & set(aids.read([s['assist']]))
    members = ['arm_node', 'monitor_node', *(['recorder_node'] if s['record'] else []), *(['aid_node'] if guided else [])]
    members += [spec.name for spec in actors if spec.name in WAITED_FOR and spec.parameters.get('reporter') != 'vision']
    sim = pick(s, 'robot', 'engine', 'mode', 'cameras', 'width', 'height', 'camera_rate', 'participant_timeout', 'assist')
    nodes = [
        sim_spec('sim_node', shared | sim),
        sim_spec('arm_node', shared | pick(s, 'robot', 'mode', 'planner')),
        task_spec('monitor_node', shared | {'policy_timeout': _silence(s)}),
        task_spec('task_node', shared | pick(s, 'robot', 'engine', *ASKED, 'perturb', 'autostart', 'assist') | {'participants': members}),
    ]
    nodes += [task_spec('aid_node', shared | pick(s, 'assist'))] if guided else []
    nodes += [recorder(s)] if s['record'] else []
    nodes += actors
    nodes += [sim_spec('picture_node', shared | pick(s, 'robot'))] if s['pictures'] else []
    return (*nodes, *window(s))


def _silence(s: dict[str, Any]) -> float:
    """Return the timeout for a silent policy, s. All answers of agents may be late, and the world stands still meanwhile."""
    answers = 2 * s['steps'] + 1 if s['policy'] == 'agents' else 0  # of planner and reporter for each step, and the first report
    return float(s['policy_timeout'] + answers * s['answer_timeout'])


WAITED_FOR = ('oracle_node', 'pick_place_node', 'reporter_node')
"""Acting nodes that must have joined before an episode starts; nodes without access to ground truth are not waited for."""


def acting(s: dict[str, Any], shared: dict[str, Any]) -> list[NodeSpec]:
    """Return the acting nodes; `shared` goes to those that see the truth.

    Planner and actor use public names only and get no private data, scored or not.
    """
    one_of('step_planner', s['step_planner'], PLANNERS)
    one_of('reporter', s['reporter'], REPORTERS)
    agents, knowing = s['policy'] == 'agents', shared | pick(s, 'robot', 'mode')
    if agents:
        _check_shown(s)
    nodes = [task_spec('oracle_node', knowing)] if s['policy'] == 'oracle' else []
    if ':' in s['policy']:
        nodes.append(task_spec('policy_node', pick(s, 'policy', 'policy_args', 'robot', 'cameras', 'mode', 'assist')))
    if agents or s['pick_place']:
        nodes.append(task_spec('pick_place_node', knowing | pick(s, 'cameras')))
    if agents:
        nodes.append(task_spec('actor_node', pick(s, 'steps', 'answer_timeout')))
    if agents and s['step_planner'] != 'none':
        nodes.append(task_spec('planner_node', {'planner': s['step_planner']} | pick(s, 'examples')))
    if agents and s['reporter'] != 'none':
        nodes.append(
            task_spec('reporter_node', knowing | {'reporter': s['reporter'], 'camera': s['reporter_camera']} | pick(s, 'examples'))
        )
    return nodes


def _check_shown(s: dict[str, Any]) -> None:
    """Raise an error if the camera or the examples for the agents' models do not exist."""
    if s['reporter'] == 'vision':
        cameras = _cameras(s['cameras'])
        if s['reporter_camera'] not in cameras:
            remedy = near(s['reporter_camera'], cameras) if cameras else 'Name a set that holds it, such as lohoravens.'
            raise ConfigError(f'The cameras {quoted(s["cameras"])} hold no reporter_camera {quoted(s["reporter_camera"])}. {remedy}')
    if s['examples']:
        known = (path.stem for path in (share() / 'config' / 'prompts').glob('*.json'))
        one_of('examples', s['examples'].rpartition('/')[2], ('seen', *known))


def _cameras(names: str) -> tuple[str, ...]:
    """Return the names of the cameras that publish pictures."""
    from vlm_bench_sim import profiles  # only where cameras are asked for

    return tuple(camera.name for camera in profiles.cameras(names))


def bag_folder(record: Any) -> str:
    """Return the folder for bags that the setting `record` names; '' if nothing is recorded."""
    return RECORDS if record in (True, 'true', 'True') else str(record)


def complete(values: dict[str, Any], settings: Mapping[str, Setting]) -> dict[str, Any]:
    """Return the values of all settings: those that are given, and the defaults of the others.

    Raises:
        ConfigError: a setting does not exist, or the settings contradict each other.
    """
    unknown = [name for name in values if name not in settings]
    if unknown:
        raise ConfigError(f'There is no setting called {unknown[0]!r}. {near(unknown[0], settings)}')
    whole = {name: setting.default for name, setting in settings.items()} | values
    if whole['prompt'] not in ('', 'words') and not whole['pictures']:
        raise ConfigError(f'The prompt {quoted(whole["prompt"])} needs picture_node. Set pictures:=true, or ask in words.')
    return whole | {'record': bag_folder(whole['record']), 'robot': robot_of(whole)}


def robot_of(values: Mapping[str, Any]) -> str:
    """Return the name of the robot profile: the setting `robot`, or the one that the setting `task` names.

    Raises:
        TaskError: the task does not exist, and no robot is set.
    """
    from vlm_bench_tasks import catalogue  # only here: the command line needs the settings at once, and no tasks

    return values['robot'] or catalogue.task(values['task']).robot


def recorder(s: dict[str, Any]) -> NodeSpec:
    """Return the recorder node for the settings scored, robot, cameras, record, topics, leave_out and record_rate."""
    own = {'folder': s['record'], 'rate': s['record_rate']} | ({'assist': s['assist']} if s.get('assist') else {})
    return sim_spec('recorder_node', pick(s, 'scored', 'robot', 'cameras', 'topics', 'leave_out') | own)


def window(s: dict[str, Any], *, scored: bool = False) -> list[NodeSpec]:
    """Return the node that serves the window, if the settings ask for it. `scored`: as in `window_spec`.

    Raises:
        ConfigError: a file of missions is named without the window, or websockets is not installed.
    """
    if s['missions'] and not s['dash']:
        raise ConfigError('Missions are carried out in the window. Set dash:=true, too.')
    own = pick(s, 'missions', 'task', 'robot', 'cameras') | {'folder': s['record']}
    return [window_spec(s['dash_port'], scored=scored, **own)] if s['dash'] else []


def window_spec(port: int, *, scored: bool = False, **access: str) -> NodeSpec:
    """Return the node that serves the window; `scored`: it hears what a person is asked in the second domain of a scored bench.

    Raises:
        ConfigError: websockets is not installed.
    """
    check_window()
    return task_spec('dash_node', {'port': port, **access} | ({'scored': True} if scored else {}))


def check_window() -> None:
    """Raise a ConfigError if websockets, which serves the window, is not installed."""
    if find_spec('websockets') is None:
        raise ConfigError('The window needs websockets, which is not installed. Run: pip install "vlm_bench_sim[server]".')


def pick(values: dict[str, Any], *names: str) -> dict[str, Any]:
    """Return the values of these names."""
    return {name: values[name] for name in names}


def sim_spec(name: str, parameters: dict[str, Any]) -> NodeSpec:
    """Return a node of vlm_bench_sim."""
    return NodeSpec(name, f'vlm_bench_sim.nodes.{name}', parameters)


def task_spec(name: str, parameters: dict[str, Any]) -> NodeSpec:
    """Return a node of vlm_bench_tasks."""
    return NodeSpec(name, f'vlm_bench_tasks.nodes.{name}', parameters)


def one_of(what: str, asked: str, offered: tuple[str, ...]) -> None:
    """Check that a setting has one of the values that are offered.

    Raises:
        ConfigError: it has another one.
    """
    if asked not in offered:
        raise ConfigError(f'{what} {asked!r} is not offered. {near(asked, offered)}')
